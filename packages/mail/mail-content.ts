import type { MailContent, ReceivedFile } from '#correspondence/reception-ports.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { mailFacts } from './mail-facts.ts'
import { type ReadAttachment, type ReadMail, readMail } from './read-mail.ts'

/** Smaller pictures of the body do not become documents (I3). */
const smallPictureBytes = 10 * 1024

/** The most bytes of all pictures of a body, which is one answer of the API. */
const maxPictureBytes = 512 * 1024

/**
 * The most characters of a body that are shown. With its pictures a body is one answer of the API, of at most 6 MB. The
 * raw message has the rest.
 */
const maxTextCharacters = 512 * 1024
const maxHtmlBytes = 2 * 1024 * 1024

/** Characters of the text that are kept for the triage, which reads fewer. */
const maxFactsCharacters = 100_000

/**
 * Reads a raw message: its bodies as they are shown, its files, and the facts for the triage (I3).
 *
 * Pictures under 10 KB that only the HTML refers to are part of the body, up to half a mebibyte of them. Every other
 * attachment is a file, byte for byte: also calendar parts, messages, signatures and `winmail.dat`, which is followed
 * by its contents. Nothing is decrypted, and no archive is unpacked.
 *
 * @param htmlOf makes HTML from an unknown sender safe to show, or returns its text; it keeps `cid:` pictures and never
 * throws
 * @returns `too_large` for a message beyond the limits
 */
export function mailContent(htmlOf: (sent: Pick<ReadMail, 'html' | 'text'>) => Promise<string>) {
  return async (raw: Uint8Array): Promise<MailContent | { refused: string }> => {
    let message: ReadMail
    try {
      message = await readMail(raw)
    } catch (error) {
      if (error instanceof FormatFault) return { refused: error.kind }
      throw error
    }
    const { inline, files } = divided(message)
    const body_text = shown(message.text, message.is_cut)
    const html = await htmlOf(message)
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

function shown(text: string, isCut: boolean): string {
  const readable = text.toWellFormed()
  if (readable.length <= maxTextCharacters && !isCut) return readable
  return `${readable.slice(0, maxTextCharacters).toWellFormed()}\n\n[Gekürzt. Die Nachricht selbst ist vollständig.]`
}

type InlinePicture = ReadAttachment & { content_id: string }

/** Divides the attachments into small pictures of the body and all others. */
function divided({ html, attachments }: ReadMail): { inline: InlinePicture[]; files: ReceivedFile[] } {
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
    ids.add(decoded(written))
    if (ids.size > maxReferences) break
  }
  return ids
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
