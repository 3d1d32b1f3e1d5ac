import { hexDigest } from '#kernel/hex-digest.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import type { BeaAccountStore, BeaMessageRecord, BeaMessageStore } from '../ports.ts'
import { contentBytes, readContent } from './message-content.ts'
import { contentKey, textKey } from './message-keys.ts'

type Forgotten = { workspace_id: string; id: string }

/** Removes the data of a person from a text. */
type Redact = (text: string) => string

/** Messages read per page. */
const readAtOnce = 50

/**
 * Removes an erased person from beA messages that were filed with that party and are in no case (R5). Other messages of
 * a party cannot be found, because parties have no SAFE-ID. The bytes of attached files stay unchanged.
 */
export function beaForgetting(deps: {
  accounts: Pick<BeaAccountStore, 'listEver'>
  store: Pick<BeaMessageStore, 'page' | 'find' | 'change'>
  files: {
    head: (key: string) => Promise<object | undefined>
    read: (key: string) => Promise<Uint8Array>
    put: (key: string, bytes: Uint8Array, about: { mimeType: string; sha256: string }) => Promise<void>
    /** Removes the earlier versions of all objects whose keys begin with `prefix`. */
    eraseOlder: (prefix: string) => Promise<unknown>
  }
  /** Redacts the file name of a document, if it is in no case. A message that has left a case has such documents. */
  redactDocument: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  /** Removes the data from the timelines of the cases that a record has left, where they are about it. */
  leaveTimelines: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  /** Removes the data from the draft that a message was sent from, and from the answer to its request for a receipt. */
  redactDrafts: (message: BeaMessageRecord, redact: Redact) => Promise<void>
}) {
  const { accounts, store, files, redactDocument, leaveTimelines, redactDrafts } = deps
  const replace = async (key: string, mimeType: string, change: (bytes: Uint8Array) => Uint8Array) => {
    if ((await files.head(key)) === undefined) return
    const bytes = change(await files.read(key))
    await files.put(key, bytes, { mimeType, sha256: hexDigest(bytes) })
  }

  /** Removes the person from one message. The record is changed last, because an interrupted run finds the message by it. */
  const forget = async (message: BeaMessageRecord, redact: Redact): Promise<void> => {
    const { workspace_id, id, attachments } = message
    await leaveTimelines(workspace_id, id, redact)
    await redactDrafts(message, redact)
    for (const { document_id } of attachments)
      if (document_id !== null) await redactDocument(workspace_id, document_id, redact)
    await replace(contentKey(message), 'application/json', (bytes) => {
      const content = readContent(bytes)
      return contentBytes({
        ...content,
        body: redact(content.body),
        // These name the sender.
        proof_of_origin: null,
        xjustiz: [],
        ...(content.recipients && {
          recipients: content.recipients.map((one) => ({ ...one, name: one.name && redact(one.name) })),
        }),
      })
    })
    await replace(textKey(message), 'text/plain; charset=utf-8', (bytes) =>
      new TextEncoder().encode(redact(new TextDecoder().decode(bytes))),
    )
    await files.eraseOlder(`bea/${workspace_id}/${id}/`)
    await store.change(workspace_id, id, (before) => ({
      record: { ...withoutPerson(before, redact), version: before.version + 1 },
      jobs: [eraseFromIndex.of({ workspace_id, ids: [id] })],
      triage: {
        category: before.inbox?.category ?? 'other',
        priority: 'normal',
        suggested_assignment: null,
        case_suggestions: [],
        confidence: 0,
        deadline_hints: [],
        final: true,
      },
      events: [],
      answer: undefined,
    }))
  }

  /** Yields the position after the finished messages. */
  return async function* (
    { workspace_id, id }: Forgotten,
    redact: Redact,
    after: string | null,
  ): AsyncGenerator<string, undefined> {
    const seen = (await accounts.listEver(workspace_id)).flatMap(({ id: account_id }) =>
      [true, false].map((confidential) => ({ account_id, confidential, mayRead: true })),
    )
    if (seen.length === 0) return undefined
    for (let cursor = after ?? undefined; ; ) {
      const request = { limit: readAtOnce, cursor }
      const { data, pagination } = await store.page(workspace_id, seen, { unassigned: true }, request)
      for (const { id: messageId } of data.filter(({ party_id }) => party_id === id)) {
        // The messages before it in the page take seconds each: somebody may have filed it meanwhile.
        const message = await store.find(workspace_id, messageId)
        if (message?.party_id === id && message.case_id === null) await forget(message, redact)
      }
      if (pagination.cursor === null) return undefined
      cursor = pagination.cursor
      yield cursor
    }
  }
}

function withoutPerson(message: BeaMessageRecord, redact: Redact): BeaMessageRecord {
  const { subject, sender, recipients, direction, reference_sender, reference_recipient, attachments } =
    message
  const { eeb_given } = message
  const nobody = { name: null, bea_id: null }
  const named = (one: typeof sender) => ({ ...one, name: one.name && redact(one.name) })
  const own = message.postbox_safe_id.toLowerCase()
  const isOwn = ({ bea_id }: typeof sender) => bea_id?.toLowerCase() === own
  return {
    ...message,
    subject: redact(subject),
    sender: direction === 'inbound' ? nobody : named(sender),
    recipients: recipients.map((one) => (direction === 'outbound' && !isOwn(one) ? nobody : named(one))),
    reference_sender: reference_sender && redact(reference_sender),
    reference_recipient: reference_recipient && redact(reference_recipient),
    attachments: attachments.map((one) => ({ ...one, filename: redact(one.filename) })),
    ...(eeb_given && { eeb_given: { ...eeb_given, why: eeb_given.why && redact(eeb_given.why) } }),
    party_id: null,
    teaches: { references: [], sender: null },
  }
}
