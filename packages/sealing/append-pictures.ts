import { deflateSync } from 'node:zlib'
import {
  concatTransformationMatrix,
  degrees,
  type PDFImage,
  PDFName,
  type PDFPage,
  PDFRawStream,
  type PDFRef,
} from '@cantoo/pdf-lib'
import { pictureSizes } from '#formats/picture.ts'
import { appendPage } from './append-page.ts'
import { limits } from './limits.ts'
import type { PdfUpdate } from './pdf-update.ts'
import { embedPng } from './png.ts'
import { tiffPages } from './tiff-pages.ts'
import { Unalterable } from './unalterable.ts'

export type PictureType = 'image/png' | 'image/jpeg' | 'image/tiff'

/**
 * Appends the pages of a picture, each scaled to A4. A JPEG is embedded unchanged. JPEG and TIFF are turned upright.
 *
 * @throws Unalterable `damaged`, `too_complex`, `no_pages` for a TIFF of an unusual form
 */
export async function appendPictures(update: PdfUpdate, bytes: Uint8Array, type: PictureType): Promise<void> {
  try {
    checkSizes(bytes, type)
    if (type === 'image/tiff') return appendTiff(update, bytes)
    if (type === 'image/png') return drawOnPage(update, await embedPng(update, bytes))
    const image = await update.document.embedJpg(bytes)
    return drawOnPage(update, image, uprightBy[orientationOf(Buffer.from(bytes))])
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
    ({ width, height }) => width * height > maxPixels || Math.max(width, height) > limits.pixelsPerSide,
  )
  if (isTooLarge || sizes.length > limits.picturePages) {
    throw new Unalterable('too_complex', 'The picture has too many pages or pixels.')
  }
}

/** The steps that set a picture upright: it is mirrored left to right, then the page is turned clockwise. */
type Upright = { isMirrored: boolean; turn: 0 | 90 | 180 | 270 }

function drawOnPage(update: PdfUpdate, image: PDFImage, upright: Upright = asItIs): void {
  const { isMirrored, turn } = upright
  const { page, width, height } = pageFor(update, image.width, image.height)
  if (isMirrored) page.pushOperators(concatTransformationMatrix(-1, 0, 0, 1, width, 0))
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

function appendTiff(update: PdfUpdate, bytes: Uint8Array): void {
  for (const { width, height, pixels, orientation, pixelHeight } of tiffPages(bytes)) {
    const reference = embedPixels(update, pixels, width, height)
    const { isMirrored, turn } = uprightBy[orientation] ?? asItIs
    const placed = pageFor(update, width, height * pixelHeight)
    placed.page.node.setXObject(PDFName.of('Scan'), reference)
    const { context } = update.document
    const [across, left] = isMirrored ? [-placed.width, placed.width] : [placed.width, 0]
    const drawing = `q ${across} 0 0 ${placed.height} ${left} 0 cm /Scan Do Q`
    placed.page.node.addContentStream(context.register(context.flateStream(drawing)))
    placed.page.setRotation(degrees(turn))
  }
}

/** Embeds pixels without loss, as greyscale if there is no colour. Transparent pixels are drawn on white. */
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

const asItIs: Upright = { isMirrored: false, turn: 0 }

/** By the value of the tag Orientation of Exif (CIPA DC-008, 4.6.5) and TIFF. Cameras rotate pictures, some scanners mirror them. */
const uprightBy: Record<number, Upright> = {
  2: { isMirrored: true, turn: 0 },
  3: { isMirrored: false, turn: 180 },
  4: { isMirrored: true, turn: 180 },
  5: { isMirrored: true, turn: 270 },
  6: { isMirrored: false, turn: 90 },
  7: { isMirrored: true, turn: 90 },
  8: { isMirrored: false, turn: 270 },
}

/** The Exif orientation of a JPEG; 1, upright, if it has none. */
function orientationOf(jpeg: Buffer): number {
  for (let offset = 2; offset + 4 <= jpeg.length && jpeg[offset] === 0xff; ) {
    const marker = jpeg[offset + 1]
    const length = jpeg.readUInt16BE(offset + 2)
    const segment = jpeg.subarray(offset + 4, offset + 2 + length)
    if (marker === 0xe1 && segment.toString('latin1', 0, 6) === 'Exif\0\0')
      return exifOrientation(segment.subarray(6))
    if (marker === 0xda) return 1
    offset += 2 + length
  }
  return 1
}

function exifOrientation(exif: Buffer): number {
  if (exif.length < 14) return 1
  const isLittle = exif.toString('latin1', 0, 2) === 'II'
  const short = (at: number) =>
    at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at)
  const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4)
  for (let field = 0; field < short(directory); field += 1) {
    const at = directory + 2 + field * 12
    if (short(at) === 0x0112) return short(at + 8)
  }
  return 1
}
