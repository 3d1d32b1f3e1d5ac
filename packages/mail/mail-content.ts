import type { MailContent, ReceivedFile } from '#correspondence/reception-ports.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { percentDecoded } from '#kernel/percent-decoded.ts'
import { withoutTokens } from './link-tokens.ts'
import { mailFacts } from './mail-facts.ts'
import { type ReadAttachment, type ReadMail, readMail } from './read-mail.ts'

/** A picture under this size to which the HTML refers stays in the body, up to `maxPictureBytes` in total (I3). */
const smallPictureBytes = 10 * 1024

/** The maximum size of all pictures of a body together. The API returns them with the body. */
const maxPictureBytes = 512 * 1024

/**
 * The maximum length of the text and the HTML of a body as they are shown. The API streams both, with the pictures, in
 * one response. The raw message has the rest.
 */
const maxTextCharacters = 512 * 1024
const maxHtmlBytes = 2 * 1024 * 1024

/** The maximum number of characters kept for the triage, which reads fewer (`packages/triage/limits.ts`). */
const maxFactsCharacters = 100_000

/**
 * Reads a raw message: its bodies as they are shown, its files, and the facts for the triage (I3).
 *
 * A picture under 10 KB to which the HTML refers is part of the body, up to 512 KiB of pictures together. Every other
 * attachment is a file, byte for byte. This includes calendar parts, attached messages, signatures and `winmail.dat`.
 * The files in `winmail.dat` come after it, and those in an S/MIME signature before it. Nothing is decrypted, and no
 * archive is unpacked.
 *
 * The bodies and the facts have asterisks in place of the tokens of our links, because a reply may quote our mail.
 *
 * @param htmlOf returns HTML that is safe to show, made from the HTML of an untrusted mail or from its text. It keeps
 *   `cid:` pictures and never throws.
 * @returns a function that reads a message. For a message beyond the limits it returns `refused: 'too_large'`
 */
export function mailContent(htmlOf: (sent: Pick<ReadMail, 'html' | 'text'>) => Promise<string>) {
  return async (raw: Uint8Array): Promise<MailContent | { refused: string }> => {
    let message: ReadMail
    try {
      const read = await readMail(raw)
      message = { ...read, text: withoutTokens(read.text) }
    } catch (error) {
      if (error instanceof FormatFault) return { refused: error.kind }
      throw error
    }
    const { inline, files } = splitAttachments(message)
    const body_text = shortened(message.text, message.is_cut)
    const html = withoutTokens(await htmlOf(message))
    const facts = mailFacts(
      { ...message, text: message.text.slice(0, maxFactsCharacters), attachments: files },
      { received_on: '', verdict: 'unknown', texts: [] },
    )
    return {
      body: {
        body_text,
        body_html:
          Buffer.byteLength(html) > maxHtmlBytes ? await htmlOf({ html: null, text: body_text }) : html,
        inline_images: inline.map(({ content_id, mime_type, bytes }) => ({
          content_id,
          mime_type,
          data: Buffer.from(bytes).toString('base64'),
        })),
      },
      protection: message.protection,
      files,
      facts,
    }
  }
}

function shortened(text: string, isCut: boolean): string {
  const readable = text.toWellFormed()
  if (readable.length <= maxTextCharacters && !isCut) return readable
  return `${readable.slice(0, maxTextCharacters).toWellFormed()}\n\n[Gekürzt. Die Nachricht selbst ist vollständig.]`
}

type InlinePicture = ReadAttachment & { content_id: string }

/** Splits the attachments into the small pictures of the body and all others. */
function splitAttachments({ html, attachments }: ReadMail): {
  inline: InlinePicture[]
  files: ReceivedFile[]
} {
  const referred = contentIdsIn(html ?? '')
  let left = maxPictureBytes
  const isInline = (attachment: ReadAttachment): attachment is InlinePicture => {
    const { content_id, mime_type, bytes } = attachment
    const isSmall = bytes.length > 0 && bytes.length < smallPictureBytes && bytes.length <= left
    const isPicture = /^image\/(png|jpe?g|gif|webp|bmp)$/i.test(mime_type)
    if (!isSmall || !isPicture || content_id === null || !referred.has(content_id)) return false
    left -= bytes.length
    return true
  }
  const inline: InlinePicture[] = []
  const files: ReceivedFile[] = []
  for (const attachment of attachments) {
    if (isInline(attachment)) inline.push(attachment)
    else files.push(attachment)
  }
  return { inline, files }
}

const maxReferences = 2_000

/** The content ids that HTML refers to by `cid:`, without angle brackets. */
function contentIdsIn(html: string): Set<string> {
  const ids = new Set<string>()
  for (const [, written = ''] of html.matchAll(/\bcid:([^\s"'<>()]{1,250})/gi)) {
    ids.add(written.replaceAll('&amp;', '&'))
    ids.add(percentDecoded(written))
    if (ids.size > maxReferences) break
  }
  return ids
}
