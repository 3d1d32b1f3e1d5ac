import { describe, expect, test } from 'vitest'
import { limits } from '#extraction/limits.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { type PdfTimes, type ReadingBudget, readPdf } from '#extraction/read-pdf.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { explosivePdfs, patternsInPatterns } from './explosive-pdfs.ts'

const ocr: Ocr = { readPages: async () => new Map() }
/** The limits of tests: what is explosive would take days, so it takes longer than these as well. */
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

describe('a PDF that draws the same thing without end', () => {
  test.each(Object.entries(explosivePdfs))('by %s is refused as too complex', async (_, make) => {
    expect(await outcomeOf(read(make()))).toBe('too_complex')
  })

  test('as a pattern that each reader keeps is read', async () => {
    expect(await outcomeOf(read(patternsInPatterns(), { times: limits }))).toBe('read')
  })

  test('holds up nothing else of the process, and the next document is read', async () => {
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

  test('ends with its signal, whatever page it is at', async () => {
    const signal = AbortSignal.timeout(500)

    const reading = readPdf(explosive, 'application/pdf', { ocr }, signal)

    await expect(reading).rejects.toThrow(/timeout/i)
  })

  test('on each of many pages ends when all pages together take too long', async () => {
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

  test('are refused once it is used up; others are read all the same', async () => {
    const budget = budgetOf(2)
    const times = { ...limits, unbudgetedMilliseconds: 300, budgetSliceMilliseconds: 300 }

    const outcomes = await Promise.all([1, 2, 3, 4].map(() => outcomeOf(read(explosive, { budget, times }))))
    const usual = await outcomeOf(
      read(corpusFile('schriftsatz.pdf'), { budget, times: { ...times, unbudgetedMilliseconds: 20_000 } }),
    )

    expect(outcomes).toEqual(Array(4).fill('too_complex'))
    expect(usual).toBe('read')
  })

  test('take nothing of it if they are read at once', async () => {
    const budget = budgetOf(0)
    const times = { ...limits, unbudgetedMilliseconds: 20_000 }

    const outcomes = [
      await outcomeOf(read(corpusFile('schriftsatz.pdf'), { budget, times })),
      await outcomeOf(read(corpusFile('akte.pdf'), { budget, times })),
    ]

    expect([outcomes, budget.asked]).toEqual([['read', 'read'], []])
  })

  test('fail as the budget fails, so that they are tried again', async () => {
    const lost = new Error('The table cannot be reached.')
    const budget = { take: () => Promise.reject(lost) }

    expect(
      await outcomeOf(read(explosive, { budget, times: { ...limits, unbudgetedMilliseconds: 100 } })),
    ).toBe(lost)
  })
})
