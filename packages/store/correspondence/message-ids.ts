import { type CorrespondenceRecord, knownIds } from '#correspondence/ports.ts'
import type { MessageIdentity } from '#correspondence/reception-ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { timeOf } from '#kernel/id.ts'
import { readAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, erase, put, retryStale, transact } from '../transact.ts'
import { type MessageNote, messageIdEntity } from './reception-entity.ts'

/** The mails with a message id, as they were read. A change is written only if the version is still the same. */
export type KnownMessages = { messages: MessageNote[]; version: number }

/**
 * The maximum number of mails that are stored for one message id, the latest ones. A device that gives all its mails
 * the same id exceeds it. Then an old mail that is delivered again is recorded again.
 */
const maxMessages = 20

/** The number of characters of a subject that are compared. */
const maxSubject = 200

/** A longer message id, in bytes, is stored by its digest: a partition key may have 2 048 bytes. */
const maxIdBytes = 500

/** The message ids of a workspace. */
export function messageIds(db: Db) {
  const items = messageIdEntity(db)

  return {
    /** The mails that arrived with this message id. */
    async received(workspaceId: string, messageId: string): Promise<KnownMessages> {
      const key = {
        workspace_id: workspaceId,
        message_id: storedId(messageId),
        direction: 'inbound',
      } as const
      const { data } = await items.get(key).go(strongly)
      return { messages: data?.messages ?? [], version: data?.version ?? 0 }
    },

    /** Adds a mail to the mails that were read. The transaction fails as Stale if another was added since. */
    add(
      workspaceId: string,
      known: KnownMessages,
      correspondence_id: string,
      { message_id, ...about }: MessageIdentity,
    ): Action {
      const note = { correspondence_id, ...about, subject: compared(about.subject) }
      const item = {
        workspace_id: workspaceId,
        message_id: storedId(message_id),
        direction: 'inbound' as const,
        messages: [...known.messages, note].slice(-maxMessages),
        version: known.version + 1,
      }
      if (known.version === 0) return put(items.create(item))
      const written = items.put(item).where(asRead(known))
      return rewrite(items, written, known)
    },

    /** Records an id to which replies to our own mail may refer. No other mail has it. */
    addSent: ({ workspace_id, id }: CorrespondenceRecord, messageId: string): Action =>
      put(
        items.put({
          workspace_id,
          message_id: storedId(messageId),
          direction: 'outbound',
          messages: [{ correspondence_id: id, date: null, from: null, subject: '' }],
          version: 1,
        }),
      ),

    /**
     * Removes the message ids of a mail that is removed.
     *
     * @param providerDomain the domain of the ids that the provider gives messages
     */
    forget: async (mail: CorrespondenceRecord, providerDomain: string): Promise<void> => {
      const { workspace_id, id, direction, known_as } = mail
      for (const messageId of [
        ...knownIds(mail, providerDomain),
        ...(known_as === undefined ? [] : [known_as]),
      ]) {
        const key = { workspace_id, message_id: storedId(messageId), direction }
        await retryStale(async () => {
          const { data } = await items.get(key).go(strongly)
          if (data === null) return
          const others = data.messages.filter((note) => note.correspondence_id !== id)
          await transact(db, keepNotes(db, data, others))
        })
      }
    },

    /** The ids of the mails with each of these message ids, sent or received, if there are any. */
    async findAll(workspaceId: string, wanted: string[]): Promise<Map<string, string[]>> {
      const ids = new Map(wanted.map((messageId) => [storedId(messageId), messageId]))
      const gets = [...ids.keys()].flatMap((message_id) =>
        (['inbound', 'outbound'] as const).map((direction) =>
          items.get({ workspace_id: workspaceId, message_id, direction }),
        ),
      )
      const found = new Map<string, string[]>()
      for (const item of await readAll(db, gets)) {
        const { data } = items.parse({ Item: item })
        if (data === null) continue
        const messageId = ids.get(data.message_id) ?? ''
        const mails = data.messages.map(({ correspondence_id }) => correspondence_id)
        found.set(messageId, [...(found.get(messageId) ?? []), ...mails])
      }
      return found
    },
  }
}

/**
 * Removes all other notes from an item with message ids, and the item if no note is left. The transaction fails as
 * Stale if the item was changed since it was read.
 */
export function keepNotes(
  db: Db,
  before: KnownMessages & { workspace_id: string; message_id: string; direction: 'inbound' | 'outbound' },
  messages: MessageNote[],
): Action[] {
  if (messages.length === before.messages.length) return []
  const items = messageIdEntity(db)
  const { workspace_id, message_id, direction, version } = before
  const key = { workspace_id, message_id, direction }
  if (messages.length === 0) return [erase(items.delete(key).where(asRead(before)))]
  return [rewrite(items, items.put({ ...key, messages, version: version + 1 }).where(asRead(before)), {})]
}

/** The mail among these that is the same as the one with this identity; see `MessageIdentity`. */
export function sameMessage({ messages }: KnownMessages, identity: MessageIdentity): string | undefined {
  const subject = compared(identity.subject)
  const names = (known: string | null, arriving: string | null) => !arriving || known === arriving
  return messages.find(
    (known) =>
      (names(known.date, identity.date) || isCopyWithDate(known, identity)) &&
      names(known.from, identity.from) &&
      names(known.subject, subject),
  )?.correspondence_id
}

/** A mail of a form without a date may come again by SMTP with its date, which is before its first arrival (I2). */
function isCopyWithDate(known: MessageNote, { date }: MessageIdentity): boolean {
  return known.date === null && date !== null && Date.parse(date) <= timeOf(known.correspondence_id).getTime()
}

/** A subject as it is compared: mail services fold and unfold its spaces. */
export function compared(subject: string): string {
  return subject.replace(/\s+/g, ' ').trim().slice(0, maxSubject).toWellFormed()
}

function storedId(messageId: string): string {
  if (Buffer.byteLength(messageId) <= maxIdBytes) return messageId
  return `long:${hexDigest(messageId)}`
}
