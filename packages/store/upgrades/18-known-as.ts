import { mailboxOf } from '#correspondence/address-schema.ts'
import { beginningOf } from '#kernel/text.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { readById } from '../batch.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { compared, keepNotes } from '../correspondence/message-ids.ts'
import { type MessageNote, messageIdEntity } from '../correspondence/reception-entity.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { change, transact } from '../transact.ts'
import type { Upgrade } from './upgrade.ts'

/**
 * Notes in each mail without a `Message-ID` the digest by which it is known again, so that its removal (R3) and an
 * erasure (R5) remove that item too. Earlier releases noted it in the item only. Notes of mails that were removed or
 * erased before are removed. Run it once no instance of the old release is left: an erasure by one after the scan would
 * leave the note.
 */
export const knownAs: Upgrade = {
  layout: 18,
  name: 'known-as',
  says: 'notes in mails without a Message-ID how they are known again, so that disposals and erasures remove that',
  scanned: (db: Db) => {
    const [items, mails] = [messageIdEntity(db), correspondenceEntity(db)]
    return {
      kinds: ['messageid'],
      convert: async (item, dryRun) => {
        const { data: key } = items.parse({ Item: item })
        if (key === null || !key.message_id.startsWith('sha256:')) return false
        const { workspace_id, message_id: known_as, direction } = key
        const { data } = await items.get({ workspace_id, message_id: known_as, direction }).go(strongly)
        if (data === null) return false
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
        const actions = [
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
        ]
        if (!dryRun) await withTimeLimit(maxMilliseconds, () => transact(db, actions))
        return actions.length > 0
      },
    }
  },
}

/** The reads are not limited: a run with few units per second waits for them. */
const maxMilliseconds = 60_000

/** The characters to which the reception cuts the sender and the subject of a mail; it does not cut them in notes. */
const maxAddress = 320
const maxSubject = 998

/**
 * Whether a mail still has the sender and the subject of its note. If not, an erasure has removed a person from the
 * mail. A note that is alike names nobody whom the mail does not name, unless the reception has cut the mail's text.
 */
function isAsReceived(mail: { from: { email: string }; subject: string }, note: MessageNote): boolean {
  const [sender, subject] = [mailboxOf(mail.from.email), compared(mail.subject)]
  const from = note.from ?? ''
  const isSender = [from, beginningOf(from, maxAddress)].some((one) => mailboxOf(one) === sender)
  const isCut = [...mail.subject].length === maxSubject
  return isSender && (isCut ? note.subject.startsWith(subject) : note.subject === subject)
}
