import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { eraseEach, keyed } from '../batch.ts'
import type { Db } from '../db.ts'
import { lessonKeys } from './case-nouns.ts'

/** Removes what a case has learnt of the sender of a mail. */
export function forgetLessons(db: Db) {
  return (mail: CorrespondenceRecord): Promise<void> => eraseEach(db, lessonKeys(mail), keyed)
}
