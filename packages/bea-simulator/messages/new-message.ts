import * as z from 'zod'
import { courtCodes, findIdentity } from '../directory/identities.ts'
import { wireIdentity } from '../directory/wire-identity.ts'
import { GatewayError } from '../gateway-error.ts'
import { type BaseFolder, baseFolders, type Network } from '../network/network.ts'
import type { Randomness } from '../randomness.ts'
import { makePdf } from './make-pdf.ts'
import { type Attachment, type Message, usualPackaging } from './postbox-message.ts'

/** A file of a new message: a PDF with a text, given bytes, or a number of unique bytes. */
const NewAttachment = z.strictObject({
  name: z.string().min(1),
  type: z.enum(['SCHRIFTSATZ', 'ATTACHMENT', '']).default('ATTACHMENT'),
  text: z.string().optional(),
  base64: z.string().optional(),
  size_bytes: z.int().min(1).max(80_000_000).optional(),
})

const Packaging = z.strictObject({
  cipher: z.enum(['gcm', 'cbc', 'cbc_iv']),
  text: z.enum(['beaMessage', 'project_coco', 'govello_coco', 'none']),
  layout: z.enum(['direct', 'content']),
  keys: z.enum(['each', 'one', 'attachment']),
  showsSubject: z.boolean(),
  showsSender: z.boolean(),
})

/** A message that somebody else has sent. Missing members get usual values; times are now. */
export const NewMessage = z.strictObject({
  /** SAFE-IDs of the directory. The message goes into the postbox of `to`; with SENT, into the postbox of `from`. */
  to: z.string(),
  from: z.string(),
  folder: z.enum(baseFolders.map(([type]) => type) as [BaseFolder, ...BaseFolder[]]).default('INBOX'),
  subject: z.string().default(''),
  body: z.string().default(''),
  received: z.string().optional(),
  reference_number: z.string().default(''),
  reference_justice: z.string().default(''),
  confidential: z.boolean().default(false),
  urgent: z.boolean().default(false),
  /** With `xjustiz_nachricht.xml`, which requests a receipt if `eeb_requested` is true. */
  xjustiz: z.boolean().default(false),
  eeb_requested: z.boolean().default(false),
  /** With the text as `Nachrichtentext.pdf`. */
  text_as_pdf: z.boolean().default(false),
  attachments: z.array(NewAttachment).max(1_000).default([]),
  packaging: Packaging.partial().default({}),
  /** The number of messages. Each has its number at the end of the subject, and its own files. */
  count: z.int().min(1).max(100_000).default(1),
})

export type NewMessage = z.input<typeof NewMessage>

/**
 * Puts new messages into a postbox.
 *
 * @returns their ids
 * @throws GatewayError for a SAFE-ID that is not in the directory
 */
export async function addMessages(
  network: Network,
  random: Randomness,
  given: z.output<typeof NewMessage>,
  now: Date,
): Promise<string[]> {
  const pdf = await makePdf(given.subject, given.body)
  const messages: { message: Message; attachments: Attachment[] }[] = []
  const ids: string[] = []
  const owner = isIncoming(given.folder) ? given.to : given.from
  const { id: folderId } = network.baseFolder(identityOf(owner).safeId, given.folder)
  const flush = () => {
    network.transaction(() => {
      for (const { message, attachments } of messages.splice(0))
        ids.push(network.addMessage(folderId, message, attachments))
    })
  }
  for (let at = 1; at <= given.count; at += 1) {
    const subject = given.count === 1 ? given.subject : `${given.subject} ${at}`
    messages.push(await oneMessage({ ...given, subject }, random, now, pdf))
    if (messages.length === messagesOfTransaction) flush()
  }
  flush()
  return ids
}

const messagesOfTransaction = 50

/** Messages in the other folders were sent by the owner of the postbox. */
function isIncoming(folder: BaseFolder): boolean {
  return folder === 'INBOX' || folder === 'TRASH'
}

function identityOf(safeId: string) {
  const found = findIdentity(safeId)
  if (found === undefined) throw new GatewayError(`The directory has no ${safeId}.`, 400)
  return found
}

async function oneMessage(
  given: z.output<typeof NewMessage>,
  random: Randomness,
  now: Date,
  bodyPdf: Buffer,
): Promise<{ message: Message; attachments: Attachment[] }> {
  const sender = identityOf(given.from)
  const received = given.received ?? now.toISOString()
  const osciMessageId = uuidOf(random)
  const attachments = await Promise.all(given.attachments.map((it) => attachmentOf(it, random, bodyPdf)))
  const names = attachments.map(({ name }) => name)
  const head = {
    senderReference: given.reference_justice || given.reference_number,
    receiverReference: given.reference_justice ? given.reference_number : '',
    createdAt: received,
    ownId: osciMessageId,
    sender: {
      name: sender.name,
      court: courtCodes.find(({ safeId }) => safeId === sender.safeId)?.code ?? null,
    },
  }
  if (given.text_as_pdf)
    attachments.unshift({ name: 'Nachrichtentext.pdf', type: 'ATTACHMENT', bytes: bodyPdf })
  if (given.xjustiz) {
    const { documentsRecord } = await import('./xjustiz-record.ts')
    const xml = documentsRecord(head, { names, asksForReceipt: given.eeb_requested })
    attachments.push({ name: 'xjustiz_nachricht.xml', type: 'ATTACHMENT', bytes: Buffer.from(xml) })
  }
  const { reference_number: referenceNumber, reference_justice: referenceJustice } = given
  const message: Message = {
    osciMessageId,
    subject: given.subject,
    body: given.body,
    sender: wireIdentity(sender),
    addressees: [wireIdentity(identityOf(given.to))],
    created: received,
    sent: received,
    received: isIncoming(given.folder) ? received : null,
    zugegangen: received,
    egvpStatus: 'ERFOLGREICH',
    referenceNumber,
    referenceJustice,
    urgent: given.urgent,
    checkRequired: false,
    confidential: given.confidential,
    eebRequested: given.eeb_requested,
    eeb: null,
    draft: null,
    packaging: { ...usualPackaging, ...given.packaging } as Message['packaging'],
  }
  return { message, attachments }
}

async function attachmentOf(
  { name, type, text, base64, size_bytes }: z.output<typeof NewAttachment>,
  random: Randomness,
  pdf: Buffer,
): Promise<Attachment> {
  if (base64 !== undefined) return { name, type, bytes: Buffer.from(base64, 'base64') }
  if (text !== undefined || size_bytes === undefined)
    return { name, type, bytes: await makePdf(name, text ?? name) }
  // PDF readers ignore everything after the end mark: here a comment that is unique to this file.
  const comment = Buffer.from(`\n%${random.bytes(16, 'content').toString('hex')}\n`)
  const filler = Buffer.alloc(Math.max(0, size_bytes - pdf.length - comment.length), 'x')
  return { name, type, bytes: Buffer.concat([pdf, comment, filler]) }
}

function uuidOf(random: Randomness): string {
  const hex = random.bytes(16, 'content').toString('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}
