import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { callBea, logIn } from '#test/support/bea-client.ts'
import { beaInfos, sendBea } from '#test/support/bea-sending.ts'

let simulator: BeaSimulator
beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})
afterAll(() => simulator.close())

const form = 'application/x-www-form-urlencoded'

/** Sends a request with any headers; `fetch` would set some of them itself. */
function send(path: string, headers: Record<string, string>, body: string | Buffer, method = 'POST') {
  return new Promise<{ status: number; headers: object; text: string }>((resolve, reject) => {
    const request = httpRequest(new URL(path, simulator.url), { method, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    request.on('error', reject).end(body)
  })
}

const call = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send('/bea_login_step1', { 'Content-Type': form, 'bex-ident': simulator.ident, ...headers }, body)

describe('the form of a call', () => {
  // The standard base64 of this text has +, / and padding.
  const json = JSON.stringify({ thumbprint: '?>~xy?>~' })
  const standard = Buffer.from(json).toString('base64')

  it.each([
    ['standard base64', standard],
    ['standard base64 whose + became a space', standard.replaceAll('+', ' ')],
    ['standard base64 with %-escapes', encodeURIComponent(standard)],
    ['standard base64 without padding', standard.replace(/=+$/, '')],
    ['URL-safe base64 without padding', Buffer.from(json).toString('base64url')],
    ['URL-safe base64 with padding', standard.replaceAll('+', '-').replaceAll('/', '_')],
  ])('may be %s', async (_, encoded) => {
    const { status, text } = await call(`j=${encoded}`)

    expect(standard).toMatch(/\+.*\/|\/.*\+/)
    expect(status).toBe(200)
    expect(text).toContain('malformed: thumbprint')
  })

  it.each([
    ['nothing', ''],
    ['another field', 'k=e30'],
    ['two fields', 'j=e30&k=e30'],
    ['no base64', 'j=e30!'],
    ['no JSON', `j=${Buffer.from('hallo').toString('base64url')}`],
    ['half JSON', `j=${Buffer.from('{"a":').toString('base64url')}`],
    ['JSON that is not an object', `j=${Buffer.from('[1]').toString('base64url')}`],
    ['bytes that are not UTF-8', `j=${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}`],
  ])('must not be %s', async (_, body) => {
    const { status, text } = await call(body)

    expect(status).toBe(400)
    expect(JSON.parse(text).error).toMatch(/body|field j/)
  })

  it('is refused without the right bex-ident, and with another type, method or function', async () => {
    const statuses = [
      await call('j=e30', { 'bex-ident': 'somebody' }),
      await call('j=e30', { 'Content-Type': 'text/plain' }),
      await send('/bea_login_step1', { 'bex-ident': simulator.ident }, '', 'GET'),
      await send('/bea_get_everything', { 'Content-Type': form, 'bex-ident': simulator.ident }, 'j=e30'),
    ]

    expect(statuses.map(({ status }) => status)).toEqual([403, 415, 405, 404])
  })
})

describe('the server', () => {
  const json = { 'Content-Type': 'application/json' }
  const calls = '{"calls":true}'

  it('listens on the loopback interface', () => {
    expect(new URL(simulator.url).hostname).toBe('127.0.0.1')
  })

  it.each([
    ['another host', { ...json, Host: 'evil.example' }, 403],
    ['a host whose name begins with this one', { ...json, Host: '127.0.0.1.evil.example' }, 403],
    ['a web page in a browser', { ...json, Origin: 'http://evil.example' }, 403],
    ['a form in a browser', { 'Content-Type': 'text/plain' }, 415],
  ])('refuses %s, for control and for calls', async (_, headers, status) => {
    const control = await send('/control', headers as Record<string, string>, calls)
    const bea = await send(
      '/bea_check_session',
      { ...headers, 'bex-ident': simulator.ident } as Record<string, string>,
      'j=e30',
    )

    expect(control.status).toBe(status)
    expect(bea.status === 403 || bea.status === 415).toBe(true)
    expect(control.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('answers control under the name localhost, and refuses a wrong command with 400', async () => {
    const { port } = new URL(simulator.url)
    const fine = await send('/control', { ...json, Host: `localhost:${port}` }, calls)
    const wrong = await send('/control', json, '{"set":{"rotation":"sometimes"}}')
    const broken = await send('/control', json, '{')

    expect(fine.status).toBe(200)
    expect([wrong.status, broken.status]).toEqual([400, 400])
  })

  it('continues after callers disconnect in the middle of a body, or do not send HTTP', async () => {
    const { port } = new URL(simulator.url)
    const head = `POST /bea_login_step1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${form}\r\nbex-ident: ${simulator.ident}\r\nContent-Length: 1000\r\n\r\nj=`
    for (const text of [head, 'garbage\r\n\r\n', '\0\0\0']) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      await new Promise((resolve) => socket.write(text, resolve))
      socket.destroy()
    }

    expect(await callBea(simulator, 'bea_check_session', { token: 't' })).toHaveProperty('error')
  })

  it('refuses a body by its Content-Length, without reading it', async () => {
    const { status } = await call('j=e30', { 'Content-Length': String(400 * 1024 * 1024) })

    expect(status).toBe(413)
  })

  it('accepts a message with 60 MB of files and returns it', async () => {
    const session = await logIn(simulator, simulator.certificates.lindner)
    const bytes = Buffer.alloc(20_000_000, 'x')
    const files = ['a.pdf', 'b.pdf', 'c.pdf'].map((name) => ({ name, bytes }))
    const { messageId } = await sendBea(
      session,
      safeIds.lindner,
      beaInfos({ receivers: [safeIds.demir], attachments: files.map(({ name }) => name) }),
      files,
    )
    const message = await session.call('bea_get_message', { messageId })

    const sizes = message.attachments.map(({ data }: { data: string }) => Buffer.byteLength(data, 'base64'))
    expect(sizes.slice(-3)).toEqual([20_000_000, 20_000_000, 20_000_000])
  })
})
