import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workspaceDataCommands } from '#infra/tools/admin/workspace-data.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { api } from '#test/support/api.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { corpus, form, settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { ownTable } from '#test/support/own-table.ts'
import { indexed } from '#test/support/search.ts'
import { send as sendMail } from '#test/support/sent-mail.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import {
  addHook,
  deliveriesTo,
  type Hook,
  type Receiver,
  startReceiver,
} from '#test/support/webhook-receiver.ts'
import { runAdmin, runAdminProcess } from './run-admin.ts'

const admin = (args: string[]) =>
  runAdmin(['workspace', ...args], { LOCAL_DATA_DIR: sharedService().dataDir })

const receivers: Receiver[] = []
afterAll(() => Promise.all(receivers.map(({ close }) => close())))

/** A firm with an endpoint of webhooks whose receiver answers with a status. */
async function withEndpoint(status: number) {
  const receiver = await startReceiver(status)
  receivers.push(receiver)
  const firm = await newFirm()
  const hook = await addHook(firm.owner, receiver.url, { event_types: ['case.created'] })
  return { firm, hook, receiver }
}

async function deliveredTo({ owner }: Firm, hook: Hook, status: string) {
  for (;;) {
    if ((await deliveriesTo(owner, hook, `status=${status}`)).length > 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A firm that has used the service: cases, documents, mail, a sealed file, deadlines, an export, links and tokens. */
async function busyFirm() {
  const firm = await newFirm()
  const { owner } = firm
  const post = async (path: string, body?: object, headers = {}) => {
    const answer = await owner('POST', `/api/v1${path}`, { ...(body && { body }), headers })
    expect([path, answer.status < 300]).toEqual([path, true])
    return answer.body
  }
  const opened = await post('/cases', { name: 'Akte' }, { 'Idempotency-Key': crypto.randomUUID() })
  await post(`/cases/${opened.id}/parties`, [{ name: 'Anna Meier', role: 'client' }])
  const { body: document } = await upload(
    owner,
    { bytes: corpus('schriftsatz.pdf'), filename: 'Schrift/Satz: eins.pdf' },
    { case_id: opened.id },
  )
  await settled(owner, document.id)
  await post('/calendar/ical-tokens')
  await post('/calendar/events', {
    title: 'Termin',
    start: '2030-05-06T09:00:00Z',
    end: '2030-05-06T10:00:00Z',
  })
  await post('/deadlines', {
    title: 'Berufung',
    case_id: opened.id,
    due_at: '2031-04-16',
    create_vorfrist: true,
  })
  const today = systemClock.now().toISOString().slice(0, 10)
  await post(`/deadlines/register/${today}/sign`, { remarks: 'Geprüft' })
  const config = await post('/exports/configs', { name: 'Fristen', source: 'deadlines', format: 'json' })
  await post(`/exports/configs/${config.id}/generate-token`, { expires_in_hours: 24 })
  await arrived(firm, { attachments: [{ filename: 'Anlage.txt', content: 'Eine Anlage.' }] })
  const links = { to: ['mandant@example.com'], attachments: [document.id], attachments_as: 'links' }
  expect((await sendMail(owner, { ...links, case_id: opened.id })).status).toBeLessThan(300)
  await post('/documents/uploads', {
    filename: 'Groß.pdf',
    mime_type: 'application/pdf',
    size_bytes: 10_000_000,
  })
  const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier', access_code: '123456' }] })
  const signer = visitor(firm, await envelope.link())
  const entered = await signer.post('access', { code: '123456' })
  const cookie = String(entered.headers.get('set-cookie')).split(';')[0] ?? ''
  const admitted = (name: string, fields = {}) =>
    signer.ask('POST', `/${name}`, { raw: new URLSearchParams(fields), headers: { Cookie: cookie } })
  await admitted('open')
  await admitted('sign', { name: 'Anna Meier', consent: 'yes' })
  await envelope.untilCompleted()
  const { documents } = await envelope.get()
  return {
    firm,
    documentId: document.id as string,
    register: today,
    sealed: (await owner('GET', `/api/v1/documents/${documents[0].sealed_document_id}`)).body
      .sha256 as string,
  }
}

type Busy = Awaited<ReturnType<typeof busyFirm>>

/** Sends messages to the worker of deliveries. */
async function workerOf() {
  Object.assign(process.env, sharedService().environment)
  const [{ queueSender }, { deliveryQueue }] = await Promise.all([
    import('#queue/sqs.ts'),
    import('#webhooks/deliveries/queue.ts'),
  ])
  return { sendDelivery: queueSender(deliveryQueue) }
}

async function deps() {
  Object.assign(process.env, sharedService().environment)
  return (await import('#infra/tools/admin/index.ts')).admin()
}

/** Everything that is stored of a firm, its objects by their content. */
async function storedOf({ firm: { workspace } }: Busy) {
  const { firmObjects, files } = await deps()
  const items = itemsOf(workspace.id).map(canonicalJson)
  const objects: string[] = []
  for await (const { key } of firmObjects().all(workspace.id))
    objects.push(`${key} ${hexDigest((await files().read(key)) ?? '')}`)
  return { items: items.toSorted(), objects: objects.toSorted() }
}

/** Until nothing of it changes any more: workers may still write what follows. */
async function quiet(busy: Busy) {
  // The worker of the index may wait for a thread for longer than nothing has to change.
  await indexed(busy.firm.owner, 200)
  for (let before = await storedOf(busy); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const now = await storedOf(busy)
    if (JSON.stringify(now) === JSON.stringify(before)) return now
    before = now
  }
}

const isKnown = async ({ firm, sealed }: Busy) =>
  (
    await api(firm.baseUrl, undefined)('POST', '/api/v1/signing/verify', {
      body: { sha256: sealed },
    })
  ).body.known

const ingest = ({ firm: { baseUrl, workspace } }: Busy, token: string) =>
  api(baseUrl, undefined)('POST', `/webhooks/inbox/${workspace.id}`, {
    raw: form({ file: { bytes: 'Ein Text.' } }),
    headers: { 'X-Service-Token': token },
  })

const folders = mkdtempSync(join(tmpdir(), 'aktenlage-export-'))
afterAll(() => rmSync(folders, { recursive: true }))
const folder = () => mkdtempSync(join(folders, 'of-'))

/** The files in a folder with their content. The order of records and of their fields is the same as in the table. */
function contentOf(path: string): [string, string][] {
  const content = (name: string) => {
    const bytes = readFileSync(join(path, name))
    if (!/^(records|registers)/.test(name)) return bytes
    const lines = bytes.toString().trim().split('\n')
    return lines
      .map((line) => canonicalJson(JSON.parse(line)))
      .toSorted()
      .join('\n')
  }
  return (
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      // Each export adds an entry.
      .filter((name) => name !== join('records', 'firmaudit.jsonl'))
      .filter((name) => statSync(join(path, name)).isFile())
      .toSorted()
      .map((name) => [name, hexDigest(content(name))])
  )
}

let ours: Busy
let neighbour: Busy
beforeAll(async () => {
  ;[ours, neighbour] = await Promise.all([busyFirm(), busyFirm()])
  await Promise.all([quiet(ours), quiet(neighbour)])
})

/** Runs a command and kills it, later and later, until it ends by itself. The first time it has hardly begun. */
async function killedAgainAndAgain(args: string[]) {
  for (let kills = 0, milliseconds = 100; ; kills += 1, milliseconds *= 1.5) {
    const ended = await runAdminProcess(
      ['workspace', ...args],
      { LOCAL_DATA_DIR: sharedService().dataDir },
      { killedAfter: Math.ceil(milliseconds) },
    )
    if (ended.code !== -1) return { ended, kills }
  }
}

describe('npm run admin -- workspace export', () => {
  it('writes the records as lines of JSON, documents under their names, registers as they were signed', async () => {
    const out = folder()
    const { firm, documentId, register } = ours

    const ended = JSON.parse((await admin(['export', '--workspace', firm.workspace.id, '--out', out])).out)

    const lines = (kind: string) =>
      readFileSync(join(out, 'records', `${kind}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    expect(lines('party').map(({ name }) => name)).toEqual(['Anna Meier'])
    expect(lines('event').map(({ record }) => record.title)).toEqual(['Termin'])
    expect(readFileSync(join(out, 'documents', documentId, 'Satz_ eins.pdf'))).toEqual(
      Buffer.from(corpus('schriftsatz.pdf')),
    )
    const types = lines('webhookevent').map(({ type }) => type)
    for (const type of ['case.created', 'document.processed', 'deadline.created', 'envelope.completed'])
      expect(types).toContain(type)
    for (const event of lines('webhookevent'))
      expect(Object.keys(event)).toEqual(['id', 'type', 'occurred_at', 'data'])
    const signed = JSON.parse(readFileSync(join(out, 'registers', `${register}-00000001.json`), 'utf8'))
    expect(signed[0].signature.remarks).toBe('Geprüft')
    expect(signed[0].content.date).toBe(register)
    expect(ended).toMatchObject({ records: { case: 2, deadline: 2, envelope: 1 }, registers: 1 })
    // The index of texts is made of them, and is not exported.
    const objects = (await storedOf(ours)).objects.filter((object) => !object.startsWith('search/')).length
    expect([
      ended.files,
      contentOf(out).filter(([name]) => /^(documents|objects)/.test(name)).length,
    ]).toEqual([objects, objects])
  })

  it('holds endpoints of webhooks and their deliveries, without secrets and the state of sending', async () => {
    const { firm, hook } = await withEndpoint(204)
    await firm.owner('POST', `/api/v1/webhooks/endpoints/${hook.id}/rotate-secret`, { body: {} })
    const { body } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    await deliveredTo(firm, hook, 'succeeded')
    const out = folder()

    await admin(['export', '--workspace', firm.workspace.id, '--out', out])

    const kinds = readdirSync(join(out, 'records')).filter((name) => name.startsWith('webhook'))
    expect(kinds.toSorted()).toEqual(['webhookdelivery.jsonl', 'webhookendpoint.jsonl', 'webhookevent.jsonl'])
    const read = (name: string) => readFileSync(join(out, 'records', name), 'utf8')
    expect(JSON.parse(read('webhookendpoint.jsonl'))).toMatchObject({ id: hook.id, status: 'active' })
    expect(JSON.parse(read('webhookdelivery.jsonl'))).toMatchObject({
      status: 'succeeded',
      event: { type: 'case.created', data: { id: body.id } },
    })
    expect(kinds.map(read).join('')).not.toMatch(/secret"|whsec/)
  })

  it('holds neither credentials nor their hashes', async () => {
    const out = folder()
    await admin(['export', '--workspace', ours.firm.workspace.id, '--out', out])

    const records = readdirSync(join(out, 'records'))
    expect(records.filter((name) => /key|token|link\.|session/.test(name))).toEqual(['sendkey.jsonl'])
    const text = records.map((name) => readFileSync(join(out, 'records', name), 'utf8')).join('')
    expect(text).toContain('"signers"')
    expect(text).not.toMatch(/access_code_hash|link_sha256|secret_hash|webhook_token"/)
  })

  it('is in the audit of the firm, as the operator’s', async () => {
    const { id } = ours.firm.workspace

    await admin(['export', '--workspace', id, '--out', folder()])

    const { data } = (await ours.firm.owner('GET', '/api/v1/audit?action=export.fetched')).body
    expect(data.at(-1)).toMatchObject({ actor: { type: 'system', id: null }, ref: { type: 'workspace', id } })
  })

  it('that is killed again and again is complete in the end, and another run adds nothing', async () => {
    const [out, atOnce] = [folder(), folder()]
    const args = (to: string) => ['export', '--workspace', ours.firm.workspace.id, '--out', to]

    const { kills } = await killedAgainAndAgain(args(out))
    const again = JSON.parse((await admin(args(out))).out)
    await admin(args(atOnce))

    expect(kills).toBeGreaterThan(0)
    expect(again.already_there).toBe(again.files)
    expect(contentOf(out)).toEqual(contentOf(atOnce))
  })

  it('that is repeated holds each document under its present name, and nothing of a deleted one', async () => {
    const { owner, workspace } = await newFirm()
    const add = async (filename: string): Promise<string> => {
      const { body } = await upload(owner, { bytes: corpus('schriftsatz.pdf'), filename })
      await settled(owner, body.id)
      return body.id
    }
    const [kept, renamed, deleted] = [await add('Eins.pdf'), await add('Zwei.pdf'), await add('Drei.pdf')]
    const out = folder()
    const exported = async () => {
      const ended = await admin(['export', '--workspace', workspace.id, '--out', out])
      const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(
        (name) => /^(documents|objects)/.test(name) && statSync(join(out, name)).isFile(),
      )
      return { count: JSON.parse(ended.out).files, files }
    }
    const first = await exported()

    await owner('PATCH', `/api/v1/documents/${renamed}`, { body: { filename: 'Neu.pdf' } })
    await owner('DELETE', `/api/v1/documents/${deleted}`)
    const second = await exported()

    expect(first.files).toHaveLength(first.count)
    expect(second.files).toHaveLength(second.count)
    expect(second.files.filter((name) => name.startsWith('documents')).toSorted()).toEqual(
      [join('documents', kept, 'Eins.pdf'), join('documents', renamed, 'Neu.pdf')].toSorted(),
    )
    expect(readdirSync(join(out, 'documents'))).not.toContain(deleted)
    expect(second.files.join()).not.toContain(deleted)
  })

  it('does not write into the export of another workspace, and none of a workspace that does not exist', async () => {
    const out = folder()
    await admin(['export', '--workspace', ours.firm.workspace.id, '--out', out])

    const foreign = await admin(['export', '--workspace', neighbour.firm.workspace.id, '--out', out])
    const unknown = await admin(['export', '--workspace', unknownId, '--out', folder()])

    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('another workspace') })
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no workspace') })
  })

  it('touches no folder that holds something else, and says so in a sentence', async () => {
    const out = folder()
    mkdirSync(join(out, 'records'))
    writeFileSync(join(out, 'records', 'own.txt'), 'meins')
    const export_ = (to: string) => admin(['export', '--workspace', ours.firm.workspace.id, '--out', to])

    const ended = [await export_(out), await export_(join(out, 'records', 'own.txt'))]

    for (const { code, err } of ended) {
      expect([code, err.trim().split('\n')]).toEqual([1, [expect.stringContaining('name ')]])
    }
    expect(readdirSync(out, { recursive: true })).toEqual(['records', join('records', 'own.txt')])
  })
})

const unknownId = 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

describe('npm run admin -- workspace erase', () => {
  it('that is killed again and again removes everything of the firm in the end, and nothing of its neighbour', async () => {
    const { firm } = ours
    const { id, webhook_token } = firm.workspace
    const { name } = (await firm.owner('GET', '/api/v1/workspace')).body
    const before = await quiet(neighbour)
    const wrong = await admin(['erase', '--workspace', id, '--confirm', 'Kanzlei Anders'])
    const stored = await storedOf(ours)
    const args = ['erase', '--workspace', id, '--confirm', name]

    const { ended, kills } = await killedAgainAndAgain(args)
    const left = await storedOf(ours)
    const again = await admin(args)

    expect([wrong.code, stored.items.length > 60, stored.objects.length > 5]).toEqual([1, true, true])
    expect(kills).toBeGreaterThan(0)
    // The last kill may come between the last removal and the end: then the next run finds nothing.
    expect([
      [0, ''],
      [1, expect.stringContaining('no data of it is stored')],
    ]).toContainEqual([ended.code, ended.err])
    expect(left).toEqual({ items: [], objects: [] })
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('no data of it is stored') })
    expect(await storedOf(neighbour)).toEqual(before)
    expect((await firm.owner('GET', '/api/v1/cases')).status).toBe(401)
    expect((await ingest(ours, webhook_token)).status).toBe(401)
    expect([await isKnown(ours), await isKnown(neighbour)]).toEqual([false, true])
    expect((await neighbour.firm.owner('GET', '/api/v1/cases')).body.data.length).toBe(2)
  })

  it('ends what waits for endpoints of webhooks: nothing is sent any more, and the worker takes no harm', async () => {
    const { firm, hook, receiver } = await withEndpoint(500)
    await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    // The attempt after the second comes in five minutes: no worker is busy with the firm while it is erased.
    await receiver.until(({ length }) => length === 2)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const { id } = firm.workspace
    const { name } = (await firm.owner('GET', '/api/v1/workspace')).body

    const { code } = await admin(['erase', '--workspace', id, '--confirm', name])
    const { sendDelivery } = await workerOf()
    await sendDelivery({ workspace_id: id, endpoint_id: hook.id, follow: true })
    const late = { id: newId('webhookEvent'), type: 'case.created', occurred_at: '2026-11-27T08:00:00.000Z' }
    const events = [{ ...late, data: { id: 'late', case_id: null } }]
    await sendDelivery({ workspace_id: id, events })
    await new Promise((resolve) => setTimeout(resolve, 2_000))

    expect(code).toBe(0)
    expect(receiver.received).toHaveLength(2)
    expect(await storedOf({ ...ours, firm })).toEqual({ items: [], objects: [] })
  })

  it('leaves nothing of a request to an endpoint that was under way', async () => {
    const { firm, receiver } = await withEndpoint(204)
    const { promise: isAnswered, resolve } = Promise.withResolvers<void>()
    receiver.answer((_, response) => {
      setTimeout(() => response.writeHead(204).end(() => resolve()), 8_000)
    })
    await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    await receiver.first()
    const { id } = firm.workspace
    const { name } = (await firm.owner('GET', '/api/v1/workspace')).body

    const { code } = await admin(['erase', '--workspace', id, '--confirm', name])
    await isAnswered
    await new Promise((resolve) => setTimeout(resolve, 2_000))

    expect(code).toBe(0)
    expect(await storedOf({ ...ours, firm })).toEqual({ items: [], objects: [] })
  })

  it('prints how many items and objects it removed, all of them', async () => {
    const busy = { ...ours, firm: await newFirm() }
    const { owner } = busy.firm
    await owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    await settled(owner, (await upload(owner)).body.id)
    const { items, objects } = await quiet(busy)
    const { id } = busy.firm.workspace
    const { name } = (await owner('GET', '/api/v1/workspace')).body

    const { out } = await admin(['erase', '--workspace', id, '--confirm', name])

    // The request for the name may have counted against an allowance.
    const erased = JSON.parse(out)
    expect([erased.objects, objects.length > 1]).toEqual([objects.length, true])
    expect(Math.abs(erased.items - items.length)).toBeLessThanOrEqual(2)
  })

  it('closes the webhook first, and a second run removes what a worker wrote after the first', async () => {
    const firm = await newFirm()
    const { id, webhook_token } = firm.workspace
    const busy = { ...ours, firm }
    const { name } = (await firm.owner('GET', '/api/v1/workspace')).body
    const options = { workspace: id, confirm: name }
    const real = await deps()
    const dying = {
      ...real,
      firmObjects: () => ({ ...real.firmObjects(), erase: () => Promise.reject(new Error('interrupted')) }),
    } as typeof real
    const erase = workspaceDataCommands['workspace erase'](options)
    // A text is refused, but only once the token was accepted.
    const before = (await ingest(busy, webhook_token)).status
    await expect(erase(dying)).rejects.toThrow('interrupted')
    const halfway = [(await storedOf(busy)).items.length, (await ingest(busy, webhook_token)).status]

    await erase(real)
    const file = `files/${id}/doc_late/digest`
    const late = new TextEncoder().encode('Ein Text.')
    await real.files().put(file, late, { mimeType: 'text/plain', sha256: hexDigest(late) })
    const again = await erase(real)

    expect([before, ...halfway]).toEqual([415, 1, 401])
    expect(again).toEqual({ workspace: id, items: 0, objects: 1 })
    expect(await storedOf(busy)).toEqual({ items: [], objects: [] })
  })

  it('removes a firm from an earlier table, and nothing from the table in use and the bucket', async () => {
    const busy = { ...ours, firm: await newFirm() }
    const { owner, workspace } = busy.firm
    await settled(owner, (await upload(owner)).body.id)
    const { name } = (await owner('GET', '/api/v1/workspace')).body
    const before = await quiet(busy)
    const { table: earlier } = await ownTable()
    const { twoTables, otherTable, table: inUse } = await deps()
    await twoTables({ from: inUse, to: earlier }).copy({ workspaceId: workspace.id })
    const erase = (table: string, confirm: string) =>
      admin(['erase', '--workspace', workspace.id, '--confirm', confirm, '--table', table])

    const refused = [await erase(inUse, name), await erase(earlier, 'Kanzlei Anders')]
    const { out } = await erase(earlier, name)
    const again = await erase(earlier, name)

    expect(refused.map(({ err }) => err.trim())).toEqual([
      expect.stringContaining('is in use'),
      expect.stringContaining('must be the name'),
    ])
    expect(JSON.parse(out)).toEqual({ workspace: workspace.id, table: earlier, items: expect.any(Number) })
    expect(JSON.parse(out).items).toBeGreaterThan(10)
    expect(await otherTable(earlier).workspaces.find(workspace.id)).toBeUndefined()
    expect(again.err).toContain('no data of it is stored')
    expect(await storedOf(busy)).toEqual(before)
  })

  it.each([
    [['--workspace', unknownId, '--confirm', 'X'], 'There is no workspace'],
    [['--workspace', 'unsinn', '--confirm', 'X'], 'not the id of a workspace'],
    [['--workspace', unknownId], '--confirm is missing'],
  ])('refuses %j', async (args, message) => {
    const ended = await admin(['erase', ...args])

    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(message)])
  })
})
