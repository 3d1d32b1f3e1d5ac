import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { idsOf, indexed, search } from '#test/support/search.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { runAdmin } from '../admin/run-admin.ts'

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'aktenlage-search-admin-'))
  const running = { pid: process.pid, environment: sharedService().environment }
  writeFileSync(join(dataDir, 'running.json'), JSON.stringify(running))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const admin = (command: string, firm: Firm) =>
  runAdmin(['search', command, '--workspace', firm.workspace.id], { LOCAL_DATA_DIR: dataDir })

async function stored(
  firm: Firm,
  bytes: string | Uint8Array<ArrayBuffer>,
  filename: string,
): Promise<string> {
  const { body } = await upload(firm.owner, { bytes, filename })
  await settled(firm.owner, body.id)
  await indexed(firm.owner)
  return body.id
}

describe('a segment that cannot be used', () => {
  it.each([
    'missing',
    'cut',
    'of another version',
  ] as const)('(%s) leaves the others answering; the answer says so, and the index is made anew', async (problem) => {
    const firm = await newFirm()
    const first = await stored(firm, 'Erster Schriftsatz', 'eins.txt')
    const store = searchIndexStore({ db: await sharedTable() })
    const [name = ''] = (await store.manifest(firm.workspace.id))?.segments.map((one) => one.name) ?? []
    const second = await stored(firm, 'Zweiter Schriftsatz', 'zwei.txt')
    const before = await store.manifest(firm.workspace.id)
    if (before === undefined) throw new Error('There is no index.')
    // The reader of the service has the segment already: another name makes it fetch the bytes again.
    const other = `${name}-x`
    const change = { name: other, ...(problem === 'of another version' && { format: 99 }) }
    const key = `search/${firm.workspace.id}`
    const bytes = await sharedBucket().read(`${key}/${name}`)
    const kept = problem === 'cut' ? bytes.slice(0, 2_000) : bytes
    if (problem !== 'missing')
      await sharedBucket().put(`${key}/${other}`, kept, {
        mimeType: 'application/vnd.sqlite3',
        sha256: hexDigest(kept),
      })
    const segments = before.segments.map((one) => (one.name === name ? { ...one, ...change } : one))
    await store.replace(before, { ...before, segments })
    // Act
    const meanwhile = await search(firm.owner, 'Schriftsatz')
    // Assess
    expect(meanwhile.data.map(({ id }: { id: string }) => id)).toEqual([second])
    expect(meanwhile.index.incomplete).toBe(true)
    await vi.waitFor(
      async () => {
        const { data, index } = await search(firm.owner, 'Schriftsatz')
        expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual([first, second].toSorted())
        expect(index).toMatchObject({ incomplete: false, pending: 0 })
      },
      { timeout: 90_000, interval: 300 },
    )
  })
})

describe('a text that cannot be read', () => {
  it('is found by its name; its record says why, until it is there again', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const id = await stored(firm, 'Schriftsatz', 'Replik.txt')
    const bucket = sharedBucket()
    const key = `texts/${firm.workspace.id}/${id}`
    const bytes = await bucket.read(key)
    await bucket.remove([key])
    // Act: a change has it indexed anew.
    await owner('PATCH', `/api/v1/documents/${id}`, { body: { filename: 'Duplik.txt' } })
    await vi.waitFor(
      async () =>
        expect((await owner('GET', `/api/v1/documents/${id}`)).body.search_error).toBe('text_missing'),
      { timeout: 60_000, interval: 200 },
    )
    // Assess
    expect(await idsOf(owner, 'Duplik')).toEqual([id])
    expect(await idsOf(owner, 'Schriftsatz')).toEqual([])
    expect((await search(owner, 'Duplik')).index.pending).toBe(1)
    await bucket.put(key, bytes, { mimeType: 'application/json', sha256: hexDigest(bytes) })
    await owner('PATCH', `/api/v1/documents/${id}`, { body: { filename: 'Replik.txt' } })
    await indexed(owner)
    expect(await idsOf(owner, 'Schriftsatz')).toEqual([id])
    expect((await owner('GET', `/api/v1/documents/${id}`)).body).not.toHaveProperty('search_error')
  })
})

describe('npm run admin -- search', () => {
  it('shows an index, and has it made anew while it answers', async () => {
    const firm = await newFirm()
    const ids = [await stored(firm, 'Klage', '1.txt'), await stored(firm, 'Klage', '2.txt')]
    const before = JSON.parse((await admin('status', firm)).out)
    // A restored table does not know the segments that were made since.
    const key = `search/${firm.workspace.id}/of-another-table`
    const bytes = Buffer.from('A segment')
    const about = { mimeType: 'application/vnd.sqlite3', sha256: hexDigest(bytes) }
    await sharedBucket().put(key, new Uint8Array(bytes), about)
    // Act
    const begun = JSON.parse((await admin('rebuild', firm)).out)
    const again = JSON.parse((await admin('rebuild', firm)).out)
    // A change wakes the worker before the sweeper does.
    ids.push(await stored(firm, 'Klage', '3.txt'))
    const during = await idsOf(firm.owner, 'Klage')
    await vi.waitFor(async () => expect(JSON.parse((await admin('status', firm)).out).rebuild).toBeNull(), {
      timeout: 90_000,
      interval: 500,
    })
    // Assess
    expect(before).toMatchObject({ segments: 2, records: 2, marked: { new: 0, changed: 0 }, rebuild: null })
    expect([begun.removed, await sharedBucket().head(key)]).toEqual([1, undefined])
    expect([begun.rebuild, ['running', 'begun'].includes(again.rebuild)]).toEqual(['begun', true])
    expect(during.toSorted()).toEqual(ids.toSorted())
    expect((await idsOf(firm.owner, 'Klage')).toSorted()).toEqual(ids.toSorted())
  })

  it('refuses a workspace that does not exist', async () => {
    const ended = await runAdmin(
      ['search', 'rebuild', '--workspace', 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e00'],
      { LOCAL_DATA_DIR: dataDir },
    )

    expect([ended.code === 0, ended.err]).toEqual([false, expect.stringContaining('There is no workspace')])
  })
})
