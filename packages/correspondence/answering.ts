import { withOffset } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { Failure, failureOf, notFound } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import { mailboxOf, readMailAddress, writeMailAddress } from './address-schema.ts'
import { bodyKey } from './keys.ts'
import { addDraft, type NewDraftDeps } from './new-drafts.ts'
import type { MailContent } from './outgoing-mail.ts'
import type {
  CorrespondenceRecord,
  CorrespondenceStore,
  MailBody,
  MailFiles,
  MailHtml,
  MailUsers,
  MailWorkspaces,
} from './ports.ts'
import {
  type Draft,
  type ForwardInput,
  maxAttachmentBytes,
  maxBodyBytes,
  type ReplyInput,
  type Signature,
} from './schema.ts'

export type AnsweringDeps = NewDraftDeps & {
  store: Pick<CorrespondenceStore, 'find'>
  files: Pick<MailFiles, 'read' | 'remove'>
  html: MailHtml
  users: MailUsers
  workspaces: MailWorkspaces
  /** The domain of the ids that the provider gives messages. */
  providerDomain: string
}

export type AnsweringService = ReturnType<typeof answeringService>

/** Replies and forwards as stored drafts (M7), and the signature that they bear (M8). */
export function answeringService(deps: AnsweringDeps) {
  const { store, files, users, workspaces, documents, html, providerDomain } = deps

  const requireMail = async ({ workspace_id }: Actor, id: string): Promise<CorrespondenceRecord> => {
    const record = await store.find(workspace_id, id)
    if (record === undefined) throw notFound('CORRESPONDENCE_NOT_FOUND')
    return record
  }

  const signatureOf = async ({ workspace_id, user_id }: Actor): Promise<string> =>
    (await users.find(workspace_id, user_id))?.signature_html ?? ''

  /** An empty paragraph, the signature, and the original under a line that says when who wrote it. */
  const quotation = async (actor: Actor, original: CorrespondenceRecord): Promise<string> => {
    const [signature, workspace, bytes] = await Promise.all([
      signatureOf(actor),
      workspaces.find(actor.workspace_id),
      files.read(bodyKey(original)),
    ])
    const body: MailBody = JSON.parse(new TextDecoder().decode(bytes))
    const at = original.sent_at ?? original.received_at ?? original.created_at
    const opening =
      '<p><br></p>' +
      signature +
      `<p>Am ${moment(at, workspace?.time_zone)} schrieb ${escapeHtml(writeMailAddress(original.from))}:</p>`
    return fitting(html, opening, body)
  }

  const add = async (actor: Actor, content: MailContent): Promise<Draft> => {
    const adding = addDraft(deps, actor, content).catch((error: unknown) => {
      // The case was deleted; its mail still names it (C8).
      const isGone = error instanceof Failure && error.code === 'CASE_NOT_FOUND'
      if (!isGone) throw error
      return addDraft(deps, actor, { ...content, case_id: null })
    })
    const { record, body } = await adding
    return { ...record, body_html: body }
  }

  return {
    /** A reply to the sender, or to the recipients of our own mail; `reply_all` adds the others. @throws Failure CORRESPONDENCE_NOT_FOUND */
    async reply(actor: Actor, { correspondence_id, reply_all }: ReplyInput): Promise<Draft> {
      const original = await requireMail(actor, correspondence_id)
      const own = await ownMailboxes(deps, actor.workspace_id)
      return add(actor, {
        ...recipientsOfReply(original, reply_all, own),
        bcc: [],
        subject: prefixed('Re: ', original.subject),
        body_html: await quotation(actor, original),
        case_id: original.case_id,
        document_ids: [],
        attachments_as: 'files',
        in_reply_to: original.header_message_id,
        references: [...original.references, ...knownIds(original, providerDomain)],
      })
    },

    /**
     * A mail with the same attachments to nobody yet; it begins a new thread. Documents that were deleted since are
     * left out. Over 6 MiB the attachments are sent as links. @throws Failure CORRESPONDENCE_NOT_FOUND
     */
    async forward(actor: Actor, { correspondence_id }: ForwardInput): Promise<Draft> {
      const original = await requireMail(actor, correspondence_id)
      const ids = original.attachments.map(({ document_id }) => document_id)
      const found = ids.length === 0 ? [] : await documents.findAll(actor.workspace_id, ids)
      const attached = found.filter(({ is_complete }) => is_complete)
      const present = new Set(attached.map(({ id }) => id))
      const sizeBytes = attached.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
      return add(actor, {
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
      })
    },

    /** The signature of the calling user; empty where none is set (M8). */
    signature: async (actor: Actor): Promise<Signature> => ({ signature_html: await signatureOf(actor) }),
  }
}

/** The ids under which recipients may know a message: ours, and the one that the provider puts in its place (M4). */
export function knownIds(
  { header_message_id, message_id, direction }: CorrespondenceRecord,
  providerDomain: string,
): string[] {
  if (direction === 'inbound' || message_id === null) return [header_message_id]
  return [header_message_id, `<${message_id}@${providerDomain}>`]
}

/** Our own addresses: the workspace's inbound address and its users' (M7). */
async function ownMailboxes(
  { users, workspaces }: Pick<AnsweringDeps, 'users' | 'workspaces'>,
  workspaceId: string,
): Promise<Set<string>> {
  const [workspace, emails] = await Promise.all([workspaces.find(workspaceId), users.emails(workspaceId)])
  return new Set([...emails, ...(workspace === undefined ? [] : [workspace.inbound_address])].map(mailboxOf))
}

/** Who gets a reply: nobody twice, and none of our own addresses unless it is the only one. */
export function recipientsOfReply(
  original: Pick<CorrespondenceRecord, 'direction' | 'from' | 'to' | 'cc'>,
  replyAll: boolean,
  own: Set<string>,
): { to: string[]; cc: string[] } {
  const isOurs = original.direction === 'outbound'
  const targets = isOurs ? original.to : [writeMailAddress(original.from)]
  const others = targets.filter((written) => !own.has(mailboxIn(written)))
  const seen = new Set(own)
  const isNew = (written: string) => {
    const mailbox = mailboxIn(written)
    return !seen.has(mailbox) && seen.add(mailbox) !== undefined
  }
  // A mail to a colleague alone is answered to the colleague.
  const kept = others.length > 0 ? others.filter(isNew) : [...new Set(targets)]
  if (!replyAll) return { to: kept, cc: [] }
  return { to: [...kept, ...(isOurs ? [] : original.to.filter(isNew))], cc: original.cc.filter(isNew) }
}

function mailboxIn(written: string): string {
  return mailboxOf(readMailAddress(written)?.email ?? written)
}

const maxSubjectLength = 998

/** The subject with one prefix in the place of those that mail programs have put before it. */
export function prefixed(prefix: 'Re: ' | 'Fwd: ', subject: string): string {
  const bare = subject.replace(/^(\s*(re|aw|antw|antwort|wg|fwd?)\s*(\[\d+\])?\s*:)+\s*/i, '')
  return beginningOf(`${prefix}${bare}`, maxSubjectLength).trimEnd()
}

/** `20.11.2026 um 14:03` in local time. */
function moment(instant: string, timeZone = 'Europe/Berlin'): string {
  const local = withOffset(new Date(instant), timeZone)
  const [year, month, day] = local.slice(0, 10).split('-')
  return `${day}.${month}.${year} um ${local.slice(11, 16)}`
}

/** The opening and the quoted original. Of an original that is too long, its text, as much as fits. */
async function fitting(
  { clean }: MailHtml,
  opening: string,
  { body_html, body_text }: MailBody,
): Promise<string> {
  const quoted = (content: string) => clean(`${opening}<blockquote type="cite">${content}</blockquote>`)
  try {
    const whole = await quoted(body_html)
    if (Buffer.byteLength(whole) <= maxBodyBytes) return whole
  } catch (error) {
    // Quoting adds a level to HTML that may have had as many as are allowed.
    if (failureOf(error)?.kind !== 'invalid') throw error
  }
  // A character has at most six bytes as it is escaped here.
  const room = Math.floor((maxBodyBytes - Buffer.byteLength(opening)) / 6) - 1_000
  return quoted(`<p style="white-space: pre-wrap">${escapeHtml(beginningOf(body_text, room))}</p><p>[…]</p>`)
}
