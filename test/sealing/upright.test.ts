import { beforeAll, describe, expect, it } from 'vitest'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { sealer } from '#sealing/sealer.ts'
import type { Signer } from '#sealing/signer.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { tiffOf } from '#test/support/tiff-writer.ts'
import { turnedJpeg } from '#test/support/turned-jpeg.ts'
import { certificateOf } from './a-certificate.ts'
import { officeSigner } from './office-signer.ts'
import { greysOf, hasPdfsig } from './pades-judge.ts'

type Greys = ReturnType<typeof greysOf>

/** Which pixel of a picture of W by H stands at x, y once it is upright, by its Exif orientation. */
const upright: Record<number, (x: number, y: number, w: number, h: number) => [number, number]> = {
  1: (x, y) => [x, y],
  2: (x, y, w) => [w - 1 - x, y],
  3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
  4: (x, y, _, h) => [x, h - 1 - y],
  5: (x, y) => [y, x],
  6: (x, y, _, h) => [y, h - 1 - x],
  7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
  8: (x, y, w) => [w - 1 - y, x],
}
const orientations = Object.keys(upright).map(Number)

let signer: Signer
let lying: Greys
beforeAll(async () => {
  signer = await officeSigner('p256')
  lying = await pageOf(corpusFile('scan.jpg'))
})

/** The page that a picture becomes in its sealed copy. */
async function pageOf(picture: Uint8Array, type = 'image/jpeg'): Promise<Greys> {
  const { seal } = sealer({ findSigner: async () => signer, prepare: prepareDocument })
  const { pdf } = await seal(picture, certificateOf('scan', type))
  return greysOf(pdf, 1)
}

/** A TIFF of grey pixels with an orientation and a resolution in dpi. */
function turnedTiff(
  { width, height, pixels }: Greys,
  orientation: number,
  [across, down]: [number, number],
): Uint8Array {
  const resolutions = Buffer.alloc(16)
  for (const [at, value] of [across, 1, down, 1].entries()) resolutions.writeUInt32LE(value, at * 4)
  return tiffOf(
    (dataAt) => [
      { tag: 256, value: width },
      { tag: 257, value: height },
      { tag: 258, type: 3, value: 8 },
      { tag: 262, type: 3, value: 1 },
      { tag: 273, value: dataAt + resolutions.length },
      { tag: 274, type: 3, value: orientation },
      { tag: 279, value: pixels.length },
      { tag: 282, type: 5, value: dataAt },
      { tag: 283, type: 5, value: dataAt + 8 },
    ],
    Buffer.concat([resolutions, pixels]),
  )
}

/** The mean grey of each of 20 by 20 fields, so that half a pixel more or less does not count. */
function fieldsOf({ width, height, pixels }: Greys): number[] {
  const [sums, counts] = [new Array(400).fill(0), new Array(400).fill(0)]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const field = Math.floor((y * 20) / height) * 20 + Math.floor((x * 20) / width)
      sums[field] += pixels[y * width + x] ?? 0
      counts[field] += 1
    }
  }
  return sums.map((sum, field) => sum / counts[field])
}

function turned({ width, height, pixels }: Greys, orientation: number): Greys {
  const [across, down] = orientation < 5 ? [width, height] : [height, width]
  const result = new Uint8Array(across * down)
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const [fromX, fromY] = upright[orientation]?.(x, y, width, height) ?? [0, 0]
      result[y * across + x] = pixels[fromY * width + fromX] ?? 0
    }
  }
  return { width: across, height: down, pixels: result }
}

const distance = (one: number[], other: number[]) =>
  Math.sqrt(one.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0) / one.length)

/** Checks that the page is the lying picture, turned by the orientation. */
function expectTurned(page: Greys, orientation: number): void {
  const [width, height] = orientation < 5 ? [lying.width, lying.height] : [lying.height, lying.width]
  expect(Math.abs(page.width - width)).toBeLessThan(2)
  expect(Math.abs(page.height - height)).toBeLessThan(2)
  const fields = fieldsOf(page)
  const distances = orientations.map((one) => distance(fields, fieldsOf(turned(lying, one))))
  const best = distances.indexOf(Math.min(...distances)) + 1
  const second = distances.toSorted((one, other) => one - other)[1] ?? 0
  expect(best, distances.join(' ')).toBe(orientation)
  expect(second, distances.join(' ')).toBeGreaterThan(5 * (distances[orientation - 1] ?? 0))
}

describe.skipIf(!hasPdfsig)('a picture stands upright in its sealed copy', () => {
  it.each([
    ...orientations.map((one) => [one, 'MM'] as const),
    [5, 'II'] as const,
  ])('as a JPEG with the Exif orientation %d (%s)', async (orientation, order) => {
    expectTurned(await pageOf(turnedJpeg(corpusFile('scan.jpg'), orientation, order)), orientation)
  })

  it.each(orientations)('as a TIFF with the orientation %d', async (orientation) => {
    expectTurned(await pageOf(turnedTiff(lying, orientation, [60, 60]), 'image/tiff'), orientation)
  })

  it.each([
    ['in standard resolution', 1, [204, 98], 1728 / 204 / (1145 / 98)],
    ['in standard resolution, turned', 6, [204, 98], 1145 / 98 / (1728 / 204)],
    ['in fine resolution', 1, [204, 391], 1728 / 204 / (1145 / 391)],
    ['without a resolution', 1, [0, 0], 1728 / 1145],
    ['with an impossible resolution', 1, [600, 1], 1728 / 1145],
  ] as const)('as a fax %s, in its proportions', async (_, orientation, resolution, expected) => {
    const fax = { width: 1728, height: 1145, pixels: new Uint8Array(1728 * 1145) }

    const { width, height } = await pageOf(turnedTiff(fax, orientation, [...resolution]), 'image/tiff')

    expect(width / height).toBeCloseTo(expected, 2)
  })
})
