import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { workspaceDataCommands } from '#infra/tools/admin/workspace-data.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { runAdmin } from './run-admin.ts'

const admin = (...args: string[]) => runAdmin(['workspace', ...args], { LOCAL_DATA_DIR: inject('dataDir') })

/** A firm with something in every kind of partition: cases, documents, credentials, links of others, jobs' lists. */
async function busyFirm() {
  const firm = await newFirm()
  const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
  await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
    body: [{ name: 'Anna Meier', role: 'client' }],
  })
  const { body: document } = await upload(
    firm.owner,
    { bytes: corpus('schriftsatz.pdf'), filename: 'Schrift/Satz: eins.pdf' },
    { case_id: opened.id },
  )
  await settled(firm.owner, document.id)
  await firm.owner('POST', '/api/v1/calendar/ical-tokens')
  await firm.owner('POST', '/api/v1/calendar/events', {
    body: { title: 'Termin', start: '2030-05-06T09:00:00Z', end: '2030-05-06T10:00:00Z' },
  })
  return { firm, documentId: document.id as string }
}

async function deps() {
  Object.assign(process.env, inject('environment'))
  return (await import('#infra/tools/admin/index.ts')).admin()
}

/** Everything that is stored of a firm. */
async function storedOf({ workspace }: Firm) {
  const { firmItems, firmObjects } = await deps()
  const items: string[] = []
  for await (const item of firmItems.all(workspace.id)) items.push(canonicalJson(item))
  const objects: string[] = []
  for await (const { key, sizeBytes } of firmObjects().all(workspace.id)) objects.push(`${key} ${sizeBytes}`)
  return { items: items.toSorted(), objects: objects.toSorted() }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'aktenlage-export-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

let ours: Awaited<ReturnType<typeof busyFirm>>
let neighbour: Awaited<ReturnType<typeof busyFirm>>
beforeAll(async () => {
  ours = await busyFirm()
  neighbour = await busyFirm()
})

describe('npm run admin -- workspace export', () => {
  it('writes the records as lines of JSON and the documents under their names, without credentials, and again nothing new', async () => {
    const out = folder()
    const { firm, documentId } = ours

    const first = JSON.parse((await admin('export', '--workspace', firm.workspace.id, '--out', out)).out)
    const again = JSON.parse((await admin('export', '--workspace', firm.workspace.id, '--out', out)).out)
    const foreign = await admin('export', '--workspace', neighbour.firm.workspace.id, '--out', out)

    const lines = readFileSync(join(out, 'records', 'party.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(['Anna Meier'])
    expect(readFileSync(join(out, 'documents', documentId, 'Satz_ eins.pdf'))).toEqual(
      Buffer.from(corpus('schriftsatz.pdf')),
    )
    expect(first.records.case).toBe(1)
    expect([first.already_there, again.already_there]).toEqual([0, first.files])
    expect(readdirSync(join(out, 'records')).filter((name) => /key|token|link|session/.test(name))).toEqual(
      [],
    )
    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('another workspace') })
  })
})

describe('npm run admin -- workspace erase', () => {
  it('removes everything of the firm, also when it was interrupted, and nothing of its neighbour', async () => {
    const { firm } = ours
    const id = firm.workspace.id
    const { name } = (await firm.owner('GET', '/api/v1/workspace')).body
    const before = await storedOf(neighbour.firm)
    const wrong = await admin('erase', '--workspace', id, '--confirm', 'Kanzlei Anders')
    const afterWrong = await storedOf(firm)
    const real = await deps()
    const dying = {
      ...real,
      firmObjects: () => ({ ...real.firmObjects(), erase: () => Promise.reject(new Error('interrupted')) }),
    } as typeof real
    const erase = workspaceDataCommands['workspace erase']({ workspace: id, confirm: name })

    await expect(erase(dying)).rejects.toThrow('interrupted')
    const halfway = await storedOf(firm)
    const ended = await admin('erase', '--workspace', id, '--confirm', name)
    const again = await admin('erase', '--workspace', id, '--confirm', name)

    expect([wrong.code, afterWrong.items.length > 20, afterWrong.objects.length > 1]).toEqual([1, true, true])
    expect([halfway.items.length, halfway.objects.length]).toEqual([1, afterWrong.objects.length])
    expect(ended.err).toBe('')
    expect(JSON.parse(ended.out)).toMatchObject({ workspace: id, objects: afterWrong.objects.length })
    expect(await storedOf(firm)).toEqual({ items: [], objects: [] })
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('0 items and 0 objects') })
    expect(await storedOf(neighbour.firm)).toEqual(before)
    expect(before.items.length).toBeGreaterThan(20)
    expect((await firm.owner('GET', '/api/v1/cases')).status).toBe(401)
    expect((await neighbour.firm.owner('GET', '/api/v1/cases')).body.data.length).toBe(1)
  })

  it.each([
    [['--workspace', 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', '--confirm', 'X'], 'There is no workspace'],
    [['--workspace', 'unsinn', '--confirm', 'X'], 'no id of a workspace'],
    [['--workspace', 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'], '--confirm is missing'],
  ])('refuses %j', async (args, message) => {
    const ended = await admin('erase', ...args)

    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(message)])
  })
})
