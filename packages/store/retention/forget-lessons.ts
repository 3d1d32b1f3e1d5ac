import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { eraseKeys } from '../batch.ts'
import type { Db } from '../db.ts'
import { lessonKeys } from './case-nouns.ts'

/** Removes what a case has learnt of the sender of a mail. */
export function forgetLessons(db: Db) {
  return (mail: CorrespondenceRecord): Promise<void> => eraseKeys(db, lessonKeys(mail))
}
