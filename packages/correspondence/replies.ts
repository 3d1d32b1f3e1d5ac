import { germanDay } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { conflict, Failure, invalid, required, unknownAt } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { requireScope } from '#kernel/require-scope.ts'
import { beginningOf } from '#kernel/text.ts'
import { baseMailboxOf, mailboxIn, mailboxOf, readMailAddress, writeMailAddress } from './address-schema.ts'
import { addDraft, type NewDraftDeps } from './new-drafts.ts'
import type { MailContent } from './outgoing-mail.ts'
import {
  type CorrespondenceRecord,
  type CorrespondenceStore,
  type DraftRecord,
  knownIds,
  type MailFiles,
  type MailUsers,
  type MailWorkspaces,
} from './ports.ts'
import { quotedOriginal } from './quoted-original.ts'
import {
  type Draft,
  type ForwardInput,
  maxAttachmentBytes,
  maxAttachments,
  maxSubjectLength,
  type ReplyInput,
  type Signature,
} from './schema.ts'
import type { MailHtml } from './sending-ports.ts'

export type ReplyDeps = NewDraftDeps & {
  store: Pick<CorrespondenceStore, 'find'>
  files: Pick<MailFiles, 'read' | 'remove'>
  html: MailHtml
  users: MailUsers
  workspaces: MailWorkspaces
  /** The domain of the provider's message ids. */
  providerDomain: string
  /** Whether the domains of two addresses belong to the same organisation. */
  areAddressesOfOneOrganization: (one: string, other: string) => Promise<boolean>
}

export type ReplyService = ReturnType<typeof replyService>

/** Creates replies and forwards as drafts (M7), with the signature of the user (M8). */
export function replyService(deps: ReplyDeps) {
  const { store, users, workspaces, documents, providerDomain } = deps

  const requireMail = async ({ workspace_id }: Actor, id: string): Promise<CorrespondenceRecord> => {
    const found = await store.find(workspace_id, id)
    const record = required(found, 'CORRESPONDENCE_NOT_FOUND', unknownAt('body.correspondence_id', id))
    if (record.status === 'received') throw notReadYet()
    return record
  }

  const signatureOf = async ({ workspace_id, user_id }: Actor): Promise<string> =>
    (await users.find(workspace_id, user_id))?.signature_html ?? ''

  /** An empty paragraph, the signature, a line with the time and author of the original, and the original. */
  const quotation = async (actor: Actor, original: CorrespondenceRecord): Promise<string> => {
    const [signature, workspace] = await Promise.all([
      signatureOf(actor),
      workspaces.find(actor.workspace_id),
    ])
    const at = original.sent_at ?? original.received_at ?? original.created_at
    const opening =
      '<p><br></p>' +
      signature +
      `<p>Am ${localTimeOf(at, workspace?.time_zone)} schrieb ${escapeHtml(authorOf(original))}:</p>`
    return quotedOriginal(deps, original, opening)
  }

  const add = (actor: Actor, content: MailContent, warnings: string[] = []): Promise<Answered<Draft>> => {
    const viewOf = (record: DraftRecord, body_html: string) => ({ ...record, body_html })
    return addDraft(deps, actor, content, viewOf, warnings).catch((error: unknown) => {
      // The case was deleted, but its mail keeps `case_id` (C8).
      const isGone = error instanceof Failure && error.code === 'CASE_NOT_FOUND'
      if (!isGone) throw error
      return addDraft(deps, actor, { ...content, case_id: null }, viewOf, warnings)
    })
  }

  return {
    /**
     * Creates a reply to `Reply-To`, or else to the sender. A reply to our own mail goes to its recipients. `reply_all`
     * adds the other recipients. The draft has a warning if `Reply-To` is an address of another organisation than the
     * sender's.
     *
     * @throws Failure CORRESPONDENCE_NOT_FOUND, EXTRACTION_PENDING if a received mail is not read yet, VALIDATION_ERROR
     *   if the mail has no address to reply to, or more than 50
     */
    async reply(actor: Actor, { correspondence_id, reply_all }: ReplyInput): Promise<Answered<Draft>> {
      const original = await requireMail(actor, correspondence_id)
      const own = await ownMailboxes(deps, actor.workspace_id)
      const recipients = recipientsOfReply(original, reply_all, own)
      const warnings = await replyToWarnings(deps, original, recipients.to)
      const content: MailContent = {
        ...recipients,
        bcc: [],
        subject: prefixed('Re: ', original.subject),
        body_html: await quotation(actor, original),
        case_id: original.case_id,
        document_ids: [],
        attachments_as: 'files',
        in_reply_to: original.header_message_id === '' ? null : original.header_message_id,
        references: [...ancestorsOf(original), ...knownIds(original, providerDomain)],
      }
      return add(actor, content, warnings)
    },

    /**
     * Creates a draft without recipients and with the same attachments. It begins a new thread. Deleted documents are
     * left out. Attachments of more than 6 MiB are sent as links.
     *
     * @throws Failure CORRESPONDENCE_NOT_FOUND, AUTH_INSUFFICIENT_SCOPE, EXTRACTION_PENDING if a received mail is not
     *   read yet, VALIDATION_ERROR if it has more than 100 attachments
     */
    async forward(actor: Actor, { correspondence_id }: ForwardInput): Promise<Answered<Draft>> {
      const original = await requireMail(actor, correspondence_id)
      const ids = original.attachments.map(({ document_id }) => document_id)
      if (ids.length > 0) requireScope(actor, 'documents:read', 'Forwarding documents')
      if (ids.length > maxAttachments) throw tooManyAttachments()
      const found = ids.length === 0 ? [] : await documents.findAll(actor.workspace_id, ids)
      const attached = found.filter(({ is_complete }) => is_complete)
      const present = new Set(attached.map(({ id }) => id))
      const sizeBytes = attached.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
      const content: MailContent = {
        to: [],
        cc: [],
        bcc: [],
        subject: prefixed('Fwd: ', original.subject),
        body_html: await quotation(actor, original),
        case_id: original.case_id,
        document_ids: ids.filter((id) => present.has(id)),
        attachments_as: sizeBytes > maxAttachmentBytes ? 'links' : 'files',
        in_reply_to: null,
        references: [],
      }
      return add(actor, content)
    },

    /** The signature of the calling user. Empty if none is set (M8). */
    signature: async (actor: Actor): Promise<Signature> => ({ signature_html: await signatureOf(actor) }),
  }
}

/** A warning for each recipient from `Reply-To` whose domain belongs to another organisation than the sender's. */
async function replyToWarnings(
  { areAddressesOfOneOrganization }: Pick<ReplyDeps, 'areAddressesOfOneOrganization'>,
  { direction, from, reply_to }: CorrespondenceRecord,
  to: string[],
): Promise<string[]> {
  if (direction === 'outbound') return []
  const named = new Set(reply_to.map(({ email }) => mailboxOf(email)))
  const mailboxes = to.map(mailboxIn).filter((mailbox) => named.has(mailbox))
  const warned = await Promise.all(
    mailboxes.map(async (mailbox) =>
      (await areAddressesOfOneOrganization(mailbox, mailboxOf(from.email)))
        ? []
        : [
            `The mail comes from ${from.email || 'nobody'}, but the answer goes to ${mailbox} in another domain.`,
          ],
    ),
  )
  return warned.flat()
}

/** Our own addresses: the inbound address of the workspace and the addresses of its users (M7). */
async function ownMailboxes(
  { users, workspaces }: Pick<ReplyDeps, 'users' | 'workspaces'>,
  workspaceId: string,
): Promise<Set<string>> {
  const [workspace, emails] = await Promise.all([workspaces.find(workspaceId), users.emails(workspaceId)])
  return new Set([...emails, ...(workspace === undefined ? [] : [workspace.inbound_address])].map(mailboxOf))
}

/**
 * The recipients of a reply, without duplicates. Our own addresses are left out, unless there is no other. A reply to a
 * received mail goes to its `Reply-To`, unless that contains only our own addresses. Addresses to which no mail can be
 * sent are left out.
 *
 * @throws Failure VALIDATION_ERROR if no address remains
 */
export function recipientsOfReply(
  original: Pick<CorrespondenceRecord, 'direction' | 'from' | 'to' | 'cc' | 'reply_to'>,
  replyAll: boolean,
  own: Set<string>,
): { to: string[]; cc: string[] } {
  const isOurs = original.direction === 'outbound'
  const senders = [original.reply_to, [original.from]].map((some) => sendable(some.map(writeMailAddress)))
  const isOther = (written: string) => !isOwn(mailboxIn(written), own)
  const targets = isOurs
    ? original.to
    : (senders.find((some) => some.some(isOther)) ?? senders.find((some) => some.length > 0) ?? [])
  if (targets.length === 0) throw nobodyToReplyTo()
  const seen = new Set<string>()
  const isNew = (written: string) => {
    const mailbox = mailboxIn(written)
    return isOther(written) && !seen.has(mailbox) && seen.add(mailbox) !== undefined
  }
  // A mail that only a colleague wrote or received: the reply goes to the colleague.
  const kept = targets.some(isOther) ? targets.filter(isNew) : [...new Set(targets)]
  if (!replyAll) return { to: kept, cc: [] }
  return {
    to: [...kept, ...(isOurs ? [] : sendable(original.to).filter(isNew))],
    cc: sendable(original.cc).filter(isNew),
  }
}

/** The addresses to which mail can be sent, in the form of `writeMailAddress`. */
function sendable(addresses: string[]): string[] {
  return addresses.flatMap((written) => {
    const address = readMailAddress(written)
    return address === undefined
      ? []
      : [writeMailAddress({ ...address, name: readable(address.name ?? '') || null })]
  })
}

/**
 * U+FFFD replaces bytes that could not be decoded. Inputs with it are refused, so a draft with it could not be saved.
 */
function readable(received: string): string {
  return received.replaceAll('\ufffd', '?')
}

/** Whether an address is one of ours, also with `+anything` (I2). */
function isOwn(mailbox: string, own: Set<string>): boolean {
  return own.has(mailbox) || own.has(baseMailboxOf(mailbox))
}

/** The earlier messages of the thread: `References`, or else `In-Reply-To` (RFC 5322, 3.6.4). */
function ancestorsOf({ references, in_reply_to }: CorrespondenceRecord): string[] {
  return references.length === 0 && in_reply_to !== null ? [in_reply_to] : references
}

/** The author, as written in the line above a quotation. */
function authorOf({ from }: Pick<CorrespondenceRecord, 'from'>): string {
  return from.email === '' ? (from.name ?? 'unbekannt') : writeMailAddress(from)
}

function nobodyToReplyTo(): Failure {
  return invalid('The mail has no address to reply to. Forward it, or write a new mail.', [
    { path: 'body.correspondence_id', message: 'This mail has no sender to whom mail can be sent.' },
  ])
}

function tooManyAttachments(): Failure {
  return invalid(`A mail has at most ${maxAttachments} attachments. Write a new mail with some of them.`, [
    { path: 'body.correspondence_id', message: `This mail has more than ${maxAttachments} attachments.` },
  ])
}

function notReadYet(): Failure {
  return conflict(
    'EXTRACTION_PENDING',
    'The mail has just arrived and is still being read. Try again in a moment.',
    { retryAfterSeconds: 2 },
  )
}

/** The subject with this prefix instead of all prefixes of mail programs. */
export function prefixed(prefix: 'Re: ' | 'Fwd: ', subject: string): string {
  const bare = subject.replace(/^\s*((re|aw|antw|antwort|wg|fwd?)\s*(\[\d+\]\s*)?:\s*)+/i, '')
  return readable(beginningOf(`${prefix}${bare}`, maxSubjectLength)).trimEnd()
}

/** `20.11.2026 um 14:03` in local time. */
function localTimeOf(instant: string, timeZone = 'Europe/Berlin'): string {
  const local = withOffset(new Date(instant), timeZone)
  return `${germanDay(local.slice(0, 10))} um ${local.slice(11, 16)}`
}
