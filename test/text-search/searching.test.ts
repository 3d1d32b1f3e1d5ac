import { randomUUID } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '#kernel/actor.ts'
import type { Segment } from '#search/types.ts'
import { engine, memorySearchIndex, workspaceId } from '#test/support/memory-search-index.ts'
import { SearchQuery } from '#text-search/schema.ts'
import { searchService } from '#text-search/searching.ts'
import { segmentCache } from '#text-search/segment-cache.ts'

let index: ReturnType<typeof memorySearchIndex>
let caches: ReturnType<typeof segmentCache<Segment>>[]
let searches = 0
beforeEach(() => {
  index = memorySearchIndex()
  const { files, folder } = index
  caches = [1, 2].map(() => segmentCache({ files, engine, maxBytes: 1_000_000, parent: folder }))
})
afterEach(() => index.remove())

const accessOf = { document: 'documents', mail: 'mail', bea: 'ours' }

const scopes: Actor['scopes'] = ['documents:read', 'inbox:read', 'bea:read']

/** Searches as a caller who may read documents, mail, and the messages of the postbox `ours`. */
function search(
  input: Partial<SearchQuery> = {},
  held: Actor['scopes'] = scopes,
  store: Parameters<typeof searchService>[0]['store'] = index.store,
) {
  const { clock } = index
  // Two instances of the function answer in turn.
  const cache = caches[searches++ % 2]
  if (cache === undefined) throw new Error('There is no reader.')
  const service = searchService({
    engine,
    store,
    records: index.records,
    cache,
    readable: async (_, kinds) => new Set(kinds.map((kind) => accessOf[kind])),
    pageByCursor: async (_, { limit, cursor }, read) => {
      const { items, next } = await read(cursor, limit)
      return { data: items, pagination: { cursor: next ?? null, has_more: next !== undefined } }
    },
    wake: async () => {},
    clock,
    log: { warn: () => {} },
  })
  const actor = { workspace_id: workspaceId, scopes: held } as Actor
  return service.search(actor, { q: 'Schriftsatz', limit: 20, ...input })
}

describe('what is not indexed yet', () => {
  it.each([
    [scopes, {}, 3],
    [['documents:read'], {}, 1],
    [['inbox:read'], {}, 1],
    [['bea:read'], {}, 1],
    [scopes, { kind: ['mail'] }, 1],
  ] as [
    Actor['scopes'],
    Partial<SearchQuery>,
    number,
  ][])('is counted with %j and %j as far as the caller may read it', async (held, input, expected) => {
    for (const id of ['doc_1', 'corr_1', 'bea_msg_ours', 'bea_msg_theirs', 'bea_msg_theirs2'])
      index.write(id, 'Schriftsatz')

    expect((await search(input, held)).index.pending).toBe(expected)
  })

  it('says nothing of records that the caller may not read, in the time either', async () => {
    index.write('doc_1', 'Schriftsatz')
    await index.run()
    index.wait(60_000)
    index.write('bea_msg_theirs', 'Schriftsatz')
    index.wait(60_000)

    expect((await search()).index).toEqual({
      as_of: index.clock.now().toISOString(),
      pending: 0,
      incomplete: false,
    })
  })
})

describe('records that have changed a moment ago', () => {
  it('do not keep the others from being found if one of them cannot be read', async () => {
    index.write('doc_1', 'Schriftsatz')
    index.write('doc_2', 'Schriftsatz')
    index.write('doc_3', 'Schriftsatz')
    await index.run()
    index.write('doc_2', 'Schriftsatz')
    index.write('doc_3', undefined)
    index.unreadable.add('doc_2')
    // Act
    const page = await search({ q: 'Schriftsatz', limit: 1 })
    // Assess
    expect(page).toMatchObject({ data: [{ id: 'doc_1' }], total: 2, total_is_exact: false })
  })

  it('of other kinds and rights change neither hits, counts nor what is read anew', async () => {
    for (const id of ['doc_1', 'doc_2', 'doc_3']) index.write(id, 'Schriftsatz')
    for (let number = 0; number < 120; number += 1) {
      index.write(`corr_${number}`, 'Schriftsatz')
      index.write(`bea_msg_theirs_${number}`, 'Schriftsatz')
    }
    await index.run()
    index.write('doc_1', 'Vermerk')
    for (let number = 0; number < 120; number += 1) {
      index.write(`corr_${number}`, 'x'.repeat(100_000))
      index.write(`bea_msg_theirs_${number}`, 'x'.repeat(100_000))
    }
    index.unreadable.add('bea_msg_theirs_0')
    // Act
    const before = await search({}, ['documents:read', 'bea:read'])
    const renamed = await search({ q: 'Vermerk' }, ['documents:read', 'bea:read'])
    // Assess
    expect(before).toMatchObject({ total: 2, total_is_exact: true, index: { pending: 1, incomplete: false } })
    expect(renamed.data.map(({ id }) => id)).toEqual(['doc_1'])
  })

  it('are read as far as they fit: one that is too long keeps no other out, and the latest come first', async () => {
    const ids = Array.from({ length: 130 }, (_, at) => `doc_${at}`)
    for (const id of ids) index.write(id, 'Schriftsatz')
    await index.run()
    for (const id of ids) index.write(id, id === 'doc_129' ? 'Vermerk '.repeat(600_000) : 'Vermerk')
    // Act
    const page = await search({ q: 'Vermerk', limit: 50 })
    const last = await search({ q: 'doc_128' })
    // Assess
    expect([page.total, page.total_is_exact]).toEqual([99, false])
    expect(last.data.map(({ id }) => id)).toContain('doc_128')
  })

  it('make the total inexact if so many wait that a search does not see all, whatever their kind', async () => {
    const mails = Array.from({ length: 1_101 }, (_, at) => `corr_${at}`)
    for (const id of [...mails, 'doc_1']) index.write(id, 'Schriftsatz')
    await index.run()
    for (const id of mails.slice(0, 1_000)) index.write(id, 'Vermerk')
    index.write('doc_1', 'Vermerk')
    for (const id of mails.slice(1_000)) index.write(id, 'Vermerk')

    const page = await search({ kind: ['document'] })

    expect([page.total, page.total_is_exact]).toEqual([0, false])
  })

  it('make the total inexact if they are more than a search reads', async () => {
    for (let number = 0; number < 102; number += 1) index.write(`doc_${number}`, 'Schriftsatz')
    await index.run()
    const before = await search()
    for (let number = 0; number < 102; number += 1) index.write(`doc_${number}`, 'Vermerk')
    const after = await search()

    expect([before.total, before.total_is_exact]).toEqual([102, true])
    expect(after.total_is_exact).toBe(false)
  })
})

describe('an erased text', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, at) => `corr_${at}`)

  it.each([
    ['while more erasures wait than a search reads', 150, () => {}],
    ['if an erased record cannot be read', 3, () => index.unreadable.add('corr_1')],
    ['while more changes wait than a search lists', 1_300, () => {}],
  ])('is found no more %s', async (_, count, prepare) => {
    for (const id of ids(count)) index.write(id, 'Brief von Frau Seltsam')
    await index.run()
    const before = await search({ q: 'Seltsam' })
    for (const id of ids(count)) index.write(id, 'Brief', true)
    prepare()
    // Act
    const after = await search({ q: 'Seltsam' })
    // Assess
    expect([before.total, before.data.length]).toEqual([Math.min(count, 1_000), Math.min(count, 20)])
    expect([after.data, after.total_is_exact]).toEqual([[], count < 100 && index.unreadable.size === 0])
  })

  it('is found no more on later pages, before the worker knows of it', async () => {
    for (const id of ids(8)) index.write(id, 'Brief von Frau Seltsam')
    await index.run()
    const first = await search({ q: 'Seltsam', limit: 4 })
    for (const id of ids(8)) index.write(id, 'Brief', true)
    // Act
    const next = await search({ q: 'Seltsam', limit: 4, cursor: first.pagination.cursor ?? '' })
    // Assess
    expect([first.data.length, next.data]).toEqual([4, []])
  })
})

describe('a part of the index that is lost', () => {
  /** Loses the files of all segments, as a reader and then the worker notice. */
  const lose = () => {
    for (const name of index.objects) rmSync(join(index.bucket, name))
  }
  beforeEach(async () => {
    for (const id of ['doc_1', 'doc_2', 'corr_1', 'bea_msg_theirs_1']) index.write(id, 'Schriftsatz')
    await index.run()
  })

  it.each([
    [scopes, 3],
    [['documents:read'], 2],
    [['inbox:read'], 1],
    [['bea:read'], 0],
  ] as [
    Actor['scopes'],
    number,
  ][])('counts with %j as far as the caller may read it, for a reader and in the manifest', async (held, pending) => {
    lose()
    index.wait(60_000)
    const now = index.clock.now().toISOString()
    const ofReader = await search({}, held)
    const [name = ''] = index.objects
    // It takes the segment out of the manifest, and dies.
    await index.runUntil(1, name)
    const ofManifest = await search({}, held)

    const expected = { pending, incomplete: pending > 0 }
    expect([ofReader.index, ofManifest.index]).toMatchObject([expected, expected])
    expect(ofReader.index.as_of === now).toBe(pending === 0)
  })
})

describe('a message that counts as confidential until the outcome of a send is known', () => {
  it('is found by its readers as soon as that is known, without a change of it', async () => {
    index.undecided.add('bea_msg_ours_1')
    index.write('bea_msg_ours_1', 'Schriftsatz')
    await index.run()
    const before = await search()
    index.undecided.clear()
    index.wait(3_600_000)
    // Act
    await index.run()
    // Assess
    const after = await search()
    expect([before.total, before.total_is_exact, before.index.pending]).toEqual([0, true, 0])
    expect(after.data.map(({ id }) => id)).toEqual(['bea_msg_ours_1'])
  })
})

describe('a record whose text is gone', () => {
  it('is found by its title alone, and is not counted otherwise', async () => {
    index.titles.set('doc_1', 'Replik')
    index.titles.set('corr_1', 'Replik')
    for (const id of ['doc_1', 'corr_1', 'doc_2']) index.write(id, 'Schriftsatz')
    await index.run()
    index.missing.add('doc_1').add('corr_1')
    // Act
    const byText = await search()
    const byBoth = await search({ q: 'Schriftsatz Replik' })
    const byTitle = await search({ q: 'Replik' })
    // Assess
    expect(byText).toMatchObject({ data: [{ id: 'doc_2' }], total: 1, total_is_exact: false })
    expect(byBoth).toMatchObject({ data: [], total: 0 })
    expect(byTitle).toMatchObject({ total: 2, total_is_exact: true })
    expect(byTitle.data.map(({ snippets }) => snippets.map(({ text }) => text))).toEqual([
      ['Replik'],
      ['Replik'],
    ])
  })
})

describe('a walk over the pages', () => {
  /** Walks over hits, with other work between two pages. @returns the ids as they came */
  const walk = async (between: (page: number) => Promise<void> | void): Promise<string[]> => {
    const seen: string[] = []
    let cursor: string | undefined
    for (let number = 0; number === 0 || cursor !== undefined; number += 1) {
      const page = await search({ limit: 4, cursor })
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.pagination.cursor ?? undefined
      await between(number)
    }
    return seen
  }
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `doc_${String(from + at).padStart(3, '0')}`)
  beforeEach(async () => {
    for (const id of some(0, 30)) index.write(id, `Schriftsatz ${'Klage '.repeat(Number(id.slice(4)))}`)
    await index.run()
  })

  it('gives every hit once while others are added, changed and deleted, and segments merge', async () => {
    const seen = await walk(async (page) => {
      // Better than all others, with other words, and gone.
      for (let at = 0; at < 10; at += 1) {
        index.write(`doc_new_${page}_${at}`, 'Schriftsatz Schriftsatz')
        await index.run()
      }
      index.write(`doc_02${page}`, 'Schriftsatz Schriftsatz Schriftsatz')
      index.write(`doc_00${page}`, undefined)
      if (page % 2 === 0) await index.run()
    })

    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(some(10, 30)))
    expect(seen.filter((id) => id.startsWith('doc_new'))).toEqual([])
  })

  it('has cursors that a query takes, with twenty segments and thirty beA accounts', async () => {
    const [first] = index.manifest()?.segments ?? []
    if (first === undefined) throw new Error('There is no index.')
    const accounts = Array.from({ length: 30 }, () => [`bea beaacc_${randomUUID()}:confidential`, 12_345])
    const accesses = { ...first.accesses, ...Object.fromEntries(accounts) }
    const segments = Array.from({ length: 20 }, () => ({ ...first, name: randomUUID(), accesses }))
    for (const { name } of segments) cpSync(join(index.bucket, first.name), join(index.bucket, name))
    index.begin({ segments })
    // Act
    const { pagination } = await search({ limit: 4 })
    const next = await search({ limit: 4, cursor: pagination.cursor ?? '' })
    // Assess: the cursor of the service is encrypted, with 28 bytes more.
    const sealed = Buffer.from(`${pagination.cursor}${' '.repeat(28)}`).toString('base64url')
    const query = { q: 'Schriftsatz', cursor: sealed }
    expect(SearchQuery.safeParse(query).success).toBe(true)
    expect(next.data).toHaveLength(4)
  })

  it('ends with a refusal as soon as its segments are removed', async () => {
    const { pagination } = await search({ limit: 4 })
    for (const id of some(30, 600)) index.write(id, 'Schriftsatz')
    await index.run()
    const next = { limit: 4, cursor: pagination.cursor ?? '' }
    const soon = await search(next)
    index.wait(16 * 60_000)
    index.write('doc_000', 'Klage')
    await index.run()

    expect(soon.data).toHaveLength(4)
    await expect(search(next)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  it('ends with a refusal once deletions from before it have left the files', async () => {
    for (const id of some(0, 9)) index.write(id, undefined)
    await index.run()
    index.wait(86_400_000)
    const { pagination } = await search({ limit: 4 })
    await index.run()

    await expect(search({ limit: 4, cursor: pagination.cursor ?? '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  it('ends with a refusal at once if a text was erased', async () => {
    const { pagination } = await search({ limit: 4 })
    index.write('doc_029', undefined, true)
    await index.run()

    await expect(search({ limit: 4, cursor: pagination.cursor ?? '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })
})

it('reads the new manifest if an erasure has removed the segments since it read the manifest', async () => {
  for (const id of ['doc_1', 'doc_2']) index.write(id, 'Schriftsatz')
  await index.run()
  const before = await index.store.manifest(workspaceId)
  index.write('doc_1', undefined, true)
  await index.run()
  const manifests = [before]
  const store = {
    ...index.store,
    manifest: async () => manifests.shift() ?? index.store.manifest(workspaceId),
  }

  const page = await search({}, scopes, store)

  expect(page).toMatchObject({ data: [{ id: 'doc_2' }], total: 1, index: { pending: 0, incomplete: false } })
})
