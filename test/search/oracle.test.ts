import { describe, expect, it } from 'vitest'
import { aRecord, found, merged, segmentOf } from './an-index.ts'
import { textWriter, vocabulary } from './firm-texts.ts'
import { compare, questions } from './oracle.ts'

const records = 400
const queries = 1_000

describe('a thousand generated queries, compared with a full scan of the texts', () => {
  it('have recall and precision of at least 0.99, in several segments and after their merge', async () => {
    const writePages = textWriter(vocabulary(3_000), 11)
    const texts = new Map(Array.from({ length: records }, (_, at) => [`doc_${at}`, writePages(1 + (at % 2))]))
    const all = [...texts].map(([id, pages]) => aRecord(id, pages))
    const outdated = all
      .slice(0, 100)
      .map(({ id }) => aRecord(id, 'Veraltet Kündigung Vertrag', { sequence: 0 }))
    const gone = aRecord('gone', 'Kündigung Vertrag Miete')
    const deleted = new Map([['gone', 1]])
    const segments = [
      await segmentOf(...outdated, ...all.slice(200)),
      await segmentOf(...all.slice(0, 150), gone),
      await segmentOf(...all.slice(150, 200)),
    ]
    const asked = questions(texts, queries)

    const several = compare(asked, (text) => found(segments, text, { deleted, limit: records }))
    const one = await merged(segments, deleted, false)
    const afterMerge = compare(asked, (text) => found([one], text, { limit: records }))

    expect(asked.filter(({ expected }) => expected.size > 0).length).toBeGreaterThan(queries * 0.9)
    expect(several.recall).toBeGreaterThanOrEqual(0.99)
    expect(several.precision).toBeGreaterThanOrEqual(0.99)
    expect(afterMerge).toEqual(several)
    expect(one.facts.records).toBe(records)
  })
})
