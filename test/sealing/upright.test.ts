import { beforeAll, describe, expect, it } from 'vitest'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { sealer } from '#sealing/sealer.ts'
import type { Signer } from '#sealing/signer.ts'
import { corpusFile } from '#test/support/corpus.ts'
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

/** The page that a JPEG becomes in its sealed copy. */
async function pageOf(jpeg: Uint8Array): Promise<Greys> {
  const { seal } = sealer({ findSigner: async () => signer, prepare: prepareDocument })
  const { pdf } = await seal(jpeg, certificateOf('scan.jpg', 'image/jpeg'))
  return greysOf(pdf, 1)
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

describe.skipIf(!hasPdfsig)('a JPEG stands upright in its sealed copy', () => {
  it.each([
    ...orientations.map((one) => [one, 'MM'] as const),
    [5, 'II'] as const,
  ])('with the Exif orientation %d (%s)', async (orientation, order) => {
    const page = await pageOf(turnedJpeg(corpusFile('scan.jpg'), orientation, order))

    expect([page.width, page.height]).toEqual(
      orientation < 5 ? [lying.width, lying.height] : [lying.height, lying.width],
    )
    const fields = fieldsOf(page)
    const distances = orientations.map((one) => distance(fields, fieldsOf(turned(lying, one))))
    const best = distances.indexOf(Math.min(...distances)) + 1
    const second = distances.toSorted((one, other) => one - other)[1] ?? 0
    expect(best, distances.join(' ')).toBe(orientation)
    expect(second, distances.join(' ')).toBeGreaterThan(5 * (distances[orientation - 1] ?? 0))
  })
})
