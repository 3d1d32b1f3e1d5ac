import { escapeHtml } from '#kernel/escape-html.ts'
import { percentDecoded } from '#kernel/percent-decoded.ts'
import { beginningOf } from '#kernel/text.ts'
import { pictureOf } from './html-attributes.ts'
import { withoutStyles } from './mail-bodies.ts'
import { cleanHtml } from './mail-html.ts'

/** The maximum lengths in characters: of the HTML without styles, scripts and comments, and of the clean HTML. */
const maxVisible = 2 * 1024 * 1024
const maxClean = 2 * 1024 * 1024

/** The maximum size of all `data:` pictures together, in characters. Pictures that do not fit are removed. */
const maxPictureData = 512 * 1024

/** The maximum number of characters of a text that are shown. */
const maxText = 300_000

/**
 * Makes the HTML of a received mail safe to show (I3). Like `mailHtml`, it keeps only tags, attributes and styles of an
 * allowlist: no scripts, handlers, forms, frames or style sheets. Remote pictures are removed, because fetching one
 * shows its owner that the mail was read. Pictures in the mail are kept as `cid:<content id>`, and small `data:`
 * pictures as well.
 *
 * If there is no HTML, or it is too large or too complicated, the result is the text as HTML. The function never
 * throws, and ends within seconds for any input.
 */
export async function inboundHtml({ html, text }: { html: string | null; text: string }): Promise<string> {
  if (html === null) return htmlOfText(text)
  const visible = withoutStyles(html)
  if (visible.length > maxVisible) return htmlOfText(text)
  try {
    const clean = await cleanHtml(visible, 'html', pictureFilter())
    return clean.length > maxClean ? htmlOfText(text) : clean
  } catch {
    // A limit was exceeded, or the parser failed: the mail is shown as text.
    return htmlOfText(text)
  }
}

/** The `pictureFor` of `cleanHtml`. It keeps `cid:` pictures, and `data:` pictures up to a limit. */
function pictureFilter(): (source: string | undefined) => string | undefined {
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

/** A `cid:` address without the percent-encoding of its content id (RFC 2392). */
function contentAddress(source: string): string | undefined {
  const [, written] = /^\s{0,9}cid:([^\s"'<>]{1,750})\s{0,9}$/i.exec(source) ?? []
  if (written === undefined) return undefined
  const id = percentDecoded(written)
  return /^[^\s"'<>\p{Cc}]{1,250}$/u.test(id) ? `cid:${id}` : undefined
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
