import { createHash } from 'node:crypto'
import { newInboxState } from '#inbox/state-schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure, isRefusal } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { beginningOf } from '#kernel/text.ts'
import { baseMailboxOf, type MailAddress, mailboxOf, writeMailAddress } from './address-schema.ts'
import { messageKey } from './keys.ts'
import { boundedReferences } from './outgoing-mail.ts'
import type { CorrespondenceRecord } from './ports.ts'
import type {
  MessageHeader,
  MessageIdentity,
  RawMessage,
  ReadHeader,
  ReceptionFiles,
  ReceptionStore,
  ReceptionToken,
  SenderChecks,
  TakenToken,
} from './reception-ports.ts'
import { maxSubjectLength } from './schema.ts'

export type ReceptionDeps = {
  store: Pick<ReceptionStore, 'workspacesOf' | 'findToken' | 'receive'>
  files: ReceptionFiles
  readHeader: ReadHeader
  clock: Clock
}

/** A mail as an entry point received it. */
export type ArrivedMail = {
  raw: RawMessage
  /** The addresses to which it was delivered, without names. The first one of a workspace decides the answer. */
  recipients: string[]
  received_at: Date
  checks: SenderChecks
  /** Null if the entry point has no tokens. */
  token: ReceptionToken | null
  /**
   * Identifies the delivery. A repeated delivery has the same text. It distinguishes messages that have neither a
   * `Message-ID` nor a `Date`.
   */
  delivery: string
}

export type Reception = ReturnType<typeof reception>

/** The maximum number of recipients of one delivery that are read. */
const maxEnvelopeRecipients = 100

/** Accepts every received mail (I1, I2). */
export function reception({ store, files, readHeader, clock }: ReceptionDeps) {
  /** Stores the message and records it in one workspace. Returns the id of the new or existing record. */
  const receiveIn = async (
    workspaceId: string,
    { raw, ...mail }: Omit<ArrivedMail, 'recipients' | 'delivery'>,
    read: Read,
  ): Promise<string> => {
    const { identity } = read
    const record = newRecord(clock, workspaceId, mail, read)
    const key = messageKey(record)
    if (raw instanceof Uint8Array) await files.put(key, raw, { mimeType, sha256: hexDigest(raw) })
    else await files.copy(raw.key, key, { mimeType, etag: raw.etag })
    const outcome = await store
      .receive({ record, identity, token: mail.token })
      .catch(async (error: unknown) => {
        if (isRefusal(error)) await files.remove([key]).catch(() => {})
        throw error
      })
    const id = 'taken' in outcome ? outcome.taken.correspondence_id : outcome.id
    if (id !== record.id) await files.remove([key]).catch(() => {})
    return 'taken' in outcome ? answerTo(outcome.taken, mail.token) : outcome.id
  }

  return {
    /**
     * The answer to the call that used this token. Undefined if there is none.
     *
     * @throws Failure MAIL_SIGNATURE_INVALID if that call had other content
     */
    async answered(token: ReceptionToken): Promise<string | undefined> {
      const taken = await store.findToken(token.token_sha256, clock.now())
      return taken === undefined ? undefined : answerTo(taken, token)
    },

    /**
     * Accepts a mail. When this resolves, its message is stored, each workspace that receives it has a record, and a
     * job puts these records on the queue for processing. A workspace that already has the message gets no second
     * record.
     *
     * The first workspace, in the order of the recipients, comes last and records the token. So after a crash between
     * two workspaces, the same call completes the others.
     *
     * @returns the id of the record in the first workspace
     * @throws Failure RECIPIENT_UNKNOWN if no workspace has any of the recipients, MAIL_SIGNATURE_INVALID if a
     *   concurrent call with other content has used the token
     */
    async receive({ recipients, delivery, token, ...mail }: ArrivedMail): Promise<string> {
      const [first, ...others] = await workspacesOf(store, recipients)
      if (first === undefined) throw recipientUnknown()
      const read = await readIdentity({ files, readHeader }, mail, delivery)
      for (const workspaceId of others) await receiveIn(workspaceId, { ...mail, token: null }, read)
      return receiveIn(first, { ...mail, token }, read)
    },
  }
}

const mimeType = 'message/rfc822'

/** The workspaces in the order of the recipients, without duplicates. */
async function workspacesOf(
  store: Pick<ReceptionStore, 'workspacesOf'>,
  recipients: string[],
): Promise<string[]> {
  const possible = recipients
    .filter(({ length }) => length <= maxAddressLength)
    .slice(0, maxEnvelopeRecipients)
  const mailboxes = [...new Set(possible.map(baseMailboxOf))]
  if (mailboxes.length === 0) return []
  const found = new Map(
    (await store.workspacesOf(mailboxes)).map(({ mailbox, workspace_id }) => [mailbox, workspace_id]),
  )
  return [...new Set(mailboxes.flatMap((mailbox) => found.get(mailbox) ?? []))]
}

type Read = { header: MessageHeader; identity: MessageIdentity }

async function readIdentity(
  { files, readHeader }: Pick<ReceptionDeps, 'files' | 'readHeader'>,
  { raw, checks }: Pick<ArrivedMail, 'raw' | 'checks'>,
  delivery: string,
): Promise<Read> {
  const isHere = raw instanceof Uint8Array
  const beginning = isHere ? raw : await files.read(raw.key, { first: 0, last: readHeader.maxBytes - 1 })
  const header = await readHeader.read(beginning, checks)
  const { date, from, subject } = header
  const digest = async () => {
    const hash = createHash('sha256').update(date === null ? delivery : '')
    const bytes = isHere ? [raw] : await files.stream(raw.key)
    let left = header.bodyStart
    for await (const chunk of bytes) {
      hash.update(chunk.subarray(left))
      left = Math.max(0, left - chunk.length)
    }
    return `sha256:${hash.digest('hex')}`
  }
  const message_id = header.message_id ?? (await digest())
  return {
    header,
    identity: { message_id, date, from: from === null ? null : mailboxOf(from.email), subject },
  }
}

function newRecord(
  clock: Clock,
  workspace_id: string,
  { received_at, checks }: Pick<ArrivedMail, 'received_at' | 'checks'>,
  { header, identity }: Read,
): CorrespondenceRecord {
  const { message_id, from, reply_to, to, cc, subject, in_reply_to, references } = header
  const kept = addressLimiter()
  return {
    workspace_id,
    id: newId('correspondence'),
    direction: 'inbound',
    status: 'received',
    user_id: null,
    draft_id: null,
    about: null,
    from: kept([from ?? { name: null, email: '' }])[0] ?? { name: null, email: '' },
    reply_to: kept(reply_to),
    to: kept(to).map(writeMailAddress),
    cc: kept(cc).map(writeMailAddress),
    bcc: [],
    subject: beginningOf(subject, maxSubjectLength),
    case_id: null,
    party_id: null,
    assigned_to: null,
    attachments: [],
    message_id,
    header_message_id: message_id ?? '',
    ...(message_id === null && { known_as: identity.message_id }),
    in_reply_to: in_reply_to[0] ?? null,
    references: boundedReferences(references),
    sent_at: null,
    received_at: received_at.toISOString(),
    delivery: [],
    created_at: clock.now().toISOString(),
    sending_since: null,
    lost_at: null,
    attempts: 0,
    refusal: null,
    status_reason: null,
    verdicts: checks.verdicts,
    sender_verified: header.sender_verified,
    sender_verified_reason: header.sender_verified_reason,
    protection: 'none',
    triage: null,
    inbox: newInboxState(received_at.toISOString()),
    teaches: { references: [], sender: null },
    version: 1,
  }
}

/** The maximum length of a name or an address in the record, in characters, and of all together, in bytes. */
const maxAddressLength = 320
const maxAddressBytes = 100_000

/** Limits addresses to the size that an item of the table can hold. The message has all of them. */
function addressLimiter() {
  let left = maxAddressBytes
  return (addresses: MailAddress[]): MailAddress[] => {
    const short = addresses.map(({ name, email }) => ({
      name: name === null ? null : beginningOf(name, maxAddressLength),
      email: beginningOf(email, maxAddressLength),
    }))
    return short.filter((address) => {
      left -= Buffer.byteLength(writeMailAddress(address))
      return left >= 0
    })
  }
}

/** @throws Failure MAIL_SIGNATURE_INVALID if the token was used with other content */
function answerTo(taken: TakenToken, token: ReceptionToken | null): string {
  if (taken.digest === token?.digest) return taken.correspondence_id
  throw new Failure(
    'unauthenticated',
    'MAIL_SIGNATURE_INVALID',
    'This token was used with other content. Sign each call with a token of its own.',
  )
}

function recipientUnknown(): Failure {
  return new Failure(
    'not_acceptable',
    'RECIPIENT_UNKNOWN',
    'No workspace receives mail for these recipients.',
  )
}
