import type { DocumentType } from '#documents/schema.ts'
import { type PictureSize, pictureSizes } from '#formats/picture.ts'
import { limits } from './limits.ts'
import type { Ocr } from './ocr.ts'
import { ExtractionRefusal, type Unread } from './refusal.ts'

/**
 * The texts of a PNG, JPG or TIFF, page by page, from OCR. The size is checked in the header, before anything is
 * decoded.
 *
 * @throws ExtractionRefusal `too_many_pages`, `too_many_pixels`
 */
export async function readPicture(
  bytes: Uint8Array,
  mimeType: DocumentType,
  { ocr }: { ocr: Ocr },
  signal: AbortSignal,
): Promise<{ pages: string[]; page_count: number; unread?: Unread | undefined }> {
  const sizes = pictureSizes(bytes, formats[mimeType] ?? 'tiff', limits.pages)
  if (sizes.length > limits.pages) {
    throw new ExtractionRefusal('too_many_pages', `The picture has more than ${limits.pages} pages.`)
  }
  if (sizes.some(isTooLarge)) {
    throw new ExtractionRefusal(
      'too_many_pixels',
      `A page has more than ${limits.pixels / 1_000_000} megapixels or ${limits.pixelsPerSide} pixels on a side.`,
    )
  }
  const pages = sizes.map((_size, index) => index + 1)
  const texts = await ocr.readPages({ bytes, mimeType, pageCount: pages.length, pages, signal })
  return {
    pages: pages.map((page) => texts.get(page) ?? ''),
    page_count: pages.length,
    unread: texts.size < pages.length ? 'pages_unread' : undefined,
  }
}

function isTooLarge({ width, height }: PictureSize): boolean {
  return width * height > limits.pixels || Math.max(width, height) > limits.pixelsPerSide
}

const formats: Partial<Record<DocumentType, 'png' | 'jpg' | 'tiff'>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/tiff': 'tiff',
}
