import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'

let firm: Firm
let sealed: Uint8Array
let envelope: Awaited<ReturnType<typeof sendEnvelope>>
beforeAll(async () => {
  firm = await newFirm()
  envelope = await sendEnvelope(firm, { fields: { title: 'Vollmacht <Meier>' } })
  const one = visitor(firm, await envelope.link())
  await one.open()
  await one.sign()
  await envelope.untilCompleted()
  sealed = (await one.ask('GET', `/copies/${envelope.documents[0]?.id}`)).bytes
})

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const anybody = (...asked: Parameters<ReturnType<typeof api>>) => api(firm.baseUrl, undefined)(...asked)
const verify = (body: unknown) => anybody('POST', '/api/v1/signing/verify', { body })
const html = { Accept: 'text/html' }

describe('verification', () => {
  it('knows a sealed file by its digest, in either case of letters, without a key', async () => {
    const { title, id, completed_at, signers } = await envelope.get()

    const { status, body } = await verify({ sha256: digest(sealed).toUpperCase() })

    expect(status).toBe(200)
    expect(body).toEqual({
      known: true,
      office: { workspace_id: firm.workspace.id, name: 'Kanzlei im Test' },
      envelope: { id, title, completed_at },
      document: { filename: 'Vollmacht (signiert).pdf' },
      signers: [{ name: 'Anna Meier', signed_at: signers[0].signed_at }],
    })
  })

  it('does not know a file of which one byte was changed, nor the original', async () => {
    const changed = sealed.slice()
    changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1
    const original = new TextEncoder().encode('Vollmacht')

    const answers = await Promise.all([changed, original].map((bytes) => verify({ sha256: digest(bytes) })))

    expect(answers.map(({ body }) => body)).toEqual([{ known: false }, { known: false }])
  })

  it.each([
    {},
    { sha256: null },
    { sha256: 'abc' },
    { sha256: 'g'.repeat(64) },
    { sha256: 'a'.repeat(10_000) },
  ])('of %o is refused', async (body) => {
    expect((await verify(body)).status).toBe(400)
  })
})

describe('the page that verifies', () => {
  it('answers a digest that is entered by hand, in German and English, and is never kept', async () => {
    const path = `/verify?sha256=${digest(sealed)}`
    const german = await anybody('GET', path, { headers: html })
    const english = await anybody('GET', path, { headers: { ...html, 'Accept-Language': 'en' } })
    const head = await anybody('HEAD', '/verify', { headers: html })

    expect([german.status, english.status, head.status]).toEqual([200, 200, 200])
    expect(german.body).toContain('Diese Datei ist gesiegelt und unverändert')
    expect(german.body).toContain('Vollmacht &#60;Meier&#62;')
    for (const { body } of [german, english]) expect(body).toContain(firm.workspace.id)
    expect(english.body).toContain('This file is sealed and unchanged')
    expect(german.headers.get('cache-control')).toBe('no-store')
    expect(german.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(german.headers.get('content-security-policy')).not.toContain('connect-src')
    expect(german.body).not.toMatch(/https?:\/\/|enctype/)
  })

  it.each(['abc', '', `<script>${'x'.repeat(60)}`])('says that %s is no digest', async (entered) => {
    const { status, body } = await anybody('GET', `/verify?sha256=${encodeURIComponent(entered)}`, {
      headers: html,
    })

    expect(status).toBe(200)
    expect(body).toContain('Das ist kein SHA-256')
    expect(body).not.toContain('<script>x')
  })

  it('has a field for a file that belongs to no form', async () => {
    const { body } = await anybody('GET', '/verify', { headers: html })

    const form = /<form[\s\S]*<\/form>/.exec(body)?.[0] ?? ''
    expect(body).toContain('type="file"')
    expect(form).toContain('name="sha256"')
    expect(form).not.toContain('type="file"')
    expect(/<input type="file"[^>]*>/.exec(body)?.[0]).not.toContain('name=')
  })
})
