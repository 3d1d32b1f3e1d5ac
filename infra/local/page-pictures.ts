import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { createCanvas, ImageData, loadImage } from '@napi-rs/canvas'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import utif from 'utif2'
import type { PagePicture } from './page-reader.ts'

/**
 * The pages of a PDF, TIFF, PNG or JPG as pictures, one after the other. A PDF is drawn at 200 dpi, at most
 * 3 000 pixels wide.
 *
 * @throws what the libraries throw over a damaged file.
 */
export async function* picturesOf(bytes: Buffer): AsyncGenerator<PagePicture> {
  const head = bytes.subarray(0, 1024).toString('latin1')
  if (head.includes('%PDF-')) yield* pagesOfPdf(bytes)
  else if (/^(?:II\*\0|MM\0\*)/.test(head)) yield* pagesOfTiff(bytes)
  else yield await asPicture(bytes)
}

const pointsPerInch = 72
const dotsPerInch = 200
const widestPixels = 3_000

/** Decoders for the pictures of scanners and fax machines (JBIG2, JPEG 2000, CCITT), and the fonts of every reader. */
const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))

async function* pagesOfPdf(bytes: Buffer): AsyncGenerator<PagePicture> {
  const loading = getDocument({
    data: new Uint8Array(bytes),
    wasmUrl: `${pdfjs}/wasm/`,
    standardFontDataUrl: `${pdfjs}/standard_fonts/`,
    verbosity: 0,
  })
  try {
    const pdf = await loading.promise
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number)
      const scale = Math.min(dotsPerInch / pointsPerInch, widestPixels / page.getViewport({ scale: 1 }).width)
      const viewport = page.getViewport({ scale })
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
    utif.decodeImage(buffer, page)
    const canvas = createCanvas(page.width, page.height)
    const pixels = new Uint8ClampedArray(utif.toRGBA8(page))
    canvas.getContext('2d').putImageData(new ImageData(pixels, page.width, page.height), 0, 0)
    yield { image: await canvas.encode('png'), width: page.width, height: page.height }
  }
}

/** Decoded once here, so that a damaged picture fails as one instead of inside tesseract's thread. */
async function asPicture(bytes: Buffer): Promise<PagePicture> {
  const { width, height } = await loadImage(bytes)
  return { image: bytes, width, height }
}
