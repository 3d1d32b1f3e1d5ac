import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { segmentFolder } from '#foundation/segment-folder.ts'
import type { NamedSegment } from '#text-search/ports.ts'
import { segmentCache } from '#text-search/segment-cache.ts'

let parent: string
let open: Set<string>
let mostOpen: number
let mostBytes: number
let fetched: string[]
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'aktenlage-cache-'))
  open = new Set()
  mostOpen = 0
  mostBytes = 0
  fetched = []
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(parent, { recursive: true, force: true })
})

const bytesOnDisk = () =>
  readdirSync(parent, { recursive: true })
    .map((name) => statSync(join(parent, String(name))))
    .reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0)

/** A cache of segments of 1,000 bytes each, of which it has room for ten. */
const aCache = (maxOpen = 100, engine = {}) =>
  segmentCache<string>({
    parent,
    maxBytes: 10_000,
    maxOpen,
    files: {
      fetch: async (_, name, path) => {
        fetched.push(name)
        writeFileSync(path, Buffer.alloc(1_000))
        mostBytes = Math.max(mostBytes, bytesOnDisk())
        return true
      },
    },
    engine: {
      build: () => Promise.reject(new Error('No test makes one.')),
      open: async (path) => {
        open.add(path)
        mostOpen = Math.max(mostOpen, open.size)
        return path
      },
      close: (path) => void open.delete(path),
      ...engine,
    },
  })

const named = (...names: string[]) =>
  names.map(
    (name): NamedSegment => ({ name, format: 1, records: 1, bytes: 1_000, sha256: '', keepsTerms: true }),
  )

describe('the segments on the disk of a reader', () => {
  it('make room before others come, so that the disk never has more than their limit', async () => {
    const cache = aCache()
    for (let at = 0; at < 30; at += 3) {
      const names = [`${at}`, `${at + 1}`, `${at + 2}`]
      const opened = await cache.open(`ws_${at}`, named(...names), names)
      expect(opened.segments).toHaveLength(3)
      opened.release()
    }

    expect(mostBytes).toBeLessThanOrEqual(10_000)
    expect(bytesOnDisk()).toBe(1_000 * open.size)
  })

  it('are not more than may be open, however small they are, and those of a search stay', async () => {
    const cache = aCache(4)
    const first = await cache.open('ws_a', named('a', 'b'), ['a', 'b'])
    for (let at = 0; at < 20; at += 1) (await cache.open(`ws_${at}`, named('c'), ['c'])).release()

    expect(mostOpen).toBeLessThanOrEqual(4)
    expect(first.segments.every((path) => open.has(path) && existsSync(path))).toBe(true)
  })

  it('answer on if one of them cannot be removed', async () => {
    const cache = aCache(1)
    const fault = vi.spyOn(open, 'delete').mockImplementation(() => {
      throw new Error('The disk is broken.')
    })
    ;(await cache.open('ws_a', named('a', 'b'), ['a', 'b'])).release()
    await setTimeout(50)

    const opened = await cache.open('ws_a', named('b'), ['b'])

    expect(fault).toHaveBeenCalled()
    expect(opened.segments).toHaveLength(1)
  })

  it('are closed and removed once the index of their firm names them no more', async () => {
    const cache = aCache()
    ;(await cache.open('ws_a', named('a', 'b'), ['a', 'b'])).release()
    ;(await cache.open('ws_b', named('a'), ['a'])).release()
    // Act
    ;(await cache.open('ws_a', named('b', 'c'), ['b', 'c'])).release()
    // Assess
    expect(fetched).toEqual(['a', 'b', 'a', 'c'])
    expect(open.size).toBe(3)
    expect(bytesOnDisk()).toBe(3_000)
  })

  it('leave no file if a segment that was made for one search cannot be opened', async () => {
    const facts = { format: 1, records: 1, bytes: 1_000, sha256: '', keepsTerms: true }
    const cache = aCache(100, {
      build: async (_: unknown, path: string) => {
        writeFileSync(path, Buffer.alloc(1_000))
        return facts
      },
      open: () => Promise.reject(new Error('It cannot be opened.')),
    })
    // Act
    const made = cache.make((async function* () {})())
    // Assess
    await expect(made).rejects.toThrow('It cannot be opened.')
    expect(bytesOnDisk()).toBe(0)
  })

  it('of a process that Lambda has ended are removed by the next one, which gets the same disk', async () => {
    vi.stubEnv('TMPDIR', parent)
    await aCache().open('ws_a', named('a', 'b'), ['a', 'b'])
    mkdirSync(join(parent, 'segment-merge'))
    writeFileSync(join(parent, 'segment-merge', 'draft'), Buffer.alloc(1_000))
    // Elsewhere other processes use the folder.
    segmentFolder()
    const before = bytesOnDisk()
    // Act
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '7')
    segmentFolder()
    // Assess
    expect([before, bytesOnDisk()]).toEqual([3_000, 0])
  })
})
