import { deflateSync } from 'node:zlib'
import { degrees, type PDFImage, PDFName, type PDFPage, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib'
import utif from 'utif2'
import { pictureSizes } from '#formats/picture.ts'
import { appendPage } from './append-page.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'
import { embedPng } from './png.ts'
import { Unalterable } from './unalterable.ts'

export type PictureType = 'image/png' | 'image/jpeg' | 'image/tiff'

/**
 * Appends the pages of a picture, each as large as fits into A4. A JPEG is embedded as it is and turned upright.
 *
 * @throws Unalterable `damaged`, `too_complex`
 */
export async function appendPictures(update: PdfUpdate, bytes: Uint8Array, type: PictureType): Promise<void> {
  try {
    checkSizes(bytes, type)
    if (type === 'image/tiff') return await appendTiff(update, bytes)
    if (type === 'image/png') return drawOnPage(update, await embedPng(update, bytes))
    const image = await update.document.embedJpg(bytes)
    return drawOnPage(update, image, turnOf(Buffer.from(bytes)))
  } catch (error) {
    if (error instanceof Unalterable) throw error
    throw new Unalterable('damaged', 'The picture is damaged.', { cause: error })
  }
}

function checkSizes(bytes: Uint8Array, type: PictureType): void {
  const format = ({ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/tiff': 'tiff' } as const)[type]
  const sizes = pictureSizes(bytes, format, limits.picturePages)
  const maxPixels = type === 'image/jpeg' ? Number.POSITIVE_INFINITY : limits.decodedPixels
  const isTooLarge = sizes.some(
    ({ width, height }) => width * height > maxPixels || Math.max(width, height) > limits.pixelsOfSide,
  )
  if (isTooLarge || sizes.length > limits.picturePages) {
    throw new Unalterable('too_complex', 'The picture has too many pages or pixels.')
  }
}

function drawOnPage(update: PdfUpdate, image: PDFImage, turn = 0): void {
  const { page, width, height } = pageFor(update, image.width, image.height)
  page.drawImage(image, { x: 0, y: 0, width, height })
  page.setRotation(degrees(turn))
}

const a4 = { short: 595.28, long: 841.89 } as const

/** A page in the proportions of the picture. */
function pageFor(
  update: PdfUpdate,
  pixelsWide: number,
  pixelsHigh: number,
): { page: PDFPage; width: number; height: number } {
  const [width, height] = pixelsWide > pixelsHigh ? [a4.long, a4.short] : [a4.short, a4.long]
  const scale = Math.min(width / pixelsWide, height / pixelsHigh)
  const size = { width: pixelsWide * scale, height: pixelsHigh * scale }
  return { page: appendPage(update, size.width, size.height), ...size }
}

/** Page by page, so that the pixels of one page at a time are in memory. */
async function appendTiff(update: PdfUpdate, bytes: Uint8Array): Promise<void> {
  const buffer = new Uint8Array(bytes).buffer
  for (const page of utif.decode(buffer)) {
    utif.decodeImage(buffer, page)
    const { width, height } = page
    if (!(width > 0 && height > 0)) throw new Error('A page has no size.')
    const pixels = utif.toRGBA8(page)
    page.data = new Uint8Array()
    const reference = embedPixels(update, pixels, width, height)
    const placed = pageFor(update, width, height)
    placed.page.node.setXObject(PDFName.of('Scan'), reference)
    const { context } = update.document
    const drawing = `q ${placed.width} 0 0 ${placed.height} 0 0 cm /Scan Do Q`
    placed.page.node.addContentStream(context.register(context.flateStream(drawing)))
  }
}

/** Pixels without loss: in greys where there is no colour. Transparent ones are laid over white. */
function embedPixels(
  { document: { context } }: PdfUpdate,
  rgba: Uint8Array,
  width: number,
  height: number,
): PDFRef {
  const count = width * height
  const colours = Buffer.alloc(count * 3)
  let isGrey = true
  for (let pixel = 0; pixel < count; pixel += 1) {
    const alpha = rgba[pixel * 4 + 3] ?? 255
    for (let channel = 0; channel < 3; channel += 1) {
      const value = rgba[pixel * 4 + channel] ?? 255
      colours[pixel * 3 + channel] = alpha === 255 ? value : 255 - Math.round(((255 - value) * alpha) / 255)
    }
    isGrey &&= colours[pixel * 3] === colours[pixel * 3 + 1] && colours[pixel * 3] === colours[pixel * 3 + 2]
  }
  const samples = isGrey ? Buffer.alloc(count) : colours
  if (isGrey) for (let pixel = 0; pixel < count; pixel += 1) samples[pixel] = colours[pixel * 3] ?? 0
  const dictionary = context.obj({
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: isGrey ? 'DeviceGray' : 'DeviceRGB',
    BitsPerComponent: 8,
    Filter: 'FlateDecode',
  })
  return context.register(PDFRawStream.of(dictionary, deflateSync(samples)))
}

/** Degrees by which a JPEG must be turned to stand upright (Exif, tag Orientation); cameras lay pictures down. */
function turnOf(jpeg: Buffer): number {
  for (let offset = 2; offset + 4 <= jpeg.length && jpeg[offset] === 0xff; ) {
    const marker = jpeg[offset + 1]
    const length = jpeg.readUInt16BE(offset + 2)
    const segment = jpeg.subarray(offset + 4, offset + 2 + length)
    if (marker === 0xe1 && segment.toString('latin1', 0, 6) === 'Exif\0\0')
      return turnByExif(segment.subarray(6))
    if (marker === 0xda) return 0
    offset += 2 + length
  }
  return 0
}

function turnByExif(exif: Buffer): number {
  if (exif.length < 14) return 0
  const isLittle = exif.toString('latin1', 0, 2) === 'II'
  const short = (at: number) =>
    at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at)
  const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  for (let field = 0; field < short(directory); field += 1) {
    const at = directory + 2 + field * 12
    if (short(at) === 0x0112) return { 3: 180, 6: 90, 8: 270 }[short(at + 8)] ?? 0
  }
  return 0
}
