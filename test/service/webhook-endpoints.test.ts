import { describe, expect, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'
import { addHook, receivers } from '#test/support/webhook-receiver.ts'

/** Endpoints of webhooks, over HTTP (E3). */

const path = '/api/v1/webhooks/endpoints'
const receiver = receivers()

describe('an endpoint', () => {
  it('is created with a secret that is shown once, and changed, listed and deleted', async () => {
    const { owner } = await newFirm()
    const created = await owner('POST', path, { body: { url: 'https://kanzlei.example/hook' } })
    const { secret, ...shown } = created.body
    const changed = await owner('PATCH', `${path}/${shown.id}`, {
      body: {
        url: 'https://kanzlei.example/neu',
        description: 'Portal',
        event_types: ['case.*', 'mail.sent', 'case.*'],
      },
    })
    const listed = await owner('GET', path)
    const got = await owner('GET', `${path}/${shown.id}`)
    const deleted = await owner('DELETE', `${path}/${shown.id}`)

    expect(created.status).toBe(201)
    expect(shown).toMatchObject({
      event_types: ['*'],
      status: 'active',
      disabled_reason: null,
      description: null,
    })
    expect(secret).toMatch(/^whsec_/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    expect(changed.body).toMatchObject({
      url: 'https://kanzlei.example/neu',
      description: 'Portal',
      event_types: ['case.*', 'mail.sent'],
    })
    expect(listed.body.data).toEqual([changed.body])
    expect(got.body).toEqual(changed.body)
    expect(deleted.status).toBe(204)
    expect((await owner('GET', `${path}/${shown.id}`)).status).toBe(404)
    expect((await owner('GET', path)).body.data).toEqual([])
  })

  it('has a description as long as any other (G8)', async () => {
    const { owner } = await newFirm()
    const create = (length: number) =>
      owner('POST', path, {
        body: { url: 'https://kanzlei.example/hook', description: 'ü'.repeat(length) },
      })

    const [longest, longer] = [await create(20_000), await create(20_001)]

    expect([longest.status, longest.body.description.length]).toEqual([201, 20_000])
    expect([longer.status, longer.body.error.details[0].path]).toEqual([400, 'body.description'])
  })

  it('keeps its secret from a repeated answer, and so from the table', async () => {
    const { owner } = await newFirm()
    const ask = (at: string) => {
      const headers = { 'Idempotency-Key': crypto.randomUUID() }
      const body = at === path ? { url: 'https://kanzlei.example/hook' } : {}
      return () => owner('POST', at, { body, headers })
    }
    const create = ask(path)
    const created = await create()
    const rotate = ask(`${path}/${created.body.id}/rotate-secret`)
    const rotated = await rotate()

    const again = [await create(), await rotate()]

    const { secret, ...shown } = created.body
    expect([secret, rotated.body.secret]).toEqual(Array(2).fill(expect.stringMatching(/^whsec_/)))
    expect(again.map(({ status, body }) => [status, body])).toEqual([
      [201, shown],
      [200, {}],
    ])
    expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true', 'true'])
  })

  it('is in the audit of the firm with who has added it, and neither its address nor its secret is', async () => {
    const { owner, ownerUser } = await newFirm()
    const hook = await addHook(owner, 'https://kanzlei.example/hook')

    const { data } = (await owner('GET', '/api/v1/audit?action=endpoint.created')).body

    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      actor: { type: 'user', id: ownerUser.id },
      ref: { type: 'webhook_endpoint', id: hook.id },
    })
    expect(JSON.stringify(data)).not.toMatch(/kanzlei|whsec/)
  })

  it.each([
    'http://10.0.0.1/hook',
    'http://192.168.0.10/hook',
    'http://172.16.0.1/hook',
    'http://100.64.0.1/hook',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://0.0.0.0/hook',
    'http://[::]/hook',
    'http://[fd00::1]/hook',
    'http://[fe80::1]/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://[64:ff9b::a00:1]/hook',
    'http://[2002:a00:1::]/hook',
    'http://224.0.0.1/hook',
    'http://0xA9FEA9FE/hook',
    'http://2852039166/hook',
    'http://0251.0376.0251.0376/hook',
    'ftp://kanzlei.example/hook',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'kanzlei.example/hook',
    'https://user:secret@kanzlei.example/hook',
    'https://user@kanzlei.example/hook',
    'https://kanzlei.example/hook#part',
    'https://kanzlei.example/hook#',
    'https://',
  ])('at %s is refused, when it is created and when it is changed', async (url) => {
    const { owner } = await newFirm()
    const hook = await addHook(owner, 'https://kanzlei.example/hook')

    const created = await owner('POST', path, { body: { url } })
    const changed = await owner('PATCH', `${path}/${hook.id}`, { body: { url } })

    for (const { status, body } of [created, changed])
      expect([status, body.error.code]).toEqual([400, 'URL_NOT_ALLOWED'])
    expect((await owner('GET', path)).body.data).toHaveLength(1)
  })

  it.each([
    ['no address', {}],
    ['an empty address', { url: '' }],
    ['an address that is too long', { url: `https://kanzlei.example/${'x'.repeat(2_000)}` }],
    ['an unknown type', { url: 'https://kanzlei.example/', event_types: ['case.invented'] }],
    ['no types', { url: 'https://kanzlei.example/', event_types: [] }],
    ['a type that is no text', { url: 'https://kanzlei.example/', event_types: [7] }],
    [
      'too many types',
      { url: 'https://kanzlei.example/', event_types: Array.from({ length: 101 }, () => '*') },
    ],
  ])('with %s is refused', async (_, body) => {
    const { owner } = await newFirm()

    const refused = await owner('POST', path, { body })

    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('is one of at most twenty, also if many are created at once', async () => {
    const { owner } = await newFirm()
    const create = (at: number) => owner('POST', path, { body: { url: `https://kanzlei.example/${at}` } })
    const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => create(at)))

    const made = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 409)
    expect([made.length, refused.length]).toEqual([20, 4])
    expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(new Set(['WEBHOOK_ENDPOINT_LIMIT']))
    await owner('DELETE', `${path}/${made[0]?.body.id}`)
    expect((await create(99)).status).toBe(201)
  })

  it('is for administrators of its own firm only', async () => {
    const [firm, other] = await Promise.all([newFirm(), newFirm()])
    const hook = await addHook(firm.owner, 'https://kanzlei.example/hook')
    const clerk = await firm.withScopes('cases:read', 'cases:write')

    expect((await clerk('GET', path)).status).toBe(403)
    expect((await other.owner('GET', `${path}/${hook.id}`)).body.error.code).toBe(
      'WEBHOOK_ENDPOINT_NOT_FOUND',
    )
    expect((await other.owner('POST', `${path}/${hook.id}/rotate-secret`, { body: {} })).status).toBe(404)
    expect((await other.owner('POST', `${path}/${hook.id}/test`)).status).toBe(404)
  })
})

describe('a test of an endpoint', () => {
  it('sends webhook.test now, which is not in the log', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    const hook = await addHook(owner, target.url)

    const { status, body } = await owner('POST', `${path}/${hook.id}/test`)

    expect([status, body]).toEqual([
      200,
      { delivered: true, status_code: 204, duration_ms: expect.any(Number), error: null },
    ])
    expect(target.received.map(({ event }) => [event.type, event.data])).toEqual([
      ['webhook.test', { id: hook.id, case_id: null }],
    ])
    expect((await owner('GET', `${path}/${hook.id}/deliveries`)).body.data).toEqual([])
    expect((await owner('GET', '/api/v1/webhooks/events')).body.data).toEqual([])
  })

  it.each([
    ['an error', 500],
    ['a redirect', 302],
    ['410', 410],
  ])('says what came if the receiver answers %s, and the endpoint stays active', async (_, code) => {
    const { owner } = await newFirm()
    const target = await receiver(code)
    const hook = await addHook(owner, target.url)

    const { body } = await owner('POST', `${path}/${hook.id}/test`)

    expect(body).toMatchObject({ delivered: false, status_code: code, error: 'not_2xx' })
    expect((await owner('GET', `${path}/${hook.id}`)).body.status).toBe('active')
  })

  it('says that nobody has answered', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    const hook = await addHook(owner, target.url)
    await target.close()

    const { body } = await owner('POST', `${path}/${hook.id}/test`)

    expect(body).toMatchObject({ delivered: false, status_code: null, error: 'connection_failed' })
  })

  it('ends after fifteen seconds if the receiver hangs', async () => {
    const { owner } = await newFirm()
    const target = await receiver(() => {})
    const hook = await addHook(owner, target.url)

    const { body } = await owner('POST', `${path}/${hook.id}/test`)

    expect(body).toMatchObject({ delivered: false, status_code: null, error: 'timeout' })
    expect(body.duration_ms).toBeGreaterThanOrEqual(15_000)
    expect(body.duration_ms).toBeLessThan(25_000)
  })
})
