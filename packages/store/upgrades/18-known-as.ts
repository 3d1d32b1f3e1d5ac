import { mailboxOf } from '#correspondence/address-schema.ts'
import { readById } from '../batch.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { compared, keepNotes } from '../correspondence/message-ids.ts'
import { type MessageNote, messageIdEntity } from '../correspondence/reception-entity.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { change, retryStale, transact } from '../transact.ts'
import type { Upgrade } from './upgrade.ts'

/**
 * Notes in each mail without a `Message-ID` the digest by which it is known again, so that its removal (R3) and an
 * erasure (R5) remove that item too. Earlier releases noted it in the item only. Notes of mails that were removed or
 * erased before are removed.
 */
export const knownAs: Upgrade = {
  layout: 18,
  name: 'known-as',
  says: 'notes in mails without a Message-ID how they are known again, so that disposals and erasures remove that',
  sources: () => [],
  scanned: (db: Db) => {
    const [items, mails] = [messageIdEntity(db), correspondenceEntity(db)]
    return {
      kinds: ['messageid'],
      convert: async (item) => {
        const { data: key } = items.parse({ Item: item })
        if (key === null || !key.message_id.startsWith('sha256:')) return
        const { workspace_id, message_id: known_as, direction } = key
        await retryStale(async () => {
          const { data } = await items.get({ workspace_id, message_id: known_as, direction }).go(strongly)
          if (data === null) return
          // A mail and its note are written together. So a mail that is not found was removed.
          const ids = new Set(data.messages.map(({ correspondence_id }) => correspondence_id))
          const found = new Map(
            (await readById(db, mails, workspace_id, [...ids])).map((mail) => [mail.id, mail]),
          )
          const remaining = data.messages.filter((note) => {
            const mail = found.get(note.correspondence_id)
            return mail !== undefined && (mail.known_as !== undefined || isAsReceived(mail, note))
          })
          const stay = new Set(remaining.map(({ correspondence_id }) => correspondence_id))
          const lacking = [...found.values()].filter(
            ({ id, known_as }) => known_as === undefined && stay.has(id),
          )
          await transact(db, [
            ...keepNotes(db, data, remaining),
            // Writers that have read the mail before must read it again: they would remove `known_as`.
            ...lacking.map((mail) =>
              change(
                mails
                  .patch({ workspace_id, id: mail.id })
                  .set({ known_as, version: mail.version + 1 })
                  .where(asRead(mail)),
              ),
            ),
          ])
        })
      },
    }
  },
}

/**
 * Whether a mail still has the sender and the subject of its note. If not, an erasure has removed a person from the
 * mail. A note that is alike names nobody whom the mail does not name.
 */
function isAsReceived(
  mail: { from: { email: string }; subject: string },
  { from, subject }: MessageNote,
): boolean {
  return mailboxOf(mail.from.email) === mailboxOf(from ?? '') && compared(mail.subject) === subject
}
