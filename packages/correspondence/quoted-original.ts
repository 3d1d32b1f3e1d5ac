import { escapeHtml } from '#kernel/escape-html.ts'
import { failureOf } from '#kernel/failure.ts'
import { percentDecoded } from '#kernel/percent-decoded.ts'
import { beginningOf } from '#kernel/text.ts'
import type { CorrespondenceRecord, MailBody, MailDocuments, MailFiles } from './ports.ts'
import { readBody } from './read-body.ts'
import { maxBodyBytes } from './schema.ts'
import type { MailHtml } from './sending-ports.ts'

/**
 * The clean body of a reply or forward: `opening`, then the quoted original. Pictures to which the original refers by
 * `cid:` become `data:` pictures, as many as fit into a body. The others are replaced by their alternative texts. If
 * the HTML of the original is too long or too complicated, its text is quoted, as much as fits.
 */
export async function quotedOriginal(
  deps: { files: Pick<MailFiles, 'read'>; documents: MailDocuments; html: MailHtml },
  original: CorrespondenceRecord,
  opening: string,
): Promise<string> {
  const body = await readBody(deps.files, original)
  const quoted = (content: string) =>
    deps.html.clean(`${opening}<blockquote type="cite">${content}</blockquote>`)
  const content = body.body_html === '' ? asHtml(body.body_text) : body.body_html
  const room = maxBodyBytes - Buffer.byteLength(opening) - Buffer.byteLength(content) - reserveBytes
  const withPictures = await withPictureData(deps, original, { ...body, body_html: content }, room)
  for (const candidate of new Set([withPictures, content])) {
    try {
      const whole = await quoted(candidate)
      if (Buffer.byteLength(whole) <= maxBodyBytes) return whole
    } catch (error) {
      // The original may already have the maximum nesting or number of pictures, and quoting adds to both.
      if (failureOf(error)?.kind !== 'invalid') throw error
    }
  }
  // An escaped character has at most six bytes.
  const longest = Math.floor((maxBodyBytes - Buffer.byteLength(opening)) / 6) - reserveBytes
  return quoted(`${asHtml(beginningOf(body.body_text, longest))}<p>[…]</p>`)
}

/** Bytes that are reserved for the tags around the original. */
const reserveBytes = 1_000

/** An `img` tag in clean HTML with a `cid:` address. Groups: the text before `cid:`, the content id, the quote. */
const picture = /(<img\b[^>]*?\ssrc=")cid:([^"]*)(")/gi

/** The HTML with `data:` instead of `cid:` pictures, up to `room` bytes of them. */
async function withPictureData(
  deps: { files: Pick<MailFiles, 'read'>; documents: MailDocuments },
  original: CorrespondenceRecord,
  { body_html, inline_images }: MailBody,
  room: number,
): Promise<string> {
  const uses = new Map<string, number>()
  for (const [, , written = ''] of body_html.matchAll(picture))
    uses.set(contentIdOf(written), (uses.get(contentIdOf(written)) ?? 0) + 1)
  if (uses.size === 0) return body_html
  const small = new Map(inline_images.map((one) => [one.content_id, one]))
  const attached = await attachedPictures(deps.documents, original, [...uses.keys()])
  const sources = new Map<string, string>()
  let left = room
  for (const [contentId, count] of uses) {
    const found = small.get(contentId)
    const document = attached.get(contentId)
    const length = found?.data.length ?? Math.ceil((document?.size_bytes ?? 0) / 3) * 4
    const needed = count * (length + maxPrefixBytes)
    if (needed > left || (found === undefined && document === undefined)) continue
    left -= needed
    const data = found?.data ?? Buffer.from(await deps.files.read(document?.key ?? '')).toString('base64')
    sources.set(contentId, `data:${(found ?? document)?.mime_type};base64,${data}`)
  }
  return body_html.replace(picture, (tag, before: string, written: string, after: string) => {
    const source = sources.get(contentIdOf(written))
    return source === undefined ? tag : `${before}${source}${after}`
  })
}

/** More than the length of `data:image/jpeg;base64,`, which replaces `cid:` and the id. */
const maxPrefixBytes = 40

/** The attached documents with these content ids, if they still exist and are pictures. */
async function attachedPictures(
  documents: MailDocuments,
  { workspace_id, attachments }: CorrespondenceRecord,
  contentIds: string[],
) {
  const named = attachments.filter(
    ({ content_id, mime_type }) =>
      content_id !== null && contentIds.includes(content_id) && pictureType.test(mime_type),
  )
  if (named.length === 0) return new Map<string, never>()
  const ids = [...new Set(named.map(({ document_id }) => document_id))]
  const found = new Map((await documents.findAll(workspace_id, ids)).map((one) => [one.id, one]))
  return new Map(
    named.flatMap(({ content_id, document_id, mime_type }) => {
      const document = found.get(document_id)
      return document?.is_complete ? [[content_id ?? '', { ...document, mime_type }] as const] : []
    }),
  )
}

const pictureType = /^image\/(png|jpe?g|gif|webp)$/i

/** The content id as the message part states it: without HTML entities and percent-encoding. */
function contentIdOf(written: string): string {
  const id = written
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  return percentDecoded(id)
}

function asHtml(text: string): string {
  return `<p style="white-space: pre-wrap">${escapeHtml(text)}</p>`
}
