import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engine, memorySearchIndex, workspaceId } from '#test/support/memory-search-index.ts'
import { largeLogLine } from '#text-search/log-lines.ts'
import { erasedSince, newRebuild } from '#text-search/manifest.ts'

let index: ReturnType<typeof memorySearchIndex>
beforeEach(() => {
  index = memorySearchIndex()
})
afterEach(() => index.remove())

const day = 86_400_000

/** Whether bytes of any file in the bucket contain this. */
const isInFiles = (text: string): boolean =>
  readdirSync(index.bucket).some((name) => readFileSync(join(index.bucket, name)).includes(text))

/** The files in the bucket that neither the manifest nor its garbage names. */
function unknownFiles(): string[] {
  const { segments = [], garbage = [], writing, rebuild } = index.manifest() ?? {}
  const known = new Set([...segments, ...garbage, ...(rebuild?.segments ?? [])].map(({ name }) => name))
  return [...index.objects].filter((name) => !known.has(name) && name !== writing)
}

it('an index that will soon not fit on the disk of a reader raises an alarm', async () => {
  index.write('doc_a', 'Die Klage ist eingereicht.')
  await index.run()
  const ofSmall = index.warnings.splice(0)
  const bytes = 3 * 1024 ** 3
  index.begin({ segments: (index.manifest()?.segments ?? []).map((segment) => ({ ...segment, bytes })) })

  await index.run()

  expect(ofSmall).toEqual([])
  expect(index.warnings).toEqual([{ message: largeLogLine, workspace_id: workspaceId, bytes }])
})

describe('an index with full segments', () => {
  const isFull = ({ records }: { records: number }) => records > 2
  beforeEach(() => {
    vi.spyOn(engine, 'mergeable').mockImplementation((all) => all.filter((one) => !isFull(one)))
  })
  afterEach(() => vi.restoreAllMocks())

  it('takes up new texts although no merge into a full one would end', async () => {
    const { merge } = engine
    vi.spyOn(engine, 'merge').mockImplementation((segments, ...rest) => {
      if (segments.length > 1 && segments.some(({ facts }) => isFull(facts)))
        throw new Error('The worker is killed.')
      return merge(segments, ...rest)
    })
    const ids = Array.from({ length: 40 }, (_, at) => `doc_${10 + at}`)

    for (const [at, id] of ids.entries()) {
      index.write(id, 'Die Klage ist eingereicht.')
      // The first three are in one segment.
      if (at >= 2) await index.run()
    }

    expect(await index.find('Klage')).toEqual(ids)
    expect(index.marks()).toEqual([])
    expect(index.manifest()?.segments.filter((one) => !isFull(one)).length).toBeLessThan(10)
  })

  it('has nothing of deleted and replaced texts in its files a day later', async () => {
    index.write('doc_a', 'Geheimschriftsatz in der Sache')
    index.write('doc_b', 'Zeugin Anneliese in der Sache')
    index.write('doc_c', 'Die Sache ist erledigt.')
    await index.run()
    for (const id of ['doc_d', 'doc_e', 'doc_f']) index.write(id, 'Eine andere Sache')
    await index.run()
    index.write('doc_a', 'Die Sache ist erledigt.')
    index.write('doc_b', undefined)
    await index.run()
    expect([isInFiles('geheimschriftsatz'), isInFiles('annelies')]).toEqual([true, true])

    index.wait(day)
    await index.run()
    index.wait(3_600_000)
    await index.run()

    expect([isInFiles('geheimschriftsatz'), isInFiles('annelies')]).toEqual([false, false])
    expect(await index.find('Sache')).toEqual(['doc_a', 'doc_c', 'doc_d', 'doc_e', 'doc_f'])
    expect(index.manifest()).toMatchObject({ deleted: [] })
    expect(index.manifest()?.deleted_since).toBeUndefined()
  })

  it('has nothing of an erased record in its files at once', async () => {
    index.write('doc_a', 'Geheimschriftsatz in der Sache')
    index.write('doc_b', 'Zeugin Anneliese in der Sache')
    index.write('doc_c', 'Die Sache ist erledigt.')
    await index.run()

    index.write('doc_a', undefined, true)
    index.write('doc_b', 'Zeugin N. in der Sache', true)
    await index.run()

    expect([isInFiles('geheimschriftsatz'), isInFiles('annelies')]).toEqual([false, false])
    expect(await index.find('Sache')).toEqual(['doc_b', 'doc_c'])
  })
})

describe('the index of a firm', () => {
  it('finds what was marked, and what was changed only by its new text', async () => {
    index.write('doc_a', 'Der Mietvertrag ist gekündigt.')
    index.write('doc_b', 'Die Klage ist eingereicht.')
    await index.run()
    index.write('doc_a', 'Der Kaufvertrag ist angefochten.')
    // Act
    await index.run()
    // Assess
    expect(await index.find('Kaufvertrag')).toEqual(['doc_a'])
    expect(await index.find('Mietvertrag')).toEqual([])
    expect(await index.find('Klage')).toEqual(['doc_b'])
    expect(index.marks()).toEqual([])
  })

  it('does not find what was deleted, and has nothing of it in its files a day later', async () => {
    index.write('doc_a', 'Geheimschriftsatz in der Sache')
    index.write('doc_b', 'Die Sache ist erledigt.')
    await index.run()
    index.write('doc_a', undefined)
    await index.run()
    expect([await index.find('Sache'), isInFiles('geheimschriftsatz')]).toEqual([['doc_b'], true])
    // Act
    index.wait(day)
    await index.run()
    index.wait(3_600_000)
    await index.run()
    // Assess
    expect(isInFiles('geheimschriftsatz')).toBe(false)
    expect(await index.find('Sache')).toEqual(['doc_b'])
    expect(index.manifest()?.deleted).toEqual([])
  })

  it('has nothing of an erased record in its files at once, also if the record remains with another text', async () => {
    index.write('doc_a', 'Geheimschriftsatz in der Sache')
    index.write('doc_b', 'Zeugin Anneliese in der Sache')
    await index.run()
    // Act
    index.write('doc_a', undefined, true)
    index.write('doc_b', 'Zeugin N. in der Sache', true)
    await index.run()
    // Assess
    expect([isInFiles('geheimschriftsatz'), isInFiles('annelies')]).toEqual([false, false])
    expect(await index.find('Sache')).toEqual(['doc_b'])
  })

  it('has nothing of a text in its files a day after it was replaced', async () => {
    index.write('doc_a', 'Geheimschriftsatz in der Sache')
    await index.run()
    index.write('doc_a', 'Die Sache ist erledigt.')
    await index.run()
    index.wait(day)
    await index.run()
    index.wait(3_600_000)
    // Act
    await index.run()
    // Assess
    expect(isInFiles('geheimschriftsatz')).toBe(false)
    expect(await index.find('Sache')).toEqual(['doc_a'])
  })

  it('has nothing of an erased record at once in files that a merge left for readers, either', async () => {
    index.write('doc_a', 'Geheimschriftsatz')
    await index.run()
    for (let number = 0; number < 9; number += 1) {
      index.write(`doc_${number}`, 'Sache')
      await index.run()
    }
    expect(index.manifest()?.garbage.length).toBeGreaterThan(0)
    // Act
    index.write('doc_a', undefined, true)
    await index.run()
    // Assess
    expect(isInFiles('geheimschriftsatz')).toBe(false)
  })

  it('has nothing of an erased record in its files before it takes thousands of new texts', async () => {
    index.write('doc_a', 'Geheimschriftsatz')
    index.write('doc_b', 'Sache')
    await index.run()
    for (let number = 0; number < 2_000; number += 1) index.write(`doc_${number}`, 'Sache')
    index.write('doc_a', undefined, true)
    // Act: one batch, the purge, and the removal of files.
    await index.runUntil(12)
    // Assess
    expect(isInFiles('geheimschriftsatz')).toBe(false)
    expect(index.marks().length).toBeGreaterThan(1_000)
  })

  it('finds the latest text soon although thousands wait', async () => {
    for (let number = 0; number < 2_000; number += 1) index.write(`doc_${number}`, 'Sache')
    index.write('doc_new', 'Schriftsatz')
    // Act: one batch.
    await index.runUntil(3)
    // Assess
    expect(await index.find('Schriftsatz')).toEqual(['doc_new'])
  })

  it('has few segments, whatever the number of changes, and keeps no file that it does not need', async () => {
    for (let number = 0; number < 40; number += 1) {
      index.write(`doc_${number}`, `Schriftsatz Nummer ${number} in der Sache`)
      await index.run()
    }
    index.wait(3_600_000)
    // Act
    await index.run()
    // Assess
    expect(index.manifest()?.segments.length).toBeLessThanOrEqual(8)
    expect(index.objects.size).toBe(index.manifest()?.segments.length)
    expect(await index.find('Sache')).toHaveLength(40)
  })

  it('has few segments also while changes come faster than they are indexed', async () => {
    for (let number = 0; number < 5_000; number += 1) index.write(`doc_${number}`, 'Schriftsatz')
    // Act
    await index.run()
    // Assess
    expect(index.most.segments).toBeLessThanOrEqual(17)
    expect(await index.find('Schriftsatz')).toHaveLength(5_000)
  })

  it('keeps a short list of deletions however many there are, also while it is made anew', async () => {
    index.write('doc_a', 'Schriftsatz')
    await index.run()
    index.begin({ rebuild: newRebuild })
    for (let number = 0; number < 12_000; number += 1) index.mark('changed', `doc_gone_${number}`)
    // Act
    await index.run()
    // Assess
    expect(index.most.deleted).toBeGreaterThan(4_000)
    expect(index.most.deleted).toBeLessThan(6_000)
    expect(index.marks()).toEqual([])
    expect(await index.find('Schriftsatz')).toEqual(['doc_a'])
  })

  it.each([
    ['cannot be read', () => index.unreadable.add('doc_b')],
    ['has no day', () => index.days.set('doc_b', '99999-01-01')],
  ])('takes the others if a record %s, and tries that one again', async (_, spoil) => {
    spoil()
    for (const id of ['doc_a', 'doc_b', 'doc_c']) index.write(id, 'Schriftsatz')
    // Act
    await index.run()
    const first = await index.find('Schriftsatz')
    const waiting = index.marks().map(({ term, id, reason }) => [term, id, reason])
    index.unreadable.clear()
    index.days.clear()
    index.wait(day)
    await index.run()
    // Assess
    expect(first).toEqual(['doc_a', 'doc_c'])
    expect(waiting).toEqual([['waiting', 'doc_b', 'not_indexable']])
    expect(await index.find('Schriftsatz')).toEqual(['doc_a', 'doc_b', 'doc_c'])
  })

  it('replaces nothing if no record can be read: the fault is elsewhere', async () => {
    for (const id of ['doc_a', 'doc_b']) index.write(id, 'Schriftsatz')
    await index.run()
    for (const id of ['doc_a', 'doc_b']) {
      index.write(id, 'Schriftsatz')
      index.unreadable.add(id)
    }

    await expect(index.run()).rejects.toThrow()

    expect(await index.find('Schriftsatz')).toEqual(['doc_a', 'doc_b'])
    expect(index.marks()).toHaveLength(2)
  })

  it('names the time of its next work, so that an idle firm needs none but that', async () => {
    index.write('doc_a', 'Klage')
    await index.run()
    const idle = index.manifest()?.due_at
    index.write('doc_a', undefined)
    await index.run()

    expect(idle).toBeUndefined()
    expect(index.manifest()?.due_at).toBe('2026-11-28T04:00:00.000Z')
  })
})

describe('a worker that is killed at any step', () => {
  /** A firm with some segments, changes and deletions that wait. */
  const prepare = async () => {
    for (let number = 0; number < 9; number += 1) {
      index.write(`doc_${number}`, `Alter Schriftsatz ${number}`)
      await index.run()
    }
    index.write('doc_0', 'Neuer Schriftsatz')
    index.write('doc_1', undefined)
    index.write('doc_9', 'Neuer Schriftsatz')
  }
  const all = ['doc_0', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `doc_${number}`)]

  const cases: [string, () => void][] = [
    ['indexing and merging', () => {}],
    ['making the index anew', () => index.begin({ rebuild: newRebuild })],
    ['taking deleted texts out', () => index.begin({ deleted_since: erasedSince })],
    [
      'taking deleted texts out of full segments',
      () => {
        vi.spyOn(engine, 'mergeable').mockReturnValue([])
        index.begin({ deleted_since: erasedSince })
      },
    ],
  ]
  afterEach(() => vi.restoreAllMocks())

  it.each(
    cases,
  )('while %s leaves an index that is whole after the next run: nothing missing, nothing twice', async (_, begin) => {
    let steps = 0
    for (let died = true; died; steps += 1) {
      index.remove()
      index = memorySearchIndex()
      await prepare()
      begin()
      died = await index.runUntil(steps + 1)
      // The published index still answers.
      const between = await index.find('Schriftsatz')
      await index.run()
      index.wait(3_600_000)
      await index.run()

      expect(new Set(between).size).toBe(between.length)
      expect(await index.find('Schriftsatz')).toEqual(all)
      expect(await index.find('"Alter Schriftsatz 0"')).toEqual([])
      expect(index.marks()).toEqual([])
      expect(unknownFiles()).toEqual([])
    }
    expect(steps).toBeGreaterThan(6)
  })

  it('several times in a row loses nothing', async () => {
    await prepare()
    for (let at = 1; at <= 6; at += 1) await index.runUntil(at)
    await index.run()

    expect(await index.find('Schriftsatz')).toEqual(all)
  })
})

describe('an index that is made anew', () => {
  it('answers as before meanwhile, and knows afterwards what has changed since it began', async () => {
    for (let number = 0; number < 450; number += 1) index.write(`doc_${number}`, `Schriftsatz ${number}`)
    await index.run()
    index.begin({ rebuild: newRebuild })
    // It dies in the middle.
    await index.runUntil(5)
    expect(index.manifest()?.rebuild?.segments.length).toBeGreaterThan(0)
    expect(await index.find('Schriftsatz')).toHaveLength(450)
    index.write('doc_1', 'Vermerk')
    index.write('doc_2', undefined)
    index.write('doc_new', 'Schriftsatz')
    // Act
    await index.run()
    // Assess
    expect(index.manifest()?.rebuild).toBeUndefined()
    expect(await index.find('Schriftsatz')).toHaveLength(449)
    expect(await index.find('Vermerk')).toEqual(['doc_1'])
  })

  it.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['cut', (path: string) => truncateSync(path, 1_000)],
  ])('is made because a segment is %s: the rest answers, and then everything', async (_, damage) => {
    index.write('doc_a', 'Klage')
    await index.run()
    index.write('doc_b', 'Klage')
    await index.run()
    const [first] = index.manifest()?.segments ?? []
    damage(join(index.bucket, first?.name ?? ''))
    // Act
    await index.run(first?.name)
    // Assess
    expect(await index.find('Klage')).toEqual(['doc_a', 'doc_b'])
    expect(index.manifest()).toMatchObject({ damage: undefined, rebuild: undefined })
  })

  it('retries a record that it could not read, whenever it dies', async () => {
    for (let at = 1, died = true; died; at += 1) {
      index.remove()
      index = memorySearchIndex()
      index.write('doc_a', 'Klage')
      await index.run()
      index.begin({ segments: [], rebuild: newRebuild })
      index.missing.add('doc_a')
      // Act
      died = await index.runUntil(at)
      await index.run()
      // Assess
      const waiting = index.marks().map(({ term, id }) => [term, id])
      expect([at, waiting]).toEqual([at, expect.arrayContaining([['waiting', 'doc_a']])])
    }
  })

  it('goes on being made if another of the old segments is lost', async () => {
    index.write('doc_0', 'Schriftsatz')
    await index.run()
    for (let number = 1; number < 450; number += 1) index.write(`doc_${number}`, `Schriftsatz ${number}`)
    await index.run()
    index.begin({ rebuild: newRebuild })
    await index.runUntil(3)
    const begun = index.manifest()?.rebuild
    const [first] = index.manifest()?.segments ?? []
    rmSync(join(index.bucket, first?.name ?? ''))
    // Act: it takes the segment out, and dies.
    await index.runUntil(1, first?.name)
    // Assess
    expect(begun?.segments).toHaveLength(1)
    expect(index.manifest()?.rebuild).toEqual(begun)
    expect(index.manifest()?.segments).not.toContainEqual(first)
    await index.run()
    expect(await index.find('Schriftsatz')).toHaveLength(450)
    expect(unknownFiles()).toEqual([])
  })

  it('begins anew if one of its own segments is lost', async () => {
    for (let number = 0; number < 450; number += 1) index.write(`doc_${number}`, `Schriftsatz ${number}`)
    await index.run()
    index.begin({ rebuild: newRebuild })
    await index.runUntil(3)
    index.write('doc_450', 'Schriftsatz')
    // The batch with it is in both.
    await index.runUntil(3)
    const lost = index.manifest()?.rebuild?.segments.at(-1)
    rmSync(join(index.bucket, lost?.name ?? ''))
    // Act
    await index.runUntil(1, lost?.name)
    // Assess
    expect(index.manifest()?.rebuild).toEqual(newRebuild)
    await index.run()
    expect(await index.find('Schriftsatz')).toHaveLength(451)
    expect(unknownFiles()).toEqual([])
  })

  it('has nothing of what was deleted or erased while it was made in its files', async () => {
    for (let number = 0; number < 450; number += 1) index.write(`doc_${number}`, `Schriftsatz ${number}`)
    index.write('doc_000', 'Geheimschriftsatz')
    index.write('doc_001', 'Zeugenaussage')
    await index.run()
    index.begin({ rebuild: newRebuild })
    // Its first batch has both.
    await index.runUntil(3)
    expect(index.manifest()?.rebuild?.segments).toHaveLength(1)
    index.write('doc_000', undefined)
    index.write('doc_001', undefined, true)
    await index.run()
    const isErased = !isInFiles('zeugenaussag')
    index.wait(day)
    await index.run()
    index.wait(3_600_000)
    // Act
    await index.run()
    // Assess
    expect([isErased, isInFiles('zeugenaussag'), isInFiles('geheimschriftsatz')]).toEqual([
      true,
      false,
      false,
    ])
    expect(await index.find('Schriftsatz')).toHaveLength(450)
  })

  it('waits for a worker that has the lease, to look at a segment that is said to be damaged', async () => {
    index.hold(true)

    await index.run('a segment')

    expect(index.woken).toEqual([{ workspace_id: workspaceId, damaged: 'a segment', delaySeconds: 60 }])
  })

  it('does not hold what was deleted while it was made, if the old index was lost', async () => {
    for (let number = 0; number < 250; number += 1) index.write(`doc_${number}`, `Schriftsatz ${number}`)
    await index.run()
    index.begin({ segments: [], rebuild: newRebuild })
    // It dies after the first batch.
    await index.runUntil(3)
    expect(index.manifest()?.rebuild?.segments).toHaveLength(1)
    index.write('doc_0', undefined)
    // Act
    await index.run()
    // Assess
    expect(index.manifest()?.rebuild).toBeUndefined()
    expect(await index.find('Schriftsatz')).toHaveLength(249)
  })

  it('is made because a segment is of another version', async () => {
    index.write('doc_a', 'Klage')
    await index.run()
    const [only] = index.manifest()?.segments ?? []
    index.begin({ segments: only === undefined ? [] : [{ ...only, format: 99 }] })

    await index.run(only?.name)

    expect(await index.find('Klage')).toEqual(['doc_a'])
  })

  it('is made once because all segments are of another version, without a search', async () => {
    for (const id of ['doc_a', 'doc_b', 'doc_c']) {
      index.write(id, 'Klage')
      await index.run()
    }
    const segments = (index.manifest()?.segments ?? []).map((one) => ({ ...one, format: 99 }))
    index.begin({ segments })
    // Act: it takes the segments out, and dies.
    await index.runUntil(1)
    // Assess
    expect(segments).toHaveLength(3)
    expect(index.manifest()).toMatchObject({
      segments: [],
      rebuild: newRebuild,
      damage: { reason: 'other_version', records: 3, accesses: { documents: 3 } },
    })
    await index.run()
    expect(await index.find('Klage')).toEqual(['doc_a', 'doc_b', 'doc_c'])
    expect(unknownFiles()).toEqual([])
  })

  it('says that an erasure waits as long as any file has the text, with thousands of deletions too', async () => {
    const gone = Array.from({ length: 4_999 }, (_, at): [string, number] => [`doc_gone_${at}`, 1])
    for (let at = 1, died = true; died; at += 1) {
      index.remove()
      index = memorySearchIndex()
      index.write('doc_a', 'Geheimschriftsatz')
      index.write('doc_b', 'Sache')
      await index.run()
      index.begin({ rebuild: newRebuild })
      await index.runUntil(3)
      index.begin({ deleted: gone })
      index.write('doc_a', undefined, true)
      index.write('doc_b', undefined)
      // Act
      died = await index.runUntil(at)
      // Assess
      const { deleted_since, garbage = [] } = index.manifest() ?? {}
      const isWaiting = [deleted_since, ...garbage.map(({ since }) => since)].includes(erasedSince)
      expect([at, isWaiting || index.marks().length > 0 || !isInFiles('geheimschriftsatz')]).toEqual([
        at,
        true,
      ])
    }
  })
})
