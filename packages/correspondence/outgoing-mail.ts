import { randomBytes } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { Failure, invalid, notFound } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bareUuid, newId } from '#kernel/id.ts'
import { withoutDirectionChanges } from '#kernel/text.ts'
import { type MailAddress, mailboxIn, readMailAddress } from './address-schema.ts'
import { requireAttachments } from './attachments.ts'
import { bodyKey, messageKey } from './keys.ts'
import type {
  AttachableDocument,
  CorrespondenceRecord,
  MailBody,
  MailDocuments,
  MailFiles,
  MailParties,
  MailTopic,
  MailUsers,
  MailWorkspaces,
  SharedLink,
} from './ports.ts'
import { type Draft, type DraftInput, maxBodyBytes, maxRecipients, sharedLinkDays } from './schema.ts'
import type { ComposeMail, MailHtml } from './sending-ports.ts'

/** The mail that a user sends. Addresses are as `writeMailAddress` gives them. */
export type MailContent = Pick<
  Draft,
  'to' | 'cc' | 'bcc' | 'subject' | 'body_html' | 'case_id' | 'attachments_as'
> & {
  document_ids: string[]
  /** The `Message-ID` of the mail to which it replies, and its own `References`. */
  in_reply_to: string | null
  references: string[]
}

/** The content of a new mail that is not a reply. Missing fields are empty. */
export function newContent(input: DraftInput): MailContent {
  return {
    to: input.to ?? [],
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject: input.subject ?? '',
    body_html: input.body_html ?? '',
    case_id: input.case_id ?? null,
    document_ids: input.attachments ?? [],
    attachments_as: input.attachments_as ?? 'files',
    in_reply_to: null,
    references: [],
  }
}

/** The names of the fields in the request, for refusals. */
export type ContentNames = { to: string; subject: string }

/** The user on whose behalf a mail is sent. Its From has the user's name and the address of the workspace (M4). */
export type Sender = { workspace_id: string; user_id: string }

/** Options for mails that differ from a user's mail. */
export type Preparation = {
  /** The failure if an attached document does not exist. */
  missing?: () => Failure
  /** The HTML to record instead of `body_html`, without the secrets of the recipient. */
  recordedHtml?: string
  about?: MailTopic
}

/** A mail whose message is stored and can be sent. */
export type PreparedMail = { record: CorrespondenceRecord; raw: Uint8Array; link: SharedLink | undefined }

export type PrepareDeps = {
  files: MailFiles
  documents: MailDocuments
  users: MailUsers
  workspaces: MailWorkspaces
  parties: Pick<MailParties, 'withEmail'>
  html: MailHtml
  compose: ComposeMail
  clock: Clock
}

/** The maximum number of ids in the `References` of a mail. */
const maxReferences = 20

/**
 * Checks a mail (M1 to M3), composes its message (M4), and stores the message and the bodies in the bucket. So the
 * message that is sent later is exactly the stored one. The message contains more than the bodies: the address of
 * shared documents, the tokens of links that the user has written into it, and everything that `recordedHtml` leaves
 * out.
 *
 * @throws Failure VALIDATION_ERROR, PAYLOAD_TOO_LARGE, DOCUMENT_NOT_FOUND or `missing`, UPLOAD_INCOMPLETE,
 * ATTACHMENT_TOO_LARGE, USER_NOT_FOUND, WORKSPACE_NOT_FOUND
 */
export async function prepareMail(
  deps: PrepareDeps,
  { workspace_id, user_id }: Sender,
  content: MailContent,
  options: { draft_id: string | null; baseUrl: string; names: ContentNames } & Preparation,
): Promise<PreparedMail> {
  requireSendable(content, options.names)
  const { to, cc, bcc } = distinctRecipients(content)
  const [attached, user, workspace, party_id] = await Promise.all([
    requireAttachments(
      deps.documents,
      workspace_id,
      content.document_ids,
      content.attachments_as,
      options.missing,
    ),
    deps.users.find(workspace_id, user_id),
    deps.workspaces.find(workspace_id),
    onlyParty(deps.parties, workspace_id, to),
  ])
  if (user === undefined) throw notFound('USER_NOT_FOUND')
  if (workspace === undefined) throw notFound('WORKSPACE_NOT_FOUND')

  const id = newId('correspondence')
  const now = deps.clock.now()
  const asLinks = content.attachments_as === 'links' && attached.length > 0
  const shared = asLinks
    ? sharedLink(attached, {
        workspace_id,
        id,
        case_id: content.case_id,
        now,
        time_zone: workspace.time_zone,
        baseUrl: options.baseUrl,
      })
    : undefined
  const { recordedHtml } = options
  const clean = await deps.html.clean(content.body_html)
  const shown = recordedHtml === undefined ? clean : await deps.html.clean(recordedHtml)
  const sent = await bothBodies(deps.html, clean + (shared?.html ?? ''))
  const recorded =
    shown === clean && shared === undefined
      ? sent
      : await bothBodies(deps.html, shown + (shared?.htmlWithoutAddress ?? ''))
  const from: MailAddress = { name: user.name, email: workspace.inbound_address }
  const [, domain = ''] = workspace.inbound_address.split('@')
  const record: CorrespondenceRecord = {
    workspace_id,
    id,
    direction: 'outbound',
    status: 'sending',
    user_id,
    draft_id: options.draft_id,
    about: options.about ?? null,
    from,
    to,
    cc,
    bcc,
    subject: content.subject,
    case_id: content.case_id,
    party_id,
    assigned_to: null,
    attachments: attached.map((document) => ({
      document_id: document.id,
      filename: document.filename,
      mime_type: document.mime_type,
      size_bytes: document.size_bytes,
      content_id: null,
    })),
    message_id: null,
    header_message_id: `<${bareUuid(id)}@${domain}>`,
    in_reply_to: content.in_reply_to,
    references: boundedReferences(content.references),
    sent_at: null,
    received_at: null,
    delivery: [],
    created_at: now.toISOString(),
    sending_since: now.toISOString(),
    lost_at: null,
    attempts: 1,
    refusal: null,
    status_reason: null,
    verdicts: null,
    sender_verified: null,
    sender_verified_reason: null,
    protection: 'none',
    triage: null,
    reply_to: [],
    inbox: null,
    teaches: { references: [], sender: null },
    version: 1,
  }
  const raw = await deps.compose({
    from,
    to: addressesOf(to),
    cc: addressesOf(cc),
    subject: content.subject,
    html: sent.body_html,
    text: sent.body_text,
    date: now,
    message_id: record.header_message_id,
    in_reply_to: record.in_reply_to,
    references: record.references,
    attachments: asLinks ? [] : await withBytes(deps.files, attached),
  })
  const bodies = Buffer.from(JSON.stringify(withoutTokens(deps.html, recorded)))
  const put = (key: string, bytes: Uint8Array, mimeType: string) =>
    deps.files.put(key, bytes, { mimeType, sha256: hexDigest(bytes) })
  await Promise.all([
    put(messageKey(record), raw, 'message/rfc822'),
    put(bodyKey(record), bodies, 'application/json'),
  ])
  return { record, raw, link: shared?.link }
}

/** The addresses in `to`, `cc` and `bcc`, without names. Domains are not changed. */
export function recipientsOf({ to, cc, bcc }: Pick<CorrespondenceRecord, 'to' | 'cc' | 'bcc'>): string[] {
  return addressesOf([...to, ...cc, ...bcc]).map(({ email }) => email)
}

/** @throws Failure VALIDATION_ERROR, PAYLOAD_TOO_LARGE */
export function requireSendable(content: MailContent, names: ContentNames): void {
  const faults = [
    ...(content.to.length === 0 ? [{ path: names.to, message: 'Name at least one recipient.' }] : []),
    ...(content.subject === '' ? [{ path: names.subject, message: 'A mail needs a subject.' }] : []),
  ]
  if (faults.length > 0) throw invalid('The mail cannot be sent yet.', faults)
  requireRecipients(content, names.to)
  requireBody(content.body_html)
}

/** Refuses more than 50 recipients over all three fields (M3). @throws Failure VALIDATION_ERROR */
export function requireRecipients(
  { to, cc, bcc }: Pick<MailContent, 'to' | 'cc' | 'bcc'>,
  path: string,
): void {
  if (to.length + cc.length + bcc.length <= maxRecipients) return
  throw invalid(`A mail has at most ${maxRecipients} recipients.`, [
    { path, message: `At most ${maxRecipients} over to, cc and bcc together.` },
  ])
}

/** Refuses a body of more than 1 MiB (M3). @throws Failure PAYLOAD_TOO_LARGE */
export function requireBody(html: string): void {
  if (html.length <= maxBodyBytes && Buffer.byteLength(html) <= maxBodyBytes) return
  throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', '`body_html` may have at most 1 MiB.')
}

/** The recipients without repeated mailboxes. The first occurrence is kept. */
function distinctRecipients({ to, cc, bcc }: Pick<MailContent, 'to' | 'cc' | 'bcc'>) {
  const seen = new Set<string>()
  const isNew = (written: string) => {
    const mailbox = mailboxIn(written)
    return !seen.has(mailbox) && seen.add(mailbox) !== undefined
  }
  return { to: to.filter(isNew), cc: cc.filter(isNew), bcc: bcc.filter(isNew) }
}

/** The party with one of these addresses. Null if no party or several have one. */
async function onlyParty(
  parties: Pick<MailParties, 'withEmail'>,
  workspaceId: string,
  to: string[],
): Promise<string | null> {
  const found = await Promise.all(
    addressesOf(to).map(({ email }) => parties.withEmail(workspaceId, email, 2)),
  )
  const [only, ...others] = new Set(found.flat())
  return only !== undefined && others.length === 0 ? only : null
}

function addressesOf(written: string[]): MailAddress[] {
  return written.map(addressOf)
}

function addressOf(written: string): MailAddress {
  return readMailAddress(written) ?? { name: null, email: written }
}

/** The ids of the first message of the thread and of the latest ones, at most `maxReferences`. */
export function boundedReferences(references: string[]): string[] {
  if (references.length <= maxReferences) return references
  return [...references.slice(0, 1), ...references.slice(1 - maxReferences)]
}

async function bothBodies({ textOf }: MailHtml, body_html: string): Promise<MailBody> {
  return { body_text: await textOf(body_html), body_html, inline_images: [] }
}

/** The bodies without tokens, since everybody with a magic link can sign, and more people may read mail. */
function withoutTokens(html: MailHtml, bodies: MailBody): MailBody {
  const { body_text, body_html } = bodies
  return {
    ...bodies,
    body_text: html.withoutTokens(body_text),
    body_html: html.withoutTokens(body_html),
  }
}

/** Reads one document after another, so that their bytes are in memory only once. */
async function withBytes(files: MailFiles, documents: AttachableDocument[]) {
  const attachments: { filename: string; mime_type: string; bytes: Uint8Array }[] = []
  for (const { filename, mime_type, key } of documents)
    attachments.push({ filename, mime_type, bytes: await files.read(key) })
  return attachments
}

/**
 * A link to the documents, and the HTML with this link for the message. Everybody who knows the address can fetch the
 * documents. So the record of the mail, and every mail that quotes it, contains only the names (`htmlWithoutAddress`).
 */
function sharedLink(
  documents: AttachableDocument[],
  about: {
    workspace_id: string
    id: string
    case_id: string | null
    now: Date
    time_zone: string
    baseUrl: string
  },
): { link: SharedLink; html: string; htmlWithoutAddress: string } {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(about.now.getTime() + sharedLinkDays * 86_400_000)
  const url = `${about.baseUrl}/shared/${token}`
  const until = new Intl.DateTimeFormat('de-DE', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: about.time_zone,
  })
  const names = documents.map(({ filename }) => escapeHtml(withoutDirectionChanges(filename)))
  const listed = (items: string[]) =>
    `<p>Dokumente zum Abruf bis ${until.format(expiresAt)} Uhr:</p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
  return {
    link: {
      token_sha256: hexDigest(token),
      workspace_id: about.workspace_id,
      correspondence_id: about.id,
      case_id: about.case_id,
      id: newId('sharedLink'),
      documents: documents.map(({ id, filename, case_id }) => ({ document_id: id, filename, case_id })),
      expires_at: expiresAt.toISOString(),
    },
    html: listed(names.map((name) => `<a href="${url}">${name}</a>`)),
    htmlWithoutAddress: listed(names),
  }
}
