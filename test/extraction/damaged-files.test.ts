import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DocumentType } from '#documents/schema.ts'
import { extract } from '#extraction/extract.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { random } from '#test/support/random.ts'

const uncaught: unknown[] = []
const note = (error: unknown) => uncaught.push(error)
beforeAll(() => {
  process.on('uncaughtException', note).on('unhandledRejection', note)
})
afterAll(() => {
  process.off('uncaughtException', note).off('unhandledRejection', note)
})

const ocr: Ocr = { readPages: async () => new Map() }

test.each<[string, DocumentType, number]>([
  ['schriftsatz.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 300],
  ['schriftsatz.doc', 'application/msword', 300],
  ['schriftsatz.pdf', 'application/pdf', 100],
  ['gemischt.pdf', 'application/pdf', 50],
  ['scan.png', 'image/png', 100],
  ['scan.jpg', 'image/jpeg', 100],
  ['zwei-seiten.tif', 'image/tiff', 100],
])('%s, damaged at random places, is read or refused, but never causes another error', async (name, type, count) => {
  const original = corpusFile(name)
  for (let seed = 1; seed <= count; seed += 1) {
    const result = await extract(damaged(original, seed), type, { ocr })

    expect('text' in result || typeof result.refused === 'string', `seed ${seed}`).toBe(true)
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(uncaught).toEqual([])
})

/**
 * The file with some bytes replaced, or without its end. Most replaced bytes are near the beginning or the end, which
 * contain the structure of a file.
 */
function damaged(original: Uint8Array, seed: number): Uint8Array {
  const { below } = random(seed)
  const bytes = original.slice()
  for (let hits = 1 + below(8); hits > 0; hits -= 1) {
    const place = [
      below(bytes.length),
      below(Math.min(600, bytes.length)),
      bytes.length - 1 - below(Math.min(600, bytes.length)),
    ]
    bytes[place[below(3)] ?? 0] = below(256)
  }
  return below(5) === 0 ? bytes.subarray(0, 1 + below(bytes.length)) : bytes
}
