import { mailboxOf } from '#correspondence/address-schema.ts'
import type { Db } from '../db.ts'
import { learntSender } from './learnt-entity.ts'

/** The senders of mail as the triage has learnt them. */
export function learntSenders(db: Db) {
  const senders = learntSender(db)
  return {
    /** The cases in which mail from this address was filed, and the ids of the mails that taught it. */
    of: async (workspace_id: string, email: string): Promise<{ case_id: string; mails: unknown }[]> => {
      const mailbox = mailboxOf(email)
      const { data } = await senders.query.cases({ workspace_id, mailbox }).go({ pages: 'all' })
      return data.map(({ case_id, mails }) => ({ case_id, mails }))
    },
  }
}
