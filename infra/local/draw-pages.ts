import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Canvas, createCanvas, type Image, ImageData, loadImage } from '@napi-rs/canvas'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import utif from 'utif2'
import type { PagePicture } from './page-reader.ts'

/**
 * The thread of `page-pictures.ts`: draws the pages of its file. Each message asks for the next page. The answer is
 * the page, or null after the last one. If a library throws an error for a damaged file, the thread ends.
 */
const pictures = picturesIn(Buffer.from(workerData))
parentPort?.on('message', async () => {
  const { value } = await pictures.next()
  parentPort?.postMessage(value ?? null)
})

async function* picturesIn(bytes: Buffer): AsyncGenerator<PagePicture> {
  const head = bytes.subarray(0, 1024).toString('latin1')
  if (head.includes('%PDF-')) yield* pagesOfPdf(bytes)
  else if (/^(?:II\*\0|MM\0\*)/.test(head)) yield* pagesOfTiff(bytes)
  else yield await asPicture(bytes)
}

const pointsPerInch = 72
const dotsPerInch = 200
/** A3 at 290 dpi. The time and memory for a page depend on its area. */
const maxPixels = 16_000_000
/** Larger pictures are not decoded. Textract's limit is 10 000 pixels on each side. */
const maxDecodedPixels = 100_000_000

/** Decoders for the pictures of scanners and fax machines (JBIG2, JPEG 2000, CCITT), and the fonts of every reader. */
const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))

async function* pagesOfPdf(bytes: Buffer): AsyncGenerator<PagePicture> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    wasmUrl: `${pdfjs}/wasm/`,
    standardFontDataUrl: `${pdfjs}/standard_fonts/`,
    verbosity: 0,
    maxImageSize: maxDecodedPixels,
  })
  try {
    const pdf = await loading.promise
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number)
      const { width, height } = page.getViewport({ scale: 1 })
      const viewport = page.getViewport({
        scale: Math.min(dotsPerInch / pointsPerInch, scaleToFit(width, height)),
      })
      const canvas = createCanvas(viewport.width, viewport.height)
      await page.render({
        canvas: canvas as unknown as Parameters<typeof page.render>[0]['canvas'],
        viewport,
      }).promise
      page.cleanup()
      yield { image: await canvas.encode('png'), width: canvas.width, height: canvas.height }
    }
  } finally {
    await loading.destroy()
  }
}

async function* pagesOfTiff(bytes: Buffer): AsyncGenerator<PagePicture> {
  const buffer = new Uint8Array(bytes).buffer
  for (const page of utif.decode(buffer)) {
    const field = (tag: number) => Number([page[`t${tag}`]].flat()[0])
    const bitsOfPixel = (field(258) || 1) * (field(277) || 1)
    requireDecodable(field(256), field(257), bitsOfPixel)
    utif.decodeImage(buffer, page)
    const canvas = createCanvas(page.width, page.height)
    const pixels = new Uint8ClampedArray(utif.toRGBA8(page).buffer)
    canvas.getContext('2d').putImageData(new ImageData(pixels, page.width, page.height), 0, 0)
    yield await scaledDown(canvas)
  }
}

/** Decodes the picture, so that a damaged one fails here and not in the thread of tesseract. */
async function asPicture(bytes: Buffer): Promise<PagePicture> {
  const image = await loadImage(bytes)
  requireDecodable(image.width, image.height)
  const { width, height } = image
  return scaleToFit(width, height) < 1 ? scaledDown(image) : { image: bytes, width, height }
}

async function scaledDown(picture: Canvas | Image): Promise<PagePicture> {
  const scale = Math.min(1, scaleToFit(picture.width, picture.height))
  if (scale === 1 && 'encode' in picture)
    return { image: await picture.encode('png'), width: picture.width, height: picture.height }
  const canvas = createCanvas(Math.ceil(picture.width * scale), Math.ceil(picture.height * scale))
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
  return { image: await canvas.encode('png'), width: canvas.width, height: canvas.height }
}

/** The factor for both sides that gives `maxPixels`, or 1 for smaller pictures. */
function scaleToFit(width: number, height: number): number {
  return Math.sqrt(maxPixels / (width * height))
}

/** @throws Error for a picture without a size, or one that needs more memory than 100 megapixels of 32 bits */
function requireDecodable(width: number, height: number, bitsOfPixel = 32): void {
  const pixels = width * height
  if (pixels > maxDecodedPixels || pixels * bitsOfPixel > maxDecodedPixels * 32 || !(pixels > 0))
    throw new Error('The picture has no size, or too many pixels.')
}
