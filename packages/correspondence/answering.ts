import { germanDay } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { conflict, Failure, invalid, required, unknownAt } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { requireScope } from '#kernel/require-scope.ts'
import { beginningOf } from '#kernel/text.ts'
import { baseMailboxOf, mailboxOf, readMailAddress, writeMailAddress } from './address-schema.ts'
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

export type AnsweringDeps = NewDraftDeps & {
  store: Pick<CorrespondenceStore, 'find'>
  files: Pick<MailFiles, 'read' | 'remove'>
  html: MailHtml
  users: MailUsers
  workspaces: MailWorkspaces
  /** The domain of the ids that the provider gives messages. */
  providerDomain: string
  /** Whether the addresses belong to one organisation, by their domains. */
  areAddressesOfOneOrganization: (one: string, other: string) => Promise<boolean>
}

export type AnsweringService = ReturnType<typeof answeringService>

/** Replies and forwards as stored drafts (M7), and the signature that they bear (M8). */
export function answeringService(deps: AnsweringDeps) {
  const { store, users, workspaces, documents, providerDomain } = deps

  const requireMail = async ({ workspace_id }: Actor, id: string): Promise<CorrespondenceRecord> => {
    const found = await store.find(workspace_id, id)
    const record = required(found, 'CORRESPONDENCE_NOT_FOUND', unknownAt('body.correspondence_id', id))
    if (record.status === 'received') throw stillUnread()
    return record
  }

  const signatureOf = async ({ workspace_id, user_id }: Actor): Promise<string> =>
    (await users.find(workspace_id, user_id))?.signature_html ?? ''

  /** An empty paragraph, the signature, and the original under a line that says when who wrote it. */
  const quotation = async (actor: Actor, original: CorrespondenceRecord): Promise<string> => {
    const [signature, workspace] = await Promise.all([
      signatureOf(actor),
      workspaces.find(actor.workspace_id),
    ])
    const at = original.sent_at ?? original.received_at ?? original.created_at
    const opening =
      '<p><br></p>' +
      signature +
      `<p>Am ${moment(at, workspace?.time_zone)} schrieb ${escapeHtml(authorOf(original))}:</p>`
    return quotedOriginal(deps, original, opening)
  }

  const add = (actor: Actor, content: MailContent, warnings: string[] = []): Promise<Answered<Draft>> => {
    const viewOf = (record: DraftRecord, body_html: string) => ({ ...record, body_html })
    return addDraft(deps, actor, content, viewOf, warnings).catch((error: unknown) => {
      // The case was deleted; its mail still names it (C8).
      const isGone = error instanceof Failure && error.code === 'CASE_NOT_FOUND'
      if (!isGone) throw error
      return addDraft(deps, actor, { ...content, case_id: null }, viewOf, warnings)
    })
  }

  return {
    /**
     * A reply to `Reply-To` or the sender, or to the recipients of our own mail; `reply_all` adds the others. It warns if
     * `Reply-To` leads to another organisation than the sender's.
     *
     * @throws Failure CORRESPONDENCE_NOT_FOUND, EXTRACTION_PENDING while a received mail is not read, VALIDATION_ERROR
     *   if it names nobody who could be answered, or more than 50
     */
    async reply(actor: Actor, { correspondence_id, reply_all }: ReplyInput): Promise<Answered<Draft>> {
      const original = await requireMail(actor, correspondence_id)
      const own = await ownMailboxes(deps, actor.workspace_id)
      const recipients = recipientsOfReply(original, reply_all, own)
      const warnings = await elsewhere(deps, original, recipients.to)
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
     * A mail with the same attachments to nobody yet; it begins a new thread. Documents that were deleted since are
     * left out. Over 6 MiB the attachments are sent as links.
     *
     * @throws Failure CORRESPONDENCE_NOT_FOUND, AUTH_INSUFFICIENT_SCOPE, EXTRACTION_PENDING while a received mail is
     *   not read, VALIDATION_ERROR if it has more than 100 attachments
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

    /** The signature of the calling user; empty if none is set (M8). */
    signature: async (actor: Actor): Promise<Signature> => ({ signature_html: await signatureOf(actor) }),
  }
}

/** Warnings about recipients from `Reply-To` whose domain is of another organisation than the sender's. */
async function elsewhere(
  { areAddressesOfOneOrganization }: Pick<AnsweringDeps, 'areAddressesOfOneOrganization'>,
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

/** Our own addresses: the workspace's inbound address and its users' (M7). */
async function ownMailboxes(
  { users, workspaces }: Pick<AnsweringDeps, 'users' | 'workspaces'>,
  workspaceId: string,
): Promise<Set<string>> {
  const [workspace, emails] = await Promise.all([workspaces.find(workspaceId), users.emails(workspaceId)])
  return new Set([...emails, ...(workspace === undefined ? [] : [workspace.inbound_address])].map(mailboxOf))
}

/**
 * The recipients of a reply: nobody twice, and none of our own addresses unless it is the only one. `Reply-To` of a
 * received mail leads if it names somebody else than us. Addresses to which nothing can be sent are left out.
 *
 * @throws Failure VALIDATION_ERROR if nobody is left
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
  if (targets.length === 0) throw nobodyToAnswer()
  const seen = new Set<string>()
  const isNew = (written: string) => {
    const mailbox = mailboxIn(written)
    return isOther(written) && !seen.has(mailbox) && seen.add(mailbox) !== undefined
  }
  // A mail to a colleague alone is answered to the colleague.
  const kept = targets.some(isOther) ? targets.filter(isNew) : [...new Set(targets)]
  if (!replyAll) return { to: kept, cc: [] }
  return {
    to: [...kept, ...(isOurs ? [] : sendable(original.to).filter(isNew))],
    cc: sendable(original.cc).filter(isNew),
  }
}

/** The addresses to which mail can be sent, as `writeMailAddress` writes them. */
function sendable(addresses: string[]): string[] {
  return addresses.flatMap((written) => {
    const address = readMailAddress(written)
    return address === undefined
      ? []
      : [writeMailAddress({ ...address, name: readable(address.name ?? '') || null })]
  })
}

/** U+FFFD stands for bytes that could not be read. Inputs must not have it, so a draft with it could not be saved again. */
function readable(received: string): string {
  return received.replaceAll('\ufffd', '?')
}

/** Whether an address is ours. Our addresses with `+anything` are ours, too (I2). */
function isOwn(mailbox: string, own: Set<string>): boolean {
  return own.has(mailbox) || own.has(baseMailboxOf(mailbox))
}

function mailboxIn(written: string): string {
  return mailboxOf(readMailAddress(written)?.email ?? written)
}

/** The earlier messages of the thread. A mail without `References` names one in `In-Reply-To` (RFC 5322, 3.6.4). */
function ancestorsOf({ references, in_reply_to }: CorrespondenceRecord): string[] {
  return references.length === 0 && in_reply_to !== null ? [in_reply_to] : references
}

/** The author as the line above a quotation names them. */
function authorOf({ from }: Pick<CorrespondenceRecord, 'from'>): string {
  return from.email === '' ? (from.name ?? 'unbekannt') : writeMailAddress(from)
}

function nobodyToAnswer(): Failure {
  return invalid('The mail names nobody who could be answered. Forward it, or write a new mail.', [
    { path: 'body.correspondence_id', message: 'This mail has no sender to whom mail can be sent.' },
  ])
}

function tooManyAttachments(): Failure {
  return invalid(`A mail has at most ${maxAttachments} attachments. Write a new mail with some of them.`, [
    { path: 'body.correspondence_id', message: `This mail has more than ${maxAttachments} attachments.` },
  ])
}

function stillUnread(): Failure {
  return conflict(
    'EXTRACTION_PENDING',
    'The mail has just arrived and is still being read. Try again in a moment.',
    { retryAfterSeconds: 2 },
  )
}

/** The subject with one prefix instead of all prefixes that mail programs have put before it. */
export function prefixed(prefix: 'Re: ' | 'Fwd: ', subject: string): string {
  const bare = subject.replace(/^\s*((re|aw|antw|antwort|wg|fwd?)\s*(\[\d+\]\s*)?:\s*)+/i, '')
  return readable(beginningOf(`${prefix}${bare}`, maxSubjectLength)).trimEnd()
}

/** `20.11.2026 um 14:03` in local time. */
function moment(instant: string, timeZone = 'Europe/Berlin'): string {
  const local = withOffset(new Date(instant), timeZone)
  return `${germanDay(local.slice(0, 10))} um ${local.slice(11, 16)}`
}
