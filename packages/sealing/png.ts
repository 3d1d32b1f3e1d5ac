import { inflateSync } from 'node:zlib'
import type { PDFImage } from '@cantoo/pdf-lib'
import { pictureSizes } from '#formats/picture.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'

/**
 * Checks a drawn signature before it is taken (S6): a PNG of at most 200 KiB and 4 000 by 2 000 pixels that is whole and
 * does not move. It loads nothing but the header's reader.
 *
 * @throws Error in words
 */
export function checkSignature(png: Uint8Array): void {
  if (png.length > limits.signatureBytes) throw new Error('The signature has more than 200 KiB.')
  const { width, height } = checkPng(png, limits.signatureWidth * limits.signatureHeight)
  if (width > limits.signatureWidth || height > limits.signatureHeight)
    throw new Error('The signature has too many pixels.')
  const isAnimated = chunksOf(bufferOf(png)).some(({ type }) => type === 'acTL' || type === 'fcTL')
  if (isAnimated) throw new Error('The signature is an animation.')
}

/**
 * Embeds a PNG whose pixels are no more than may be decoded. pdf-lib gets only the chunks that make the picture: it would
 * inflate compressed texts and the frames of an animation without a limit.
 *
 * @throws Error where it is damaged or too large
 */
export async function embedPng({ document }: PdfUpdate, png: Uint8Array): Promise<PDFImage> {
  checkPng(png, limits.decodedPixels)
  const image = await document.embedPng(pictureAlone(bufferOf(png)))
  await image.embed()
  return image
}

/** Checks size and data against the header, so that nothing decodes to more than was expected. */
function checkPng(png: Uint8Array, maxPixels: number): { width: number; height: number } {
  const file = bufferOf(png)
  if (!file.subarray(0, 8).equals(magic)) throw new Error('It is no PNG.')
  const [{ width, height } = { width: 0, height: 0 }] = pictureSizes(png, 'png', 1)
  if (width * height > maxPixels || Math.max(width, height) > limits.pixelsOfSide) {
    throw new Error('The PNG has too many pixels.')
  }
  const channels = channelsOf[file.readUInt8(25)]
  if (channels === undefined) throw new Error('The PNG has colours of an unknown kind.')
  const lineBytes = Math.ceil((width * channels * file.readUInt8(24)) / 8) + 1
  const isInterlaced = file.readUInt8(28) !== 0
  const maxBytes = lineBytes * height + (isInterlaced ? 16 * (width + height) : 0)
  const compressed = chunksOf(file).flatMap(({ type, content }) => (type === 'IDAT' ? [content] : []))
  const data = inflateSync(Buffer.concat(compressed), { maxOutputLength: maxBytes })
  if (!isInterlaced && data.length < maxBytes) throw new Error('The PNG is cut off.')
  return { width, height }
}

function bufferOf(png: Uint8Array): Buffer {
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
}

const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Channels by type of colour: grey, RGB, palette, grey and alpha, RGB and alpha. */
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

type Chunk = { type: string; content: Buffer; whole: Buffer }

/** The chunks up to the end, each with its content and as it stands in the file. */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let offset = magic.length; offset + 12 <= file.length; ) {
    const end = offset + 12 + file.readUInt32BE(offset)
    const type = file.toString('latin1', offset + 4, offset + 8)
    chunks.push({ type, content: file.subarray(offset + 8, end - 4), whole: file.subarray(offset, end) })
    if (type === 'IEND') break
    offset = end
  }
  return chunks
}

/** Size and colours, palette, transparency, pixels, end. */
const pictureChunks = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']

function pictureAlone(file: Buffer): Buffer {
  const kept = chunksOf(file).filter(({ type }) => pictureChunks.includes(type))
  return Buffer.concat([magic, ...kept.map(({ whole }) => whole)])
}
