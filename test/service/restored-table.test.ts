import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { startBeaSimulator } from '#bea-simulator/simulator.ts'
import { createTable } from '#infra/local/create-table.ts'
import { createClient } from '#store/client.ts'
import { recordKinds } from '#store/lost-records.ts'
import { twoTables } from '#store/two-tables.ts'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { kindsDoneOnce, restoredKinds } from '#test/support/restored-kinds.ts'
import { type Service, startService } from '#test/support/service.ts'
import { runAdmin } from '../admin/run-admin.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const ownerOf = ({ baseUrl, credentials }: Service) =>
  api(baseUrl, credentials.workspaces[0]?.users[0]?.api_key)

/** The table as it is now, under another name: what DynamoDB's restore to a second gives. */
async function restoredTable({ environment }: Service): Promise<string> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const to = 'aktenlage-restored'
  await createTable(to)
  const client = createClient()
  await twoTables({ client, from: environment.TABLE_NAME ?? '', to }).copy({})
  vi.unstubAllEnvs()
  return to
}

const endpoints = '/api/v1/webhooks/endpoints'

/** The rehearsal of "Restore to a second" in infra/README.md. */
it('a service on a restored table has what was there at that second, gives no number twice, takes no revoked key, and goes on with new credentials', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startService({ dataDir, commandLine: ['--empty'] })
  const owner = ownerOf(before)
  const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body
  const kept = await open('Vorher')
  const { body: document } = await upload(
    owner,
    { bytes: corpus('schriftsatz.pdf'), filename: 'Schriftsatz.pdf' },
    { case_id: kept.id },
  )
  await settled(owner, document.id)
  const { body: user } = await owner('POST', '/api/v1/users', {
    body: { name: 'Rita Roth', email: 'roth@example.com' },
  })
  const { body: key } = await owner('POST', '/api/v1/api-keys', {
    body: { user_id: user.id, name: 'Gestohlen', scopes: ['cases:read'] },
  })
  const table = await restoredTable(before)
  const admin = async (...args: string[]) => {
    const { out, err } = await runAdmin(['table', ...args], { LOCAL_DATA_DIR: dataDir })
    expect(err).toBe('')
    return JSON.parse(out)
  }
  const names = ['--from', before.environment.TABLE_NAME ?? '', '--to', table]
  const today = kept.created_at.slice(0, 10)
  const register = `/api/v1/deadlines/register?date=${today}&signed=true`

  // Act
  const lost = await open('Nachher')
  await owner('DELETE', `/api/v1/cases/${kept.id}`)
  await owner('DELETE', `/api/v1/api-keys/${key.id}`)
  const { body: rotated } = await owner('POST', '/api/v1/workspace/webhooks/rotate')
  const { body: endpoint } = await owner('POST', endpoints, { body: { url: 'https://kanzlei.example/hook' } })
  await owner('POST', `/api/v1/deadlines/register/${today}/sign`, { body: { remarks: 'Geprüft.' } })
  const { body: signed } = await owner('GET', register)
  const compared = await admin('compare', ...names, '--kinds', 'case,filenumber,apikey')
  const taken = await admin('copy', ...names, '--kinds', restoredKinds().join())
  await before.stop()
  const after = await startService({ dataDir, environment: { TABLE_NAME: table } })
  ending.push(() => after.stop())

  // Assess
  const restored = ownerOf(after)
  expect(compared.kinds).toMatchObject({
    case: { missing: 1, changed: 1, surplus: 0 },
    filenumber: { missing: 1 },
    apikey: { changed: 1 },
  })
  // The list entry of the revoked key, and the old token of the webhook.
  expect(taken).toMatchObject({ replaced: expect.any(Number), removed: 2 })
  expect((await restored('GET', `/api/v1/cases/${kept.id}`)).body.name).toBe('Vorher')
  expect((await restored('GET', `/api/v1/cases/${lost.id}`)).status).toBe(404)
  const { bytes } = await restored('GET', `/api/v1/documents/${document.id}/download`)
  expect(Buffer.compare(bytes, corpus('schriftsatz.pdf'))).toBe(0)
  expect((await api(after.baseUrl, key.key)('GET', '/api/v1/cases')).status).toBe(401)
  const begun = await api(after.baseUrl, undefined)('POST', '/api/v1/webhooks/inbox/uploads', {
    body: { filename: 'Klage.pdf', mime_type: 'application/pdf', size_bytes: 1_000 },
    headers: { 'X-Service-Token': rotated.token },
  })
  expect(begun.status).toBe(201)
  const moved = await restored('PATCH', `${endpoints}/${endpoint.id}`, {
    body: { url: 'https://kanzlei.example/neu' },
  })
  expect(moved.status).toBe(200)
  expect(signed.signature.remarks).toBe('Geprüft.')
  expect((await restored('GET', register)).body).toEqual(signed)
  const next = await restored('POST', '/api/v1/cases', { body: { name: 'Danach' } })
  const numberOf = ({ file_number }: { file_number: string }) => Number(file_number.split('/')[0])
  expect(numberOf(next.body)).toBe(numberOf(lost) + 1)
  const since = await restored('GET', `/api/v1/cases?updated_since=${kept.created_at}`)
  expect(since.body.data.map(({ id }: { id: string }) => id)).toEqual([kept.id, next.body.id])
})

it('a beA message that was being sent at that second was sent, and is not sent again', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const simulator = await startBeaSimulator({ empty: true })
  ending.push(() => simulator.close())
  const environment = { BEA_GATEWAY_URL: simulator.url, BEA_GATEWAY_IDENT: simulator.ident }
  const before = await startService({ dataDir, commandLine: ['--empty'], environment })
  const owner = ownerOf(before)
  const post = async (path: string, body: object) => {
    const answer = await owner('POST', `/api/v1${path}`, { body })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const { certificate_base64, passphrase } = simulator.certificates.lindner
  const account = await post('/bea/accounts', { certificate_base64, passphrase, label: 'Postfach' })
  await post('/bea/auth/login', { account_id: account.id })
  const { body: document } = await upload(owner)
  const draft = await post('/bea/drafts', {
    account_id: account.id,
    to: [{ name: 'Demir', bea_id: safeIds.demir }],
    subject: 'Berufung',
    body: 'Anbei.',
    attachments: [document.id],
  })
  simulator.control.inject({ function: 'bea_init_message', fault: 'slow', milliseconds: 25_000 })
  await post(`/bea/drafts/${draft.id}/send`, { rename: true })
  const table = await restoredTable(before)
  const draftIs = async (by: ReturnType<typeof ownerOf>) =>
    (await by('GET', `/api/v1/bea/drafts/${draft.id}`)).body.status

  // Act
  const atThatSecond = await draftIs(owner)
  await vi.waitUntil(async () => (await draftIs(owner)) === 'sent', { timeout: 120_000, interval: 250 })
  const { err } = await runAdmin(
    [
      'table',
      'copy',
      '--from',
      before.environment.TABLE_NAME ?? '',
      '--to',
      table,
      '--kinds',
      restoredKinds().join(),
    ],
    { LOCAL_DATA_DIR: dataDir },
  )
  await before.stop()
  const after = await startService({ dataDir, environment: { ...environment, TABLE_NAME: table } })
  ending.push(() => after.stop())
  await moveClock(after, 'PT10M')

  // Assess
  const restored = ownerOf(after)
  const listed = async (status: string) =>
    (await restored('GET', `/api/v1/bea/drafts?status=${status}`)).body.data.map(
      ({ id }: { id: string }) => id,
    )
  expect([err, atThatSecond, await draftIs(restored)]).toEqual(['', 'sending', 'sent'])
  expect([await listed('sending'), await listed('sent')]).toEqual([[], [draft.id]])
  expect(simulator.control.messages(safeIds.lindner, 'SENT')).toHaveLength(1)
  expect(simulator.control.messages(safeIds.demir, 'INBOX')).toHaveLength(1)
}, 300_000)

it('mail that was sent and an invoice that was issued since that second come back, so that neither is done again', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startService({ dataDir, commandLine: ['--empty'] })
  const owner = ownerOf(before)
  const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body.id
  const bill = async (case_id: string) => {
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '200' }]
    const body = { case_id, buyer: { name: 'Anna Meier' }, lines }
    return `/api/v1/invoices/${(await owner('POST', '/api/v1/invoices', { body })).body.id}`
  }
  const kept = await bill(await open('Vorher'))
  const draft = await owner('POST', '/api/v1/email/outbound/drafts', {
    body: { to: ['anna@example.com'], subject: 'Berufung', body_html: '<p>Anbei</p>' },
  })
  const send = async (service: Service, case_id: string) => {
    const direct = {
      ...{
        to_recipients: ['anna@example.com'],
        subject: 'Sachstand',
        body_html: '<p>Guten Tag</p>',
        case_id,
      },
      idempotency_key: '0b5a4a8e-6a8b-4f43-9f0a-3d1b7f0f5c11',
    }
    const answers = [
      await ownerOf(service)('POST', `/api/v1/email/outbound/drafts/${draft.body.id}/send`),
      await ownerOf(service)('POST', '/api/v1/email/outbound/send', { body: direct }),
    ]
    return answers.map(({ status, body }) => ({ status, email_id: body.email_id }))
  }
  const sent = () => readdirSync(join(dataDir, 'mail')).filter((name) => name.endsWith('.eml'))
  const table = await restoredTable(before)

  // Act
  const later = await open('Nachher')
  const made = await bill(later)
  const answers = await send(before, later)
  for (const invoice of [kept, made]) await owner('POST', `${invoice}/issue`)
  const issued = await Promise.all([kept, made].map(async (invoice) => (await owner('GET', invoice)).body))
  const tables = ['--from', before.environment.TABLE_NAME ?? '', '--to', table]
  for (const kinds of [[restoredKinds().join()], [kindsDoneOnce().join(), '--only-missing']]) {
    const command = ['table', 'copy', ...tables, '--kinds', ...kinds]
    expect(await runAdmin(command, { LOCAL_DATA_DIR: dataDir })).toMatchObject({ err: '' })
  }
  await before.stop()
  const after = await startService({ dataDir, environment: { TABLE_NAME: table } })
  ending.push(() => after.stop())
  const restored = ownerOf(after)
  const again = await send(after, later)

  // Assess
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(again).toEqual(answers)
  expect(sent()).toHaveLength(2)
  expect((await restored('GET', '/api/v1/email/outbound/drafts')).body.data).toEqual([])
  expect((await restored('GET', `/api/v1/correspondence/${again[1]?.email_id}`)).status).toBe(200)
  expect(issued.map(({ number }) => number)).toEqual([expect.any(String), expect.any(String)])
  expect(
    await Promise.all([kept, made].map(async (invoice) => (await restored('GET', invoice)).body)),
  ).toEqual(issued)
  expect((await restored('POST', `${kept}/issue`)).body.number).toBe(issued[0].number)
}, 300_000)

/** The rehearsal of "Copy back what was lost" in infra/README.md. */
it('records that were deleted come back from a restored table, and all others stay as they are now', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = await startService({ dataDir, commandLine: ['--empty'] })
  ending.push(() => service.stop())
  const owner = ownerOf(service)
  const get = async (path: string) => (await owner('GET', `/api/v1${path}`)).body
  const send = async (method: string, path: string, body?: object) => {
    const answer = await owner(method, `/api/v1${path}`, body && { body })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const idsIn = async (path: string): Promise<string[]> =>
    (await get(path)).data.map(({ id }: { id: string }) => id)
  const kept = await send('POST', '/cases', { name: 'Bleibt' })
  const closed = await send('POST', '/cases', { name: 'Wird geschlossen' })
  const deleted = await send('POST', '/cases', { name: 'Wird gelöscht' })
  const note = (title: string, case_id: string, due_at: string) =>
    send('POST', '/deadlines', { title, case_id, due_at })
  const moved = await note('Berufung', kept.id, '2031-12-15')
  const completed = await note('Klageerwiderung', kept.id, '2031-12-16')
  const ofDeleted = await note('Replik', deleted.id, '2031-12-17')
  const time = { start: '2031-05-06T09:00:00Z', end: '2031-05-06T10:00:00Z' }
  const event = await send('POST', '/events', { title: 'Termin', ...time })
  const erased = await send('POST', '/parties', { name: 'Anna Meier', type: 'person' })
  const { body: document } = await upload(owner)
  await settled(owner, document.id)
  const table = await restoredTable(service)
  await send('PATCH', `/deadlines/${moved.id}`, { due_at: '2031-12-28' })
  await send('POST', `/deadlines/${completed.id}/complete`, { evidence: { type: 'note', text: 'Getan.' } })
  await send('PUT', `/cases/${closed.id}`, { status: 'closed' })
  for (const path of [`/cases/${deleted.id}`, `/events/${event.id}`, `/documents/${document.id}`])
    await send('DELETE', path)
  await send('POST', `/parties/${erased.id}/erase`)
  await moveClock(service, 'PT5M')
  const webhook_token = service.credentials.workspaces[0]?.webhook_token ?? ''
  const rotated = await send('POST', '/workspace/webhooks/rotate')

  // Act
  const { out, err } = await runAdmin(
    [
      ...['table', 'copy', '--from', table, '--to', service.environment.TABLE_NAME ?? ''],
      ...['--workspace', service.credentials.workspaces[0]?.id ?? '', '--kinds', recordKinds.join()],
      '--only-missing',
    ],
    { LOCAL_DATA_DIR: dataDir },
  )

  // Assess
  expect(err).toBe('')
  expect(JSON.parse(out)).toMatchObject({
    records: { case: [deleted.id], event: [event.id], document: [document.id] },
    left_out: [erased.id],
  })
  expect((await idsIn('/cases')).toSorted()).toEqual([kept.id, closed.id, deleted.id].toSorted())
  expect(await idsIn('/cases?status=active')).not.toContain(closed.id)
  expect(await idsIn('/cases?search=gel%C3%B6scht')).toEqual([deleted.id])
  expect(await get(`/deadlines/${ofDeleted.id}`)).toMatchObject({ case_deleted_at: null })
  const due = (await get('/deadlines?status=pending')).data
  expect(due.map(({ id, due_at }: { id: string; due_at: string }) => [id, due_at.slice(0, 10)])).toEqual([
    [ofDeleted.id, expect.any(String)],
    [moved.id, expect.stringMatching(/^2031-12-2[78]/)],
  ])
  expect(due[0].case_deleted_at).toBeNull()
  expect(await idsIn('/documents')).toContain(document.id)
  const overlapping = await owner('POST', '/api/v1/events', { body: { title: 'Zugleich', ...time } })
  expect(overlapping.status).toBe(409)
  expect((await owner('GET', `/api/v1/parties/${erased.id}`)).status).toBe(404)
  const begun = (token: string) =>
    api(service.baseUrl, undefined)('POST', '/api/v1/webhooks/inbox/uploads', {
      body: { filename: 'Klage.pdf', mime_type: 'application/pdf', size_bytes: 1_000 },
      headers: { 'X-Service-Token': token },
    })
  expect([(await begun(webhook_token)).status, (await begun(rotated.token)).status]).toEqual([401, 201])
}, 240_000)
