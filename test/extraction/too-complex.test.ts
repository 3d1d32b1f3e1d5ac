import { describe, expect, test } from 'vitest'
import { limits } from '#extraction/limits.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { type PdfTimes, type ReadingBudget, readPdf } from '#extraction/read-pdf.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { explosivePdfs, patternsInPatterns } from './explosive-pdfs.ts'

const ocr: Ocr = { readPages: async () => new Map() }
/** The limits of these tests. An explosive PDF would take days, so it also exceeds these short ones. */
const short: PdfTimes = { ...limits, pageMilliseconds: 2_000 }
const forever = new AbortController().signal

const read = (bytes: Uint8Array, options: { budget?: ReadingBudget; times?: PdfTimes } = {}) =>
  readPdf(bytes, 'application/pdf', { ocr, times: short, ...options }, forever)

const outcomeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'read',
    (error: unknown) => (error instanceof Error && 'reason' in error ? error.reason : error),
  )

const explosive = explosivePdfs['forms in forms']?.() ?? new Uint8Array()

describe('a PDF that takes days to draw', () => {
  test.each(Object.entries(explosivePdfs))('because of %s is refused as too complex', async (_, make) => {
    expect(await outcomeOf(read(make()))).toBe('too_complex')
  })

  test('is read if it uses only patterns, which pdf.js reads once', async () => {
    expect(await outcomeOf(read(patternsInPatterns(), { times: limits }))).toBe('read')
  })

  test('delays nothing else in the process, and the next document is read', async () => {
    const reading = outcomeOf(read(explosive))
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 10)

    const beside = await outcomeOf(read(corpusFile('schriftsatz.pdf'), { times: limits }))
    const outcome = await reading
    clearInterval(timer)
    const after = await outcomeOf(read(corpusFile('schriftsatz.pdf'), { times: limits }))

    expect([beside, outcome, after]).toEqual(['read', 'too_complex', 'read'])
    expect(turns).toBeGreaterThan(20)
  })

  test('is stopped at any page when its signal aborts', async () => {
    const signal = AbortSignal.timeout(500)

    const reading = readPdf(explosive, 'application/pdf', { ocr }, signal)

    await expect(reading).rejects.toThrow(/timeout/i)
  })

  test('is stopped when its pages together take too long', async () => {
    const content = 'q Q '.repeat(100_000)
    const pages = Array.from({ length: 500 }, () => '3 0 R').join(' ')
    const slow = pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      `<</Type/Pages/Kids[${pages}]/Count 500>>`,
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<>>>>',
      `<</Length ${content.length}>>stream\n${content}\nendstream`,
    ])

    const outcome = await outcomeOf(read(slow, { times: { ...limits, pdfMilliseconds: 1_000 } }))

    expect(outcome).toBe('too_complex')
  })
})

describe('documents that share a budget', () => {
  /** A budget of this number of slices. */
  function budgetOf(slices: number) {
    const asked: number[] = []
    const take = async (milliseconds: number) => {
      asked.push(milliseconds)
      return asked.length <= slices
    }
    return { asked, take }
  }

  test('are refused if it is used up; others are still read', async () => {
    const budget = budgetOf(2)
    const times = { ...limits, unbudgetedMilliseconds: 300, budgetSliceMilliseconds: 300 }

    const outcomes = await Promise.all([1, 2, 3, 4].map(() => outcomeOf(read(explosive, { budget, times }))))
    const usual = await outcomeOf(
      read(corpusFile('schriftsatz.pdf'), { budget, times: { ...times, unbudgetedMilliseconds: 20_000 } }),
    )

    expect(outcomes).toEqual(Array(4).fill('too_complex'))
    expect(usual).toBe('read')
  })

  test('use nothing of it if they are read quickly', async () => {
    const budget = budgetOf(0)
    const times = { ...limits, unbudgetedMilliseconds: 20_000 }

    const outcomes = [
      await outcomeOf(read(corpusFile('schriftsatz.pdf'), { budget, times })),
      await outcomeOf(read(corpusFile('akte.pdf'), { budget, times })),
    ]

    expect([outcomes, budget.asked]).toEqual([['read', 'read'], []])
  })

  test('fail with the error of the budget, so that another attempt follows', async () => {
    const lost = new Error('The table cannot be reached.')
    const budget = { take: () => Promise.reject(lost) }

    expect(
      await outcomeOf(read(explosive, { budget, times: { ...limits, unbudgetedMilliseconds: 100 } })),
    ).toBe(lost)
  })
})
