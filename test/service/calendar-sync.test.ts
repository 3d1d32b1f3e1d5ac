import { createServer } from 'node:http'
import ICAL from 'ical.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { type Radicale, radicaleIsThere, startRadicale } from '#test/support/radicale.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

const accounts = '/api/v1/calendar/sync/accounts'
const push = (by: Api, id: string) => by('POST', `/api/v1/calendar/sync/events/${id}/push`)
const status = async (by: Api) => (await by('GET', '/api/v1/calendar/sync/status')).body.accounts
const enter = async (by: Api, body: Record<string, unknown> = {}) =>
  (
    await by('POST', '/api/v1/events', {
      body: {
        title: 'Verhandlung; „Groß“',
        start: '2026-04-16T09:00:00+02:00',
        end: '2026-04-16T10:00:00+02:00',
        ...body,
      },
    })
  ).body

describe('without a server', () => {
  let firm: Firm
  beforeAll(async () => {
    firm = await newFirm()
  })
  const connect = (body: Record<string, unknown>) =>
    firm.owner('POST', accounts, {
      body: { provider: 'caldav', url: 'https://dav.example', username: 'u', password: 'p', ...body },
    })

  it.each([
    ['another provider', { provider: 'google' }],
    ['no address', { url: undefined }],
    ['an invalid address', { url: 'dav.example' }],
    ['another scheme', { url: 'file:///etc/passwd' }],
    ['credentials in the address', { url: 'https://u:p@dav.example/' }],
    ['a user name with a colon', { username: 'vogt:x' }],
    ['no password', { password: '' }],
    ['a password that is too long for KMS', { password: 'x'.repeat(401) }],
  ])('connecting is refused for %s', async (_, body) => {
    const answer = await connect(body)

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('connecting fails with 502 if nothing listens or the host name does not exist', async () => {
    const answers = [
      await connect({ url: 'http://127.0.0.1:1/' }),
      await connect({ url: 'https://does-not-exist.invalid/' }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([502, 'SYNC_FAILED']),
    )
  })

  it('a server without a calendar is 502, whatever it answers', async () => {
    const server = createServer((_, response) => response.end('<html>Hallo</html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0

    const answer = await connect({ url: `http://127.0.0.1:${port}/` })

    server.close()
    expect([answer.status, answer.body.error.code]).toEqual([502, 'SYNC_FAILED'])
    expect(JSON.stringify(answer.body)).not.toContain('Hallo')
  })

  it('without an account, a push is 409, the status is empty, and a disconnect is 404', async () => {
    const { id } = await enter(firm.owner)

    const pushed = await push(firm.owner, id)
    const unknown = await push(firm.owner, 'evt_unknown')
    const forgotten = await firm.owner('DELETE', `${accounts}/sync_unknown`)

    expect(await status(firm.owner)).toEqual([])
    expect([pushed.status, pushed.body.error.code]).toEqual([409, 'SYNC_NOT_CONNECTED'])
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'EVENT_NOT_FOUND'])
    expect([forgotten.status, forgotten.body.error.code]).toEqual([404, 'SYNC_ACCOUNT_NOT_FOUND'])
  })
})

describe.skipIf(!radicaleIsThere())('with a real CalDAV server', () => {
  let radicale: Radicale
  beforeAll(async () => {
    radicale = await startRadicale()
  })
  afterAll(() => radicale.stop())

  const connect = (by: Api, body: Record<string, unknown> = {}) =>
    by('POST', accounts, {
      body: {
        provider: 'caldav',
        url: radicale.baseUrl,
        username: radicale.username,
        password: radicale.password,
        ...body,
      },
    })
  const objectsOf = async (id: string) =>
    [...(await radicale.objects())].filter(([path]) => path.endsWith(`/${id}.ics`))

  it('an event that is pushed three times is there once, in its current state', async () => {
    const { owner } = await newFirm()
    const connected = await connect(owner)
    const { id } = await enter(owner)

    const first = await push(owner, id)
    const second = await push(owner, id)
    await owner('PATCH', `/api/v1/events/${id}`, { body: { title: 'Verlegt', location: 'Saal 2' } })
    const third = await push(owner, id.replace('evt_', ''))

    expect([connected.status, first.status, second.status, third.status]).toEqual([201, 200, 200, 200])
    expect(connected.body).toMatchObject({ provider: 'caldav', url: radicale.baseUrl, status: 'connected' })
    expect(first.body).toMatchObject({ event_id: id, account_id: connected.body.id })
    expect([second.body.external_id, third.body.external_id]).toEqual(Array(2).fill(first.body.external_id))
    const objects = await objectsOf(id)
    expect(objects).toHaveLength(1)
    const [[path, text] = ['', '']] = objects
    expect(first.body.external_id).toBe(radicale.baseUrl + path)
    const read = new ICAL.Event(
      new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent') ?? undefined,
    )
    expect([read.summary, read.location, read.startDate.toJSDate().toISOString()]).toEqual([
      'Verlegt',
      'Saal 2',
      '2026-04-16T07:00:00.000Z',
    ])
    expect(await status(owner)).toEqual([
      {
        id: connected.body.id,
        provider: 'caldav',
        url: radicale.baseUrl,
        status: 'connected',
        last_synced_at: third.body.pushed_at,
        last_error: null,
      },
    ])
  })

  it('an event that is deleted is removed there (K11)', async () => {
    const { owner } = await newFirm()
    await connect(owner)
    const { id } = await enter(owner)
    await push(owner, id)
    const before = await objectsOf(id)

    await owner('DELETE', `/api/v1/events/${id}`)

    expect(before).toHaveLength(1)
    await vi.waitFor(async () => expect(await objectsOf(id)).toEqual([]), {
      timeout: 110_000,
      interval: 1_000,
    })
  })

  it('pushes at the same time leave one object', async () => {
    const { owner } = await newFirm()
    await connect(owner)
    const { id } = await enter(owner)

    const answers = await Promise.all(Array.from({ length: 5 }, () => push(owner, id)))

    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(await objectsOf(id)).toHaveLength(1)
  })

  it('the calendar at the address is used, if there is one', async () => {
    const { owner } = await newFirm()
    const path = `/${radicale.username}/kanzlei/`
    await radicale.send(
      'MKCALENDAR',
      path,
      '<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>Kanzlei</displayname></prop></set></C:mkcalendar>',
    )
    await connect(owner, { url: radicale.baseUrl + path })
    const { id } = await enter(owner, { all_day: true, start: '2026-12-24', end: '2026-12-31' })

    const { body } = await push(owner, id)

    expect(body.external_id).toBe(`${radicale.baseUrl}${path}${id}.ics`)
    const [[, text] = ['', '']] = await objectsOf(id)
    expect(text).toContain('DTSTART;VALUE=DATE:20261224')
    expect(text).toContain('DTEND;VALUE=DATE:20270101')
  })

  it('refused credentials are 422, and nothing is stored', async () => {
    const { owner } = await newFirm()

    const { status: code, body } = await connect(owner, { password: 'falsch' })

    expect([code, body.error.code]).toEqual([422, 'SYNC_CREDENTIALS_REFUSED'])
    expect(JSON.stringify(body)).not.toContain('falsch')
    expect(await status(owner)).toEqual([])
  })

  it('other users cannot use a calendar that a user has connected', async () => {
    const firm = await newFirm()
    const colleague = await firm.colleague()
    const { body } = await connect(firm.owner)
    const { id } = await enter(firm.owner)

    expect(await status(colleague.api)).toEqual([])
    expect((await push(colleague.api, id)).status).toBe(409)
    expect((await colleague.api('DELETE', `${accounts}/${body.id}`)).status).toBe(404)
    expect(await status(firm.owner)).toHaveLength(1)
  })

  it('lists the accounts of the caller, newest first, without credentials (K11)', async () => {
    const firm = await newFirm()
    const colleague = await firm.colleague()
    const first = (await connect(firm.owner)).body
    const second = (await connect(firm.owner)).body

    const { status: code, body } = await firm.owner('GET', accounts)
    const { body: page } = await firm.owner('GET', `${accounts}?limit=1`)
    const { body: rest } = await firm.owner('GET', `${accounts}?limit=1&cursor=${page.pagination.cursor}`)

    expect(code).toBe(200)
    expect(body).toEqual({ data: [second, first], pagination: { cursor: null, has_more: false } })
    expect([...page.data, ...rest.data]).toEqual(body.data)
    expect((await colleague.api('GET', accounts)).body.data).toEqual([])
  })

  it('disconnects an account', async () => {
    const { owner } = await newFirm()
    const { body } = await connect(owner)
    const { id } = await enter(owner)

    const forgotten = await owner('DELETE', `${accounts}/${body.id}`)

    expect(forgotten.status).toBe(204)
    expect(await status(owner)).toEqual([])
    expect((await push(owner, id)).body.error.code).toBe('SYNC_NOT_CONNECTED')
    expect((await owner('DELETE', `${accounts}/${body.id}`)).status).toBe(404)
  })

  it('stores credentials only in encrypted form', async () => {
    Object.assign(process.env, sharedService().environment)
    const firm = await newFirm()
    const { body } = await connect(firm.owner)

    const { createClient } = await import('#store/client.ts')
    const { syncAccountStore } = await import('#store/calendar/sync-account-store.ts')
    const { tableName } = await import('#store/table.ts')
    const stored = await syncAccountStore({ client: createClient(), table: tableName() }).list(
      firm.workspace.id,
      firm.ownerUser.id,
    )

    expect(stored.map(({ id }) => id)).toEqual([body.id])
    const everything = JSON.stringify(stored) + Buffer.from(stored[0]?.sealed_credentials ?? '', 'base64')
    expect(everything).not.toContain(radicale.password)
    expect(everything).not.toContain(`"${radicale.username}"`)
  })

  it('shows the last error in the status, and a later success', async () => {
    const server = await startRadicale()
    const { owner } = await newFirm()
    await connect(owner, { url: server.baseUrl })
    const { id } = await enter(owner)
    await push(owner, id)
    const [before] = await status(owner)
    await server.stop()

    const failed = await push(owner, id)

    expect([failed.status, failed.body.error.code]).toEqual([502, 'SYNC_FAILED'])
    expect(await status(owner)).toMatchObject([
      { status: 'error', last_synced_at: before.last_synced_at, last_error: expect.any(String) },
    ])
    await connect(owner)
    await push(owner, id)
    expect((await status(owner)).map((account: { status: string }) => account.status)).toEqual([
      'connected',
      'error',
    ])
  })
})
