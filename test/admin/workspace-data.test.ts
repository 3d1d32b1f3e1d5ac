import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { workspaceDataCommands } from '#infra/tools/admin/workspace-data.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { api } from '#test/support/api.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { corpus, form, settled, upload } from '#test/support/documents.ts'
import { newFirm } from '#test/support/firm.ts'
import { send as sendMail } from '#test/support/sent-mail.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'
import { runAdmin } from './run-admin.ts'

const admin = (args: string[], killedAfter = 0) =>
  runAdmin(['workspace', ...args], { LOCAL_DATA_DIR: inject('dataDir') }, { killedAfter })

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
  const today = new Date().toISOString().slice(0, 10)
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

async function deps() {
  Object.assign(process.env, inject('environment'))
  return (await import('#infra/tools/admin/index.ts')).admin()
}

/** Everything that is stored of a firm, its objects by their content. */
async function storedOf({ firm: { workspace } }: Busy) {
  const { firmItems, firmObjects, files } = await deps()
  const items: string[] = []
  for await (const item of firmItems.all(workspace.id)) items.push(canonicalJson(item))
  const objects: string[] = []
  for await (const { key } of firmObjects().all(workspace.id))
    objects.push(`${key} ${hexDigest((await files().read(key)) ?? '')}`)
  return { items: items.toSorted(), objects: objects.toSorted() }
}

/** Until nothing of it changes any more: workers may still write what follows. */
async function quiet(busy: Busy) {
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
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(path, name)).isFile())
    .toSorted()
    .map((name) => [name, hexDigest(content(name))])
}

let ours: Busy
let neighbour: Busy
/** How long an export takes that nobody kills, in milliseconds. */
let duration: number
beforeAll(async () => {
  ;[ours, neighbour] = await Promise.all([busyFirm(), busyFirm()])
  await Promise.all([quiet(ours), quiet(neighbour)])
  const began = performance.now()
  await admin(['export', '--workspace', ours.firm.workspace.id, '--out', folder()])
  duration = performance.now() - began
})

/** Runs a command and kills it, later and later, until it ends by itself. */
async function killedAgainAndAgain(args: string[]) {
  for (let kills = 0, milliseconds = duration / 5; ; kills += 1, milliseconds *= 1.5) {
    const ended = await admin(args, Math.ceil(milliseconds))
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
    const signed = JSON.parse(readFileSync(join(out, 'registers', `${register}-00000001.json`), 'utf8'))
    expect(signed[0].signature.remarks).toBe('Geprüft')
    expect(signed[0].content.date).toBe(register)
    expect(ended).toMatchObject({ records: { case: 2, deadline: 2, envelope: 1 }, registers: 1 })
    const objects = (await storedOf(ours)).objects.length
    expect([
      ended.files,
      contentOf(out).filter(([name]) => /^(documents|objects)/.test(name)).length,
    ]).toEqual([objects, objects])
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
      [1, expect.stringContaining('nothing of it is stored')],
    ]).toContainEqual([ended.code, ended.err])
    expect(left).toEqual({ items: [], objects: [] })
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('nothing of it is stored') })
    expect(await storedOf(neighbour)).toEqual(before)
    expect((await firm.owner('GET', '/api/v1/cases')).status).toBe(401)
    expect((await ingest(ours, webhook_token)).status).toBe(401)
    expect([await isKnown(ours), await isKnown(neighbour)]).toEqual([false, true])
    expect((await neighbour.firm.owner('GET', '/api/v1/cases')).body.data.length).toBe(2)
  }, 300_000)

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

  it.each([
    [['--workspace', unknownId, '--confirm', 'X'], 'There is no workspace'],
    [['--workspace', 'unsinn', '--confirm', 'X'], 'no id of a workspace'],
    [['--workspace', unknownId], '--confirm is missing'],
  ])('refuses %j', async (args, message) => {
    const ended = await admin(['erase', ...args])

    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(message)])
  })
})
