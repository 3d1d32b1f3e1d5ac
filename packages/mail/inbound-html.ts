import { escapeHtml } from '#kernel/escape-html.ts'
import { beginningOf } from '#kernel/text.ts'
import { pictureOf } from './html-attributes.ts'
import { cleanHtml } from './mail-html.ts'
import { withoutStyles } from './message-bodies.ts'

/** So many characters of HTML are cleaned, without styles, scripts and comments; and so many may be left. */
const maxVisible = 2 * 1024 * 1024
const maxClean = 2 * 1024 * 1024

/** So many characters of `data:` pictures stay. */
const maxPictureData = 512 * 1024

/** Of a text so many characters are shown. */
const maxText = 300_000

/**
 * The HTML of a received mail as it may be shown (I3). As `mailHtml` does, it keeps what an allowlist names: no scripts,
 * handlers, forms, frames or style sheets, and nothing that would be fetched: no remote pictures, so that nobody learns that
 * the mail was read. Pictures of the mail itself stay as `cid:<content id>`; small `data:` pictures stay.
 *
 * Where there is no HTML, or it is too large or too complicated, it is the text. It never throws, and ends in seconds
 * whatever it is given.
 */
export async function inboundHtml({ html, text }: { html: string | null; text: string }): Promise<string> {
  if (html === null) return htmlOfText(text)
  const visible = withoutStyles(html)
  if (visible.length > maxVisible) return htmlOfText(text)
  try {
    const clean = await cleanHtml(visible, 'html', keptPictures())
    return clean.length > maxClean ? htmlOfText(text) : clean
  } catch {
    // Beyond a limit, or something that the parser does not bear: the mail is shown all the same.
    return htmlOfText(text)
  }
}

/** Which pictures stay. */
function keptPictures(): (source: string | undefined) => string | undefined {
  let left = maxPictureData
  return (source = '') => {
    const ofMail = contentAddress(source)
    if (ofMail !== undefined) return ofMail
    if (source.length > left) return undefined
    const picture = pictureOf(source)
    left -= picture?.length ?? 0
    return picture
  }
}

/** `cid:` and the content id as the part has it; in addresses it may be written with percent signs (RFC 2392). */
function contentAddress(source: string): string | undefined {
  const [, written] = /^\s{0,9}cid:([^\s"'<>]{1,750})\s{0,9}$/i.exec(source) ?? []
  if (written === undefined) return undefined
  const id = decoded(written)
  return /^[^\s"'<>\p{Cc}]{1,250}$/u.test(id) ? `cid:${id}` : undefined
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

function htmlOfText(text: string): string {
  const shown = beginningOf(text, maxText)
  const paragraphs = (shown.length < text.length ? `${shown} […]` : shown)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]+/gu, '')
    .trim()
    .split(/\n{2,}/)
  return paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll('\n', '<br />')}</p>`)
    .join('')
}
