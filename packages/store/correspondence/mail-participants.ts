import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { fieldsById } from '../batch.ts'
import type { Db } from '../db.ts'
import { sortedList } from '../sorted-list.ts'
import { correspondenceEntity } from './correspondence-entity.ts'

/** The case, the party and the addresses of a mail. */
export type MailParticipants = Pick<
  CorrespondenceRecord,
  'id' | 'case_id' | 'party_id' | 'from' | 'to' | 'cc' | 'bcc' | 'reply_to'
>

const fields = ['case_id', 'party_id', 'from', 'to', 'cc', 'bcc', 'reply_to'] as const

/** Mails that are read at once. */
const atOnce = 1_000

/**
 * The participants of all mails of a firm, newest first. A firm may have millions of mails, so nothing else of them is read.
 */
export function mailParticipants(db: Db) {
  const mails = correspondenceEntity(db)
  const list = sortedList<unknown>(db, 'correspondence', 'descending')
  return async function* (workspaceId: string): AsyncGenerator<MailParticipants[]> {
    for await (const entries of list.all(workspaceId, 'all', atOnce)) {
      const ids = entries.map(({ place }) => place)
      const found = await fieldsById(db, mails, workspaceId, ids, fields)
      yield ids.flatMap((id): MailParticipants[] => {
        const mail = found.get(id)
        if (mail === undefined) return []
        return [{ id, ...mail, case_id: mail.case_id ?? null, party_id: mail.party_id ?? null }]
      })
    }
  }
}
