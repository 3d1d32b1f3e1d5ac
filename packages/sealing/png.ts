import { inflateSync } from 'node:zlib'
import type { PDFImage } from '@cantoo/pdf-lib'
import { pictureSizes } from '#formats/picture.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'

/**
 * Checks a drawn signature before it is taken (S6): a PNG of at most 200 KiB and 4 megapixels that is whole.
 *
 * @throws Error in words
 */
export function checkSignature(png: Uint8Array): void {
  if (png.length > limits.signatureBytes) throw new Error('The signature has more than 200 KiB.')
  checkPng(png, limits.signaturePixels)
}

/** Embeds a PNG whose pixels are no more than may be decoded. @throws Error where it is damaged or too large */
export async function embedPng({ document }: PdfUpdate, png: Uint8Array): Promise<PDFImage> {
  checkPng(png, limits.decodedPixels)
  const image = await document.embedPng(png)
  await image.embed()
  return image
}

/** Checks size and data against the header, so that nothing decodes to more than was expected. */
function checkPng(png: Uint8Array, maxPixels: number): void {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  if (!file.subarray(0, 8).equals(magic)) throw new Error('It is no PNG.')
  const [{ width, height } = { width: 0, height: 0 }] = pictureSizes(png, 'png', 1)
  if (width * height > maxPixels || Math.max(width, height) > limits.pixelsOfSide) {
    throw new Error('The PNG has too many pixels.')
  }
  const channels = channelsOf[file.readUInt8(25)]
  if (channels === undefined) throw new Error('The PNG has colours of an unknown kind.')
  const lineBytes = Math.ceil((width * channels * file.readUInt8(24)) / 8) + 1
  const isInterlaced = file.readUInt8(28) !== 0
  const mostBytes = lineBytes * height + (isInterlaced ? 16 * (width + height) : 0)
  const data = inflateSync(Buffer.concat([...dataOf(file)]), { maxOutputLength: mostBytes })
  if (!isInterlaced && data.length < mostBytes) throw new Error('The PNG is cut off.')
}

const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Channels by type of colour: grey, RGB, palette, grey and alpha, RGB and alpha. */
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** The contents of the chunks with pixels. */
function* dataOf(file: Buffer): Generator<Buffer> {
  for (let offset = magic.length; offset + 12 <= file.length; ) {
    const length = file.readUInt32BE(offset)
    const type = file.toString('latin1', offset + 4, offset + 8)
    if (type === 'IDAT') yield file.subarray(offset + 8, offset + 8 + length)
    if (type === 'IEND') return
    offset += 12 + length
  }
}
