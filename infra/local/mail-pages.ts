import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { percentDecoded } from '#kernel/percent-decoded.ts'
import { isDirectAndLocal } from '#loopback-http/loopback.ts'
import type { Answer } from './answer.ts'
import type { LocalPages } from './gateway.ts'
import { isMailName, mailFolder } from './mail-folder.ts'
import { listPage, messagePage, noticePage, pagePolicy } from './mail-page-html.ts'

/**
 * `/local/mail`: the messages that the local SES accepted, newest first, and a page for each. Below a message are
 * `html` (for the frame of its page), `message.eml` and `attachments/<number>`.
 *
 * A message may be hostile: all its texts are escaped, its HTML runs no script and loads nothing, and its attachments
 * can only be downloaded. No key is needed: everybody who works on this machine may read. Pages of other origins must
 * not, so requests that name another host or came through a proxy are refused (DNS rebinding, tunnels).
 */
export function mailPages(folder: string): LocalPages {
  const messages = mailFolder(folder)

  const list = async (before: string | undefined): Promise<Answer> => {
    const names = (await messages.names()).filter((name) => before === undefined || name < before)
    const shown = names.slice(0, messagesPerPage)
    const rows = await Promise.all(
      shown.map(async (name) => ({ name, envelope: await messages.envelope(name) })),
    )
    return page(200, listPage(rows, names.length > shown.length ? shown.at(-1) : undefined))
  }

  const show = async (name: string, part: string | undefined): Promise<Answer> => {
    const raw = await messages.read(name)
    if (raw === undefined) return notFound
    if (part === 'message.eml') return download(raw, `${name}.eml`)
    // The parser refuses a message if its nesting or header exceeds the limits.
    const email = await PostalMime.parse(raw, { rfc822Attachments: true }).catch(() => undefined)
    if (part === undefined) return page(200, messagePage(name, await messages.envelope(name), email))
    if (email === undefined) return notFound
    if (part === 'html') return email.html === undefined ? notFound : frame(withPictures(email.html, email))
    const attachment = email.attachments[Number(part.slice('attachments/'.length)) - 1]
    if (attachment === undefined) return notFound
    return download(bytesOf(attachment), attachment.filename ?? 'attachment')
  }

  return async ({ method, headers, path, query }) => {
    if (path !== '/local/mail' && !path.startsWith('/local/mail/')) return undefined
    if (!isDirectAndLocal(headers))
      return page(403, noticePage('These pages are shown on this machine only: http://127.0.0.1/local/mail'))
    if (method !== 'GET' && method !== 'HEAD')
      return {
        ...page(405, noticePage('Only GET.')),
        headers: [...htmlHeaders(pagePolicy), ['Allow', 'GET']],
      }
    const [, name, part] =
      /^\/local\/mail(?:\/([^/]+)(?:\/(html|message\.eml|attachments\/\d{1,6}))?)?\/?$/.exec(path) ?? []
    const before = new URLSearchParams(query).get('before') ?? undefined
    if (name !== undefined) return isMailName(name) ? show(name, part) : notFound
    const isList = /^\/local\/mail\/?$/.test(path) && (before === undefined || isMailName(before))
    return isList ? list(before) : notFound
  }
}

const messagesPerPage = 50

const shownPictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Replaces `cid:` addresses with the pictures of the message: the frame loads nothing. */
function withPictures(html: string, { attachments }: Email): string {
  const byId = new Map(
    attachments.flatMap((one) =>
      one.contentId === undefined || !shownPictures.has(one.mimeType)
        ? []
        : [[one.contentId.replace(/^<|>$/g, ''), one] as const],
    ),
  )
  return html.replaceAll(/\bcid:([^\s"'<>()]+)/gi, (written, id: string) => {
    const picture = byId.get(id) ?? byId.get(percentDecoded(id))
    return picture === undefined
      ? written
      : `data:${picture.mimeType};base64,${bytesOf(picture).toString('base64')}`
  })
}

function bytesOf({ content, encoding }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content, encoding ?? 'utf8')
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(content)
}

/** Allows no scripts, forms, working links or requests, also if the frame is opened by itself. */
const framePolicy =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

function frame(html: string): Answer {
  return { status: 200, headers: htmlHeaders(framePolicy), body: html }
}

function page(status: number, html: string): Answer {
  return { status, headers: htmlHeaders(pagePolicy), body: html }
}

const notFound = page(404, noticePage('There is no such message.'))

function download(bytes: Buffer, filename: string): Answer {
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll("'", '%27')
  return {
    status: 200,
    headers: [
      ['Content-Type', 'application/octet-stream'],
      ['Content-Disposition', `attachment; filename*=UTF-8''${encoded}`],
      ...commonHeaders("sandbox; default-src 'none'"),
    ],
    body: bytes,
  }
}

function htmlHeaders(policy: string): Answer['headers'] {
  return [['Content-Type', 'text/html; charset=utf-8'], ...commonHeaders(policy)]
}

function commonHeaders(policy: string): Answer['headers'] {
  return [
    ['Content-Security-Policy', policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['X-DNS-Prefetch-Control', 'off'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Cache-Control', 'no-store'],
  ]
}
