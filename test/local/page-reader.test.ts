import { expect, test, vi } from 'vitest'
import { createReader, NoReader } from '#infra/local/page-reader.ts'
import { corpusFile } from '#test/support/corpus.ts'

const starting = vi.hoisted(() => ({ failures: 0 }))
vi.mock('tesseract.js', async (original) => {
  const tesseract = await original<typeof import('tesseract.js')>()
  const createWorker: typeof tesseract.createWorker = async (...call) => {
    starting.failures -= 1
    if (starting.failures >= 0) throw new Error('No thread could be started.')
    return tesseract.createWorker(...call)
  }
  return { ...tesseract, createWorker }
})

test('a reader that did not start says so, and starts with the next page', async () => {
  const picture = { image: Buffer.from(corpusFile('scan.png')), width: 1_000, height: 1_000 }
  const reader = createReader()
  starting.failures = 1

  await expect(reader.read(picture)).rejects.toBeInstanceOf(NoReader)
  const lines = await reader.read(picture)

  expect(lines.length).toBeGreaterThan(3)
})

test('a reader without pages ends its thread, and starts another with the next page', async () => {
  const picture = { image: Buffer.from(corpusFile('scan.png')), width: 1_000, height: 1_000 }
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = threads()
  const reader = createReader({ idleMilliseconds: 100 })

  const [first, beside] = await Promise.all([reader.read(picture), reader.read(picture)])
  await vi.waitFor(() => expect(threads()).toBe(before), { timeout: 60_000 })
  const again = await reader.read(picture)

  expect([beside, again]).toEqual([first, first])
})
