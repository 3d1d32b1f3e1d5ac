import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { picturesOf } from '#infra/local/page-pictures.ts'
import { patternsInPatterns } from '#test/extraction/explosive-pdfs.ts'
import { picturePage } from '#test/support/pdf-writer.ts'
import { blackAndWhite, tiffOf } from '#test/support/tiff-writer.ts'

const maxPixels = 16_500_000

/** Only a page that hangs takes this long, also on a busy machine. */
const unhurried = { page: 100_000, all: 110_000 }

async function sizesOf(bytes: Uint8Array): Promise<{ width: number; height: number }[]> {
  const sizes = []
  for await (const { width, height } of picturesOf(Buffer.from(bytes), unhurried))
    sizes.push({ width, height })
  return sizes
}

async function outcomeOf(pictures: AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const _ of pictures);
    return 'drawn'
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
  }
}

const corpus = (name: string) => readFileSync(new URL(`../corpus/${name}`, import.meta.url))

test.each([
  ['of A4 at 200 dpi', 595, 842, 1_652, 2_338],
  ['a hundred metres long no larger than A3', 595, 100_000, 308, 51_856],
])('a page of a PDF is drawn %s', async (_, width, height, drawnWidth, drawnHeight) => {
  expect(await sizesOf(picturePage(width, height))).toEqual([{ width: drawnWidth, height: drawnHeight }])
})

test('a large picture is scaled down, one of a usual size is not', async () => {
  const pixels = Buffer.alloc((5_000 * 5_000) / 8, 0xff)
  const large = tiffOf(
    (dataAt) => [
      ...blackAndWhite(5_000, 5_000).filter(({ tag }) => tag !== 273 && tag !== 279),
      { tag: 273, value: dataAt },
      { tag: 279, value: pixels.length },
    ],
    pixels,
  )

  const [shrunk] = await sizesOf(large)

  expect(shrunk).toEqual({ width: 4_000, height: 4_000 })
  for (const name of ['scan.png', 'scan.jpg', 'scan-lzw.tif']) {
    const [size = { width: 0, height: 0 }] = await sizesOf(corpus(name))
    expect(size.width * size.height).toBeGreaterThan(1_000_000)
    expect(size.width * size.height).toBeLessThan(maxPixels)
  }
})

test.each([
  ['a page that draws the same thing without end', patternsInPatterns(), { page: 3_000, all: 60_000 }],
  ['pages that together take too long', corpus('zwei-seiten.tif'), { page: 20_000, all: 1 }],
])('%s ends, and another file is drawn at the same time and afterwards', async (_, hostile, times) => {
  const drawing = outcomeOf(picturesOf(Buffer.from(hostile), times))

  const [beside, outcome] = [await sizesOf(corpus('scan.png')), await drawing]
  const after = await sizesOf(corpus('scan.png'))

  expect([beside.length, outcome, after.length]).toEqual([1, 'A page takes too long to draw.', 1])
})

test('a caller that needs no further page leaves no thread behind', async () => {
  for await (const { width } of picturesOf(Buffer.from(corpus('zwei-seiten.tif')))) {
    expect(width).toBeGreaterThan(1_000)
    break
  }
})

test('a picture with too many pixels or bits is refused before it is decoded', async () => {
  const manyBits = blackAndWhite(10_000, 10_000).map((field) =>
    field.tag === 277 ? { ...field, value: 60_000 } : field,
  )

  await expect(sizesOf(tiffOf(blackAndWhite(30_000, 30_000)))).rejects.toThrow('too many pixels')
  await expect(sizesOf(tiffOf(manyBits))).rejects.toThrow('too many pixels')
})
