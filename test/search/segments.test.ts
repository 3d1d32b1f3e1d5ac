import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { buildSegment } from '#search/build-segment.ts'
import { mergeable, planMerge } from '#search/merge-segments.ts'
import { openSegment } from '#search/open-segment.ts'
import { fileFacts, format } from '#search/segment-file.ts'
import type { IndexedRecord, Segment, SegmentFacts } from '#search/types.ts'
import { aFolder, aRecord, found, merged, search, segmentOf } from './an-index.ts'

const wordsOf = ({ vocabularies }: Segment) => vocabularies.map((read) => read().words)
const pathOf = (segment: { db: { location: () => string | null } }) => segment.db.location() ?? ''

describe('a segment file', () => {
  it.each([
    ['is missing', 'missing', () => '/nowhere/at.all'],
    [
      'was cut',
      'damaged',
      (path: string) => {
        truncateSync(path, 8_192)
        return path
      },
    ],
    [
      'has another byte',
      'damaged',
      (path: string) => {
        const bytes = readFileSync(path)
        bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
        writeFileSync(path, bytes)
        return path
      },
    ],
  ])('that %s cannot be opened: %s', async (_, problem, damage) => {
    const segment = await segmentOf(aRecord('a', 'Kündigung'))
    const path = join(aFolder(), 'copy')
    copyFileSync(pathOf(segment), path)

    await expect(openSegment(damage(path), segment.facts)).rejects.toMatchObject({ problem })
  })

  it('of another version of the format cannot be opened', async () => {
    const { facts, ...segment } = await segmentOf(aRecord('a', 'Kündigung'))
    const other = { ...facts, format: format + 1 }

    await expect(openSegment(pathOf(segment), other)).rejects.toMatchObject({ problem: 'other_version' })
  })

  it('that is not a segment cannot be opened', async () => {
    const path = join(aFolder(), 'text')
    writeFileSync(path, 'Dies ist kein Segment.')
    const facts = { format, records: 1, keepsTerms: true, ...(await fileFacts(path)) }

    await expect(openSegment(path, facts)).rejects.toMatchObject({ problem: 'damaged' })
  })

  it('does not exist, not even in part, if an error ends its records', async () => {
    const folder = aFolder()
    async function* records() {
      yield aRecord('a', 'Kündigung')
      throw new Error('The bucket does not answer.')
    }

    await expect(buildSegment(records(), join(folder, 'segment'))).rejects.toThrow('The bucket')
    expect(readdirSync(folder)).toEqual([])
  })

  it('contains each record once, in its latest version, in any order of its records', async () => {
    const segment = await segmentOf(
      aRecord('a', 'alt', { sequence: 1 }),
      aRecord('a', 'neu', { sequence: 3 }),
      aRecord('a', 'mittel', { sequence: 2 }),
      aRecord('a', 'wiederholt', { sequence: 3 }),
    )

    expect(segment.facts.records).toBe(1)
    expect(['alt', 'mittel', 'wiederholt', 'neu'].map((word) => search([segment], word).total)).toEqual([
      0, 0, 0, 1,
    ])
    expect(wordsOf(segment)).toEqual(['\nneu\n'])
  })
})

describe('several segments', () => {
  it('find the latest version of a record, in any order', async () => {
    const older = await segmentOf(aRecord('a', 'Kündigung alt'), aRecord('b', 'Kündigung'))
    const newer = await segmentOf(aRecord('a', 'Kündigung neu', { sequence: 2 }))
    for (const segments of [
      [older, newer],
      [newer, older],
    ]) {
      expect(found(segments, 'Kündigung').toSorted()).toEqual(['a', 'b'])
      expect(search(segments, 'Kündigung').total).toBe(2)
      expect(found(segments, 'alt')).toEqual([])
      expect(found(segments, 'neu')).toEqual(['a'])
    }
  })

  it('find a record once if two of them contain the same version', async () => {
    const twice = [await segmentOf(aRecord('a', 'Kündigung')), await segmentOf(aRecord('a', 'Kündigung'))]

    expect(search(twice, 'Kündigung').total).toBe(1)
    expect((await merged(twice)).facts.records).toBe(1)
  })

  it('no longer find a deleted record, but a later one with the same id', async () => {
    const segment = await segmentOf(aRecord('a', 'Kündigung', { sequence: 4 }), aRecord('b', 'Kündigung'))
    const again = await segmentOf(aRecord('a', 'Kündigung', { sequence: 6 }))
    const deleted = new Map([['a', 5]])

    expect(found([segment], 'Kündigung', { deleted })).toEqual(['b'])
    expect(search([segment], 'Kündigung', { deleted }).total).toBe(1)
    expect(found([segment, again], 'Kündigung', { deleted }).toSorted()).toEqual(['a', 'b'])
  })

  it('take later deletions into account', async () => {
    const segment = await segmentOf(aRecord('a', 'Kündigung'), aRecord('b', 'Kündigung'))
    const deleted = new Map([['a', 1]])
    const before = found([segment], 'Kündigung', { deleted })
    deleted.set('b', 1)

    expect(before).toEqual(['b'])
    expect(found([segment], 'Kündigung', { deleted })).toEqual([])
  })

  it('rank and count like a single segment of all records', async () => {
    const records = Array.from({ length: 60 }, (_, at) =>
      aRecord(`r${at}`, `Frist ${'Kündigung '.repeat(1 + (at % 5))}${'Text '.repeat(at % 17)}`, {
        date: `2026-10-${10 + (at % 20)}`,
      }),
    )
    const one = await segmentOf(...records)
    const several = [await segmentOf(...records.slice(0, 3)), await segmentOf(...records.slice(3))]

    const scores = (segments: Parameters<typeof search>[0]) =>
      search(segments, 'Kündigung Frist', { limit: 60 }).hits.map(({ score }) => score.toFixed(6))
    expect(scores(several)).toEqual(scores([one]))
  })

  it('give the same hits in pages as in one answer', async () => {
    const records = Array.from({ length: 40 }, (_, at) =>
      aRecord(`r${at}`, `Kündigung ${'Text '.repeat(at % 7)}`),
    )
    const segments = [await segmentOf(...records.slice(0, 25)), await segmentOf(...records.slice(25))]
    const pages = [0, 15, 30].flatMap((offset) => found(segments, 'Kündigung', { offset, limit: 15 }))

    expect(pages).toEqual(found(segments, 'Kündigung', { limit: 50 }))
    expect(new Set(pages).size).toBe(40)
  })
})

describe('a filter', () => {
  it('excludes other kinds, cases and days, also from the total', async () => {
    const segment = await segmentOf(
      aRecord('a', 'Frist', { kind: 'document', case_id: 'c1', date: '2026-01-31' }),
      aRecord('b', 'Frist', { kind: 'mail', case_id: 'c1', date: '2026-02-01' }),
      aRecord('c', 'Frist', { kind: 'bea', case_id: null, date: '2026-02-28' }),
      aRecord('d', 'Frist', { kind: 'mail', case_id: 'c2', date: '2026-03-01' }),
    )
    const idsFor = (filter: Parameters<typeof search>[2]) =>
      found([segment], 'Frist', filter).toSorted().join('')

    expect(idsFor({ kinds: ['mail'] })).toBe('bd')
    expect(idsFor({ kinds: ['mail', 'bea'] })).toBe('bcd')
    expect(idsFor({ case_id: 'c1' })).toBe('ab')
    expect(idsFor({ case_id: 'c3' })).toBe('')
    expect(idsFor({ from: '2026-02-01', to: '2026-02-28' })).toBe('bc')
    expect(search([segment], 'Frist', { kinds: ['mail'], limit: 1 }).total).toBe(2)
  })

  it('hides unreadable records, and scores and counts do not depend on them', async () => {
    const mine = await segmentOf(aRecord('a', 'Kündigung Frist'), aRecord('b', 'Kündigung'))
    const hidden = Array.from({ length: 30 }, (_, at) =>
      aRecord(`h${at}`, 'Kündigung Geheimnis', { access: 'secret' }),
    )
    const secret = await segmentOf(...hidden)
    const mayRead = (access: string) => access === 'documents'

    const alone = search([mine], 'Kündigung', { mayRead })
    const together = search([mine, secret], 'Kündigung', { mayRead })
    expect(together.hits).toEqual(alone.hits)
    expect(together.total).toBe(2)
    expect(search([mine, secret], 'Geheimnis', { mayRead }).total).toBe(0)
    expect(search([mine, secret], '-Frist', { mayRead }).total).toBe(1)
    expect(search([mine, secret], 'Geheim*', { mayRead }).total).toBe(0)
  })
})

describe('words that occur only in records that the caller may not read', () => {
  const mayRead = (access: string) => access === 'documents'

  it.each([
    ['a beginning', 'kündigun*', 'Sie kündigen.', 'Die Kündigung'],
    ['another form of a part', 'Frist', 'Die Kündigungsfrist. Sie kündigen.', 'Die Kündigung'],
    ['another form of the word', 'Vertrag', 'Mietvertragernpflicht, Miete, Pflicht', 'Vertragern'],
  ])('change no hits, as %s: %s in "%s"', async (_, question, mine, hidden) => {
    const own = aRecord('a', mine)
    const secret = aRecord('h', hidden, { access: 'secret' })
    const alone = found([await segmentOf(own)], question, { mayRead })
    const apart = [await segmentOf(own), await segmentOf(secret)]
    const together = await segmentOf(own, secret)

    expect(found(apart, question, { mayRead })).toEqual(alone)
    expect(found([together], question, { mayRead })).toEqual(alone)
    expect(found([await merged(apart, new Map(), false)], question, { mayRead })).toEqual(alone)
    expect(found(apart, question)).not.toEqual(alone)
  })

  it('leave a word list as soon as its last record has other readers', async () => {
    const before = await segmentOf(aRecord('a', 'Kündigung'), aRecord('b', 'Vertrag'))
    const after = await segmentOf(aRecord('a', 'Kündigung', { sequence: 2, access: 'secret' }))

    const one = await merged([before, after])

    expect(one.columns.accessNames.map((name, at) => [name, wordsOf(one)[at]]).toSorted()).toEqual([
      ['documents', '\nvertrag\n'],
      ['secret', '\nkundigung\n'],
    ])
    expect(one.facts.accesses).toEqual({ documents: 1, secret: 1 })
  })
})

describe('a merge', () => {
  it('lets timers run, so that the lease of its worker can be renewed', async () => {
    const text = Array.from({ length: 600 }, (_, at) => `Wort${at}`).join(' ')
    const segments = await Promise.all(
      [0, 1, 2].map((part) =>
        segmentOf(...Array.from({ length: 250 }, (_, at) => aRecord(`r${part}-${at}`, `${text} ${at}`))),
      ),
    )
    let turns = 0
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    // Each call of the clock adds 60 ms, so that the test does not depend on the speed of the machine.
    let time = 0
    const turnsSeen = new Set<number>()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      turnsSeen.add(turns)
      time += 60
      return time
    })
    // Act
    await merged(segments, new Map(), false)
    // Assess
    clearImmediate(next)
    clock.mockRestore()
    expect(turnsSeen.size).toBeGreaterThan(100)
  })

  it.each([
    true,
    false,
  ])('finds the same as before, with the facts of each record (keeps terms: %s)', async (keeps) => {
    const facts = {
      kind: 'bea',
      access: 'bea:7',
      case_id: 'c9',
      date: '2025-05-05',
      titles: ['Schriftsatz.pdf'],
    }
    const segments = [
      await segmentOf(aRecord('a', ['Mietvertrag', 'Miete und Vertrag']), aRecord('b', 'Kündigungsfrist')),
      await segmentOf(aRecord('c', '"Fristlose Kündigung" wegen § 543 BGB', facts)),
    ]
    const questions = [
      'Vertrag',
      'Kündigung',
      '"fristlose Kündigung"',
      '§ 543',
      'Schrift*',
      'Frist',
      '-Miete',
    ]

    const one = await merged(segments, new Map(), keeps)

    expect(one.facts).toMatchObject({ records: 3, keepsTerms: keeps })
    for (const question of questions)
      expect(found([one], question), question).toEqual(found(segments, question))
    const filter = {
      kinds: ['bea'],
      mayRead: (access: string) => access === 'bea:7',
      ...{ case_id: 'c9', from: '2025-05-05', to: '2025-05-05' },
    }
    expect(found([one], 'Schriftsatz', filter)).toEqual(['c'])
    expect(found([one], 'Schriftsatz', { ...filter, mayRead: (access) => access !== 'bea:7' })).toEqual([])
  })

  it('leaves nothing of deleted and superseded texts in the file', async () => {
    const secret = 'Xylophonist'
    const stem = 'xylophonist'
    const kept = aRecord('a', 'Kündigung')
    const large = await merged(
      [await segmentOf(kept, aRecord('b', secret), aRecord('c', secret))],
      new Map(),
      false,
    )
    const newer = await segmentOf(aRecord('c', 'Vertrag', { sequence: 2 }))
    const before = readFileSync(pathOf(large)).includes(stem)

    const one = await merged([newer, large], new Map([['b', 1]]), false)

    expect(before).toBe(true)
    expect(readFileSync(pathOf(one)).includes(stem)).toBe(false)
    expect(wordsOf(one)).toEqual(['\nkundigung\nvertrag\n'])
    expect(one.facts.records).toBe(2)
    expect(found([one], 'Xylo*')).toEqual([])
  })

  it('refuses two segments without analysed texts', async () => {
    const large = [await segmentOf(aRecord('a', 'x')), await segmentOf(aRecord('b', 'y'))]
    const without = await Promise.all(large.map((one) => merged([one], new Map(), false)))

    await expect(merged(without)).rejects.toThrow('analysed texts')
  })
})

describe('the plan of merges', () => {
  it.each([
    1, 20, 700,
  ])('keeps few segments, and writes a record few times, with %d records each', (records) => {
    let segments: (SegmentFacts & { name: string })[] = []
    let written = 0
    let most = 0
    const all = 600 * records
    for (let made = 1; made <= 600; made += 1) {
      segments.push({ name: `new ${made}`, format, records, bytes: 1, sha256: '', keepsTerms: true })
      for (;;) {
        const plan = planMerge(segments)
        if (plan === undefined) break
        const from = segments.filter(({ name }) => plan.names.includes(name))
        expect(from.length).toBeGreaterThan(1)
        expect(from.filter(({ keepsTerms }) => !keepsTerms).length).toBeLessThanOrEqual(
          plan.keepsTerms ? 0 : 1,
        )
        const sum = from.reduce((total, one) => total + one.records, 0)
        written += sum
        segments = segments.filter(({ name }) => !plan.names.includes(name))
        segments.push({
          ...segments[0],
          name: `merged ${made} ${written}`,
          format,
          records: sum,
          bytes: 1,
          sha256: '',
          keepsTerms: plan.keepsTerms,
        })
      }
      most = Math.max(most, segments.length)
    }

    expect(segments.reduce((sum, one) => sum + one.records, 0)).toBe(all)
    expect(most).toBeLessThanOrEqual(8)
    expect(segments.filter(({ keepsTerms }) => !keepsTerms).length).toBeLessThanOrEqual(1)
    expect(written / all).toBeLessThan(15)
  })

  it('excludes full segments, and all but the smallest of those without analysed texts', () => {
    const segment = { format, records: 5, bytes: 1, sha256: '', keepsTerms: true }
    const large = { ...segment, keepsTerms: false }
    const segments = [
      { ...large, name: 'full', bytes: 500_000_000 },
      { ...segment, name: 'full of long texts', bytes: 500_000_000 },
      { ...large, name: 'large', records: 9_000, bytes: 300_000_000 },
      { ...large, name: 'smaller', records: 8_000, bytes: 200_000_000 },
      { ...segment, name: 'small' },
    ]

    expect(mergeable(segments).map(({ name }) => name)).toEqual(['smaller', 'small'])
  })

  it('purges everything into one segment', () => {
    const segment = { format, records: 5, bytes: 1, sha256: '', keepsTerms: true }

    expect(planMerge([{ ...segment, name: 'a' }], true)).toEqual({ names: ['a'], keepsTerms: true })
    expect(
      planMerge(
        [
          { ...segment, name: 'a' },
          { ...segment, name: 'b', keepsTerms: false },
        ],
        true,
      ),
    ).toEqual({
      names: ['a', 'b'],
      keepsTerms: false,
    })
    expect(planMerge([], true)).toBeUndefined()
  })
})

describe('a huge text', () => {
  const cases: [string, () => IndexedRecord, string][] = [
    [
      'of 2,000 pages',
      () =>
        aRecord(
          'a',
          Array.from({ length: 2_000 }, (_, at) => `Seite ${at} Kündigung`),
        ),
      '"Seite 1999"',
    ],
    ['of 300,000 times the same word', () => aRecord('a', 'Kündigung '.repeat(300_000)), 'Kündigung'],
    [
      'with a word of 100,000 letters',
      () => aRecord('a', `Anfang${'x'.repeat(100_000)} Ende`),
      'Anfang* Ende',
    ],
    ['with 100,000 combining marks', () => aRecord('a', `Ende a${'\u0301'.repeat(100_000)}`), 'Ende'],
    ['of 100,000 digits', () => aRecord('a', `Ende ${'1'.repeat(100_000)}`), 'Ende'],
    [
      'of 100,000 paragraph signs',
      () => aRecord('a', `${'§ '.repeat(100_000)}${'§'.repeat(100_000)}5 Ende`),
      '§5',
    ],
  ]
  it.each(cases)('%s is indexed and found', async (_, record, question) => {
    expect(found([await segmentOf(record())], question)).toEqual(['a'])
  })

  it('of 50 MB is indexed and found', async () => {
    const sentence = 'Der Mieter kündigt fristlos, und der Vermieter widerspricht. '
    const text = `${sentence.repeat(Math.ceil((50 * 1024 * 1024) / sentence.length))} Schlusswort`

    expect(found([await segmentOf(aRecord('a', text))], 'Schlusswort Mieter')).toEqual(['a'])
  })
})

it('a segment has its name only when it is complete', async () => {
  const path = join(aFolder(), 'segment')
  let wasThere = false
  function* records() {
    for (let at = 0; at < 50; at += 1) {
      wasThere ||= existsSync(path)
      yield aRecord(`r${at}`, 'Kündigung')
    }
  }

  await buildSegment(records(), path)

  expect(wasThere).toBe(false)
  expect(existsSync(path)).toBe(true)
})
