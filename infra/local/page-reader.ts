import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createWorker, OEM, type Worker } from 'tesseract.js'

/** A line of text on a page: its position as fractions of width and height, and the confidence of tesseract, 0 to 100. */
export type PageLine = {
  text: string
  confidence: number
  box: { Left: number; Top: number; Width: number; Height: number }
}

/** A page as a picture for tesseract (PNG or JPG) with its size in pixels. */
export type PagePicture = { image: Buffer; width: number; height: number }

type Reader = { read(picture: PagePicture): Promise<PageLine[]> }

/** Tesseract did not start. This says nothing about the page. */
export class NoReader extends Error {}

/**
 * Tesseract with the German data of its package. It downloads nothing and writes nothing. Its thread starts with the
 * first page and reads one page after the other. If it does not start, the next page starts it again. It takes more
 * than a hundred megabytes, so it ends after some time without a page.
 *
 * @throws NoReader if Tesseract does not start; Tesseract's own errors for a picture that it cannot read
 */
export function createReader({ idleMilliseconds = 30_000 } = {}): Reader {
  let worker: Promise<Worker> | undefined
  let pages = 0
  let timer: NodeJS.Timeout | undefined

  const recognize = async (image: Buffer) => {
    clearTimeout(timer)
    pages += 1
    worker ??= startWorker().catch((cause: unknown) => {
      worker = undefined
      throw new NoReader('Tesseract did not start.', { cause })
    })
    try {
      return await (await worker).recognize(image, {}, { blocks: true, text: false })
    } finally {
      pages -= 1
      if (pages === 0) timer = setTimeout(end, idleMilliseconds).unref()
    }
  }
  const end = (): void => {
    const idle = worker
    worker = undefined
    // If it did not start, there is nothing to end.
    idle?.then((started) => started.terminate()).catch(() => {})
  }
  return {
    read: async ({ image, width, height }) => {
      const { data } = await recognize(image)
      const lines =
        data.blocks?.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines)) ?? []
      return lines.map(({ text, confidence, bbox }) => ({
        text: withSectionSigns(text.trim()),
        confidence,
        box: {
          Left: bbox.x0 / width,
          Top: bbox.y0 / height,
          Width: (bbox.x1 - bbox.x0) / width,
          Height: (bbox.y1 - bbox.y0) / height,
        },
      }))
    },
  }
}

async function startWorker(): Promise<Worker> {
  const data = createRequire(import.meta.url).resolve('@tesseract.js-data/deu/package.json')
  return createWorker('deu', OEM.LSTM_ONLY, {
    langPath: join(dirname(data), '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
    errorHandler: () => undefined,
  })
}

/** Tesseract reads § as 8 or &. Before a number and the name of a law (`8 178 ZPO`) this is corrected. */
function withSectionSigns(line: string): string {
  return line.replace(
    /(?<=^|[\s(])([8&$])(\1?) ?(?=\d{1,4}[a-z]?\b[^.;:]{0,40}\b\p{Lu}\p{L}*\p{Lu}\b)/gu,
    (_match, _sign, second) => (second === '' ? '§ ' : '§§ '),
  )
}
