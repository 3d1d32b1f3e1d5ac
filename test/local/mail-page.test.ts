import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gateway, openGateway } from '#infra/local/gateway.ts'
import { type MailEnvelope, mailFolder } from '#infra/local/mail-folder.ts'
import { mailPages } from '#infra/local/mail-pages.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { json, localFunction } from '#test/support/local-function.ts'

const folder = newDataFolder()
const messages = mailFolder(join(folder, 'mail'))
let gateway: Gateway
let hostile: string
let multipart: string
let deep: string

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  writeFileSync(join(folder, 'credentials.json'), 'secret')
  for (let at = 0; at < 58; at += 1)
    await add(`From: a@b.de\r\nSubject: Nummer ${at}\r\n\r\nText ${at}`, at, { subject: `Nummer ${at}` })
  hostile = await add(hostileMessage, 100, {
    subject: '<script>alert(1)</script>',
    from: ['"><img src=x onerror=alert(2)> <a@b.de>'],
    destinations: ["<svg onload='alert(3)'>@example.com"],
    tags: { '<b>': '</table>' },
  })
  multipart = await add(multipartMessage, 101, { subject: 'Anlagen' })
  deep = await add(nestedMessage(400), 102, { subject: 'Tief' })
  gateway = await openGateway(0)
  gateway.serve(
    [localFunction(['/local/{rest}', '/other'], () => json({ from: 'function' }))],
    [mailPages(join(folder, 'mail'))],
  )
})
afterAll(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

function add(raw: string | Buffer, second: number, changes: Partial<MailEnvelope>): Promise<string> {
  return messages.add(
    {
      message_id: `0107019df2c5d400-${randomUUID()}-000000`,
      accepted_at: new Date(Date.UTC(2026, 4, 4, 12, 0, second)).toISOString(),
      source: 'a@b.de',
      destinations: ['mandant@example.com'],
      configuration_set: 'mail-test',
      tags: {},
      headers: [],
      headers_truncated: false,
      subject: '',
      from: ['a@b.de'],
      to: [],
      cc: [],
      date: null,
      header_message_id: null,
      ...changes,
    },
    Buffer.from(raw),
  )
}

const hostileMessage = [
  'From: "</title><script>alert(4)</script>" <a@b.de>',
  'To: "<b>x</b>" <c@d.de>',
  'Subject: =?utf-8?B?PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==?=',
  'X-Evil: <img src=x onerror=alert(5)>',
  '=?utf-8?Q?<script>?=: name',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  '</pre><script>alert(6)</script>',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hallo</p><script>alert(7)</script><img src="https://tracker.example/x.gif"><img src="cid:nothing">',
  '--b',
  'Content-Type: text/html',
  `Content-Disposition: attachment; filename*=utf-8''..%2F..%2F%22%3Cscript%3E%0D%0ASet-Cookie%3A%20x%3D1.html`,
  '',
  '<script>alert(8)</script>',
  '--b--',
  '',
].join('\r\n')

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(9)"/>'
const multipartMessage = [
  'From: a@b.de',
  'Subject: Anlagen',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=m',
  '',
  '--m',
  'Content-Type: multipart/related; boundary=r',
  '',
  '--r',
  'Content-Type: text/html; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Gr=FC=DFe</p><img src=3D"cid:logo@b.de"><img src=3D"cid:logo%40b.de"><img src=3D"cid:vector">',
  '--r',
  'Content-Type: image/png',
  'Content-ID: <logo@b.de>',
  'Content-Transfer-Encoding: base64',
  '',
  pixel.toString('base64'),
  '--r',
  'Content-Type: image/svg+xml',
  'Content-ID: <vector>',
  '',
  svg,
  '--r--',
  '--m',
  'Content-Type: application/pdf',
  "Content-Disposition: attachment; filename*=utf-8''K%C3%BCndigung%20%C2%A7%20626%20%F0%9F%98%80.pdf",
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('%PDF ä').toString('base64'),
  '--m--',
  '',
].join('\r\n')

function nestedMessage(depth: number): string {
  const opening = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  )
  return `From: a@b.de\r\nSubject: Tief\r\n${opening.join('')}\r\ntext`
}

const get = (path: string, init?: RequestInit) => fetch(`${gateway.baseUrl}${path}`, init)
const text = async (path: string) => (await get(path)).text()

/** A request as it stands there: fetch would tidy it up. */
async function raw(request: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('the list', () => {
  test('shows the newest first, fifty a page, each once', async () => {
    const first = await text('/local/mail')
    const [, older = ''] = /href="(\/local\/mail\?before=[^"]+)"/.exec(first) ?? []
    const second = await text(older)

    const names = (page: string) =>
      [...page.matchAll(/href="\/local\/mail\/([^"]+)"/g)].map(([, name = '']) => name)
    const all = [...names(first), ...names(second)]
    expect(names(first)).toHaveLength(50)
    expect(all.slice(0, 3)).toEqual([deep, multipart, hostile])
    expect(all).toEqual(all.toSorted().toReversed())
    expect(new Set(all).size).toBe(61)
    expect(second).toContain('Nummer 0<')
    expect(second).not.toContain('Older')
  })

  test('shows who sent what to whom', async () => {
    const page = await text('/local/mail')

    expect(page).toContain('2026-05-04 12:01:41')
    expect(page).toContain('mandant@example.com')
    expect(page).toContain('>Anlagen</a>')
  })

  test.each([
    '..',
    '%2e%2e',
    'x',
    '2026',
    '../credentials',
    '',
  ])('beginning at %j is no page', async (before) => {
    expect((await get(`/local/mail?before=${before}`)).status).toBe(404)
  })
})

describe('a hostile message', () => {
  test('is escaped wherever it is shown', async () => {
    const list = await text('/local/mail')
    const page = await text(`/local/mail/${hostile}`)

    for (const html of [list, page]) {
      expect(html).toContain('&#60;script&#62;alert(1)')
      expect(html).not.toMatch(/<(?:script|svg|img|b>)/i)
    }
    expect(page).toContain('&#60;/pre&#62;&#60;script&#62;alert(6)')
    expect(page).toContain('&#60;img src=x onerror=alert(5)&#62;')
    expect(page).toContain('<iframe sandbox="" ')
    expect(page.match(/<\/pre>/g)).toHaveLength(1)
    expect(page.match(/<\/title>/g)).toHaveLength(1)
  })

  test('finds no scripts allowed around it: the page has its own style alone', async () => {
    const { headers } = await get(`/local/mail/${hostile}`)

    const policy = headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('script-src')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('has its HTML in a frame that runs nothing and loads nothing, opened by itself too', async () => {
    const answer = await get(`/local/mail/${hostile}/html`)

    const policy = answer.headers.get('Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(['sandbox', "default-src 'none'", 'img-src data:', "form-action 'none'"]),
    )
    expect(policy).not.toMatch(/allow-|script-src|https?:/)
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(await answer.text()).toContain('<p>Hallo</p>')
  })

  test('has attachments that are only downloaded, under a name that adds no header', async () => {
    const answer = await get(`/local/mail/${hostile}/attachments/1`)

    expect(answer.headers.get('Content-Type')).toBe('application/octet-stream')
    expect(answer.headers.get('Content-Disposition')).toMatch(/^attachment; filename\*=UTF-8''[\w.%~-]+$/)
    expect(answer.headers.get('Set-Cookie')).toBeNull()
    expect(answer.headers.get('Content-Security-Policy')).toContain('sandbox')
    expect(await answer.text()).toContain('alert(8)')
  })

  test('that cannot be parsed is still shown, and can be downloaded', async () => {
    const page = await get(`/local/mail/${deep}`)
    const source = await get(`/local/mail/${deep}/message.eml`)

    expect(page.status).toBe(200)
    expect(await page.text()).toContain('cannot be parsed')
    expect(await source.text()).toBe(nestedMessage(400))
  })
})

describe('a message with pictures and attachments', () => {
  test('shows its own pictures, and no others', async () => {
    const html = await text(`/local/mail/${multipart}/html`)

    const data = `<img src="data:image/png;base64,${pixel.toString('base64')}">`
    expect(html).toContain(`<p>Grüße</p>${data}${data}`)
    expect(html).toContain('cid:vector')
  })

  test('lists its attachments with their names, and gives them byte for byte', async () => {
    const page = await text(`/local/mail/${multipart}`)
    const [, path = ''] = /href="([^"]+)">Kündigung § 626 😀\.pdf</.exec(page) ?? []
    const answer = await get(path)

    expect(answer.headers.get('Content-Disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('Kündigung § 626 😀.pdf')}`,
    )
    expect(await answer.text()).toBe('%PDF ä')
  })

  test('can be downloaded as it was sent', async () => {
    const answer = await get(`/local/mail/${multipart}/message.eml`)

    expect(await answer.text()).toBe(multipartMessage)
    expect(answer.headers.get('Content-Disposition')).toContain(`${multipart}.eml`)
  })
})

describe('nothing but messages is served:', () => {
  test.each([
    '/local/mail/../../credentials.json',
    '/local/mail/%2e%2e%2fcredentials.json',
    '/local/mail/..%2f..%2fcredentials.json',
    '/local/mail/..',
    '/local/mail/...',
    '/local/mail/x',
    '/local/mail/20260504T120000000Z-0107019df2c5d400-00000000-0000-4000-8000-000000000000-000000',
    '/local/mail/NAME.json',
    '/local/mail/NAME.eml',
    '/local/mail/NAME/..',
    '/local/mail/NAME/json',
    '/local/mail/NAME/attachments',
    '/local/mail/NAME/attachments/0',
    '/local/mail/NAME/attachments/9',
    '/local/mail/NAME/attachments/-1',
    '/local/mail/NAME/attachments/1e1',
    '/local/mail/NAME%00',
    '/local/mail//',
  ])('%s', async (path) => {
    const answer = await raw(
      `GET ${path.replace('NAME', multipart)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    )

    expect(answer).toMatch(/^HTTP\/1.1 404 /)
    expect(answer).not.toContain('secret')
  })

  test('other methods are refused', async () => {
    expect((await get('/local/mail', { method: 'POST' })).status).toBe(405)
    expect((await get(`/local/mail/${hostile}`, { method: 'DELETE' })).status).toBe(405)
    expect((await get('/local/mail', { method: 'HEAD' })).status).toBe(200)
  })

  test('other paths are those of the API', async () => {
    expect(await (await get('/other')).json()).toEqual({ from: 'function' })
    expect(await (await get('/local/mailbox')).json()).toEqual({ from: 'function' })
  })
})

describe('only who works on this machine sees them:', () => {
  const statusWith = async (headers: string) =>
    (await raw(`GET /local/mail HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)).slice(9, 12)

  test.each([
    'Host: attacker.example',
    'Host: attacker.example:3000',
    'Host: 127.0.0.1.attacker.example',
    'Host: localhost.attacker.example',
    'Host: attacker.example#127.0.0.1',
    'Host: 192.168.1.2',
    'Host: 0.0.0.0',
    'Host: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.1',
    'Host: localhost\r\nX-Forwarded-Host: tunnel.example',
    'Host: localhost\r\nForwarded: for=203.0.113.1',
  ])('%j is refused', async (headers) => {
    expect(await statusWith(headers)).toBe('403')
  })

  test.each([
    '127.0.0.1',
    '127.0.0.1:3000',
    'localhost:3000',
    'LOCALHOST',
    '[::1]:3000',
  ])('%s is here', async (host) => {
    expect(await statusWith(`Host: ${host}`)).toBe('200')
  })
})

test('where the environment names another SES there are no such pages', async () => {
  const other = await openGateway(0)
  other.serve([])

  const answer = await fetch(`${other.baseUrl}/local/mail`)
  await other.close()

  expect(answer.status).toBe(404)
})
