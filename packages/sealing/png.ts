import { crc32, inflateSync } from 'node:zlib'
import type { PDFImage } from '@cantoo/pdf-lib'
import { pictureSizes } from '#formats/picture.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'

/**
 * Checks a drawn signature before it is accepted (S6): a complete PNG of at most 200 KiB and 2 000 by 1 000 pixels that
 * is not animated.
 *
 * @throws Error with a readable message
 */
export function checkSignature(png: Uint8Array): void {
  if (png.length > limits.signatureBytes) throw new Error('The signature has more than 200 KiB.')
  const { width, height } = checkPng(png, limits.signatureWidth * limits.signatureHeight)
  if (width > limits.signatureWidth || height > limits.signatureHeight)
    throw new Error('The signature has too many pixels.')
}

/**
 * Embeds a PNG within the limit of decoded pixels.
 *
 * pdf-lib gets only the checked chunks of the picture. With others its decoder may fail, never end, or inflate without
 * a limit.
 *
 * @throws Error if it is damaged, animated or too large
 */
export async function embedPng({ document }: PdfUpdate, png: Uint8Array): Promise<PDFImage> {
  const { picture } = checkPng(png, limits.decodedPixels)
  const image = await document.embedPng(picture)
  await image.embed()
  return image
}

/**
 * Checks everything that decoding depends on (PNG 3rd edition, 5 and 11), so that decoding cannot fail later or produce
 * more bytes than expected.
 *
 * @returns the size, and `picture`: the file with only the chunks of the picture
 */
function checkPng(png: Uint8Array, maxPixels: number): { width: number; height: number; picture: Buffer } {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  if (!file.subarray(0, 8).equals(magic)) throw new Error('It is not a PNG.')
  const [{ width, height } = { width: 0, height: 0 }] = pictureSizes(png, 'png', 1)
  if (width * height > maxPixels || Math.max(width, height) > limits.pixelsPerSide) {
    throw new Error('The PNG has too many pixels.')
  }
  const chunks = chunksOf(file)
  const [header] = chunks
  const one = (type: string) => chunks.filter((chunk) => chunk.type === type)
  const [palette, transparency] = [one('PLTE'), one('tRNS')]
  if (
    header?.content.length !== 13 ||
    one('IHDR').length > 1 ||
    palette.length > 1 ||
    transparency.length > 1
  ) {
    throw new Error('The PNG is damaged.')
  }
  if (one('acTL').length + one('fcTL').length > 0) throw new Error('The PNG is animated.')
  const [depth, color] = [header.content.readUInt8(8), header.content.readUInt8(9)]
  const kind = kinds[color]
  if (!kind?.depths.includes(depth)) throw new Error('The PNG has an unknown colour type.')
  checkColors(color, palette[0]?.content, transparency[0]?.content)
  const [compression, filter, interlace] = header.content.subarray(10)
  if (compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1)) {
    throw new Error('The PNG has an unknown format.')
  }
  const bytes = dataBytes({ width, height }, kind.channels * depth, interlace === 1)
  const data = Buffer.concat(one('IDAT').map(({ content }) => content))
  if (inflateSync(data, { maxOutputLength: bytes }).length < bytes) throw new Error('The PNG is cut off.')
  const kept = chunks.filter(({ type }) => pictureChunks.includes(type))
  return { width, height, picture: Buffer.concat([magic, ...kept.map(({ whole }) => whole)]) }
}

/** Size and colours, palette, transparency, pixels, end. */
const pictureChunks = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']

const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Colour types: grey, RGB, palette, grey with alpha, RGB with alpha; each with its channels and possible bit depths.
 */
const kinds: Record<number, { channels: number; depths: readonly number[] }> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
}

/** Checks the palette, if the colour type needs one, and the length of the transparency. */
function checkColors(color: number, palette: Buffer | undefined, transparency: Buffer | undefined): void {
  const paletteBytes = palette?.length ?? 0
  if (color === 3 && (paletteBytes === 0 || paletteBytes > 768 || paletteBytes % 3 !== 0)) {
    throw new Error('The PNG has no palette.')
  }
  if (transparency === undefined) return
  const fits = {
    0: transparency.length === 2,
    2: transparency.length === 6,
    3: transparency.length <= paletteBytes / 3,
  }
  if (!fits[color as 0 | 2 | 3]) throw new Error('The transparency of the PNG is damaged.')
}

/** The bytes of all lines with their filters. An interlaced PNG consists of seven pictures (Adam7). */
function dataBytes(
  { width, height }: { width: number; height: number },
  bitsPerPixel: number,
  isInterlaced: boolean,
): number {
  const parts = isInterlaced ? adam7 : [[0, 0, 1, 1] as const]
  return parts.reduce((sum, [x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)]
    return columns <= 0 || rows <= 0 ? sum : sum + (Math.ceil((columns * bitsPerPixel) / 8) + 1) * rows
  }, 0)
}

/** The start and the steps of each pass. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

type Chunk = { type: string; content: Buffer; whole: Buffer }

/** All chunks up to the end. @throws Error if one is cut off, has a wrong checksum, or the end is missing */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let offset = magic.length; offset + 12 <= file.length; ) {
    const end = offset + 12 + file.readUInt32BE(offset)
    const whole = file.subarray(offset, end)
    if (end > file.length || crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(whole.length - 4)) break
    const chunk = { type: whole.toString('latin1', 4, 8), content: whole.subarray(8, -4), whole }
    chunks.push(chunk)
    if (chunk.type === 'IEND') return chunks
    offset = end
  }
  throw new Error('The PNG is damaged or cut off.')
}
