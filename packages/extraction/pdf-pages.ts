import { setImmediate } from 'node:timers/promises'
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { checkTextLength, limits } from './limits.ts'
import { isSparse } from './page-texts.ts'
import { checkInflation } from './pdf-streams.ts'
import { ExtractionRefusal, refusalOf, type Unread } from './refusal.ts'

/** The text layers of a PDF. `ocrPages`: the numbers of the pages that need OCR. */
export type PdfPages = { texts: string[]; ocrPages: number[]; unread: Unread | undefined }

/**
 * Reads the text layer of a PDF, page by page, and finds the pages that need OCR. It frees each page before it reads
 * the next.
 *
 * pdf.js may work on one page for hours without a pause, so this runs in a thread (`pdf-thread.ts`) that `read-pdf.ts`
 * can terminate.
 *
 * @param step is called at the beginning of each step; it restarts the time limit of a step
 *
 * @throws ExtractionRefusal `password_protected`, `corrupt`, `empty`, `too_many_pages`, `too_many_pixels`,
 * `too_large`, `too_complex`.
 */
export async function readPdfPages(bytes: Uint8Array, step: () => void): Promise<PdfPages> {
  const largestStreamBytes = await checkInflation(bytes, step)
  step()
  // If pdf.js cannot draw an XFA form, the content for programs without XFA is read instead.
  const read = (enableXfa: boolean) => readTextLayer(bytes, step, enableXfa)
  const {
    pages: layers,
    isForm,
    unread,
  } = await read(true).catch((error: unknown) => {
    if (refusalOf(error)?.reason !== 'corrupt') throw error
    return read(false)
  })
  const texts = layers.map(({ text }) => text)
  if (isForm) return { texts, ocrPages: [], unread }
  const sparse = texts.flatMap((text, index) => (isSparse(text) ? [index + 1] : []))
  step()
  const needsOcr =
    sparse.length > 0 &&
    (largestStreamBytes > largeDrawingBytes || (await someShowPicture(bytes, sparse, step)))
  if (!needsOcr) return { texts, ocrPages: [], unread }
  const isTooLong = sparse.some((number) => (layers[number - 1]?.longestSide ?? 0) > limits.pointsPerSide)
  if (!isTooLong) return { texts, ocrPages: sparse, unread }
  // OCR refuses the whole file because of one such page. The other pages have a text layer.
  if (sparse.length < texts.length) return { texts, ocrPages: [], unread: unread ?? 'pages_unread' }
  throw new ExtractionRefusal(
    'too_many_pixels',
    `A scanned page is longer or wider than ${limits.pointsPerSide} points.`,
  )
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<Pdf['getPage']>>

/** The text of each page, and its longest side in points. */
function readTextLayer(
  bytes: Uint8Array,
  step: () => void,
  enableXfa: boolean,
): Promise<{ pages: { text: string; longestSide: number }[]; isForm: boolean; unread: Unread | undefined }> {
  return withPdf(bytes, { enableXfa }, async (pdf) => {
    if (pdf.numPages === 0) throw new ExtractionRefusal('empty', 'The PDF has no pages.')
    if (pdf.numPages > limits.pages) {
      throw new ExtractionRefusal(
        'too_many_pages',
        `The PDF has ${pdf.numPages} pages; at most ${limits.pages} can be read.`,
      )
    }
    const pages: { text: string; longestSide: number }[] = []
    let characters = 0
    for (let number = 1; number <= pdf.numPages; number += 1) {
      step()
      const page = await onPage(pdf, number, async (page) => {
        const { width, height } = page.getViewport({ scale: 1 })
        return { text: await textOf(page), longestSide: Math.max(width, height) }
      })
      characters += page.text.length
      checkTextLength(characters)
      pages.push(page)
    }
    return { pages, isForm: pdf.isPureXfa, unread: await unreadIn(pdf) }
  })
}

/**
 * What was not read: the files of a portfolio, or the data of a damaged XFA form. The page of such a PDF only
 * says that another program is needed.
 */
async function unreadIn(pdf: Pdf): Promise<Unread | undefined> {
  const { info } = await pdf.getMetadata()
  const { IsCollectionPresent, IsXFAPresent, IsAcroFormPresent } = info as Record<string, unknown>
  if (IsCollectionPresent === true) return 'embedded_unread'
  return IsXFAPresent === true && IsAcroFormPresent !== true && !pdf.isPureXfa ? 'form_unread' : undefined
}

/**
 * The text of a page, in the order and with the line breaks of pdf.js. It is read as a stream, so that the limit of
 * characters stops the reading of a huge page.
 */
async function textOf(page: Page): Promise<string> {
  const form = await page.getXfa()
  if (form !== null) return textOfForm(form)
  const parts: string[] = []
  let characters = 0
  const reader = page.streamTextContent().getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    for (const item of chunk.value.items) {
      if (!('str' in item)) continue
      parts.push(item.hasEOL ? `${item.str}\n` : item.str)
      characters += item.str.length + 1
    }
    checkTextLength(characters)
    await setImmediate()
  }
  const annotations = await annotationTexts(page)
  checkTextLength(characters + annotations.reduce((sum, text) => sum + text.length, 0))
  return [parts.join(''), ...annotations].join('\n')
}

/** An element of a page of an XFA form. */
type FormElement = {
  name?: string
  value?: string
  attributes?: Record<string, unknown>
  children?: (FormElement | null)[]
}

/** The texts and the field values of a page of an XFA form. */
function textOfForm(form: FormElement): string {
  const lines: string[] = []
  const open: (FormElement | null)[] = [form]
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const { name, value, attributes = {}, children = [] } = element ?? {}
    const isChosen = name !== 'option' || attributes.selected === true
    const written = attributes.textContent ?? value ?? attributes.value
    if (isChosen && typeof written === 'string') lines.push(written)
    if (isChosen) open.push(...children.toReversed())
  }
  const text = lines.filter((line) => line.trim() !== '').join('\n')
  checkTextLength(text.length)
  return text
}

/** The properties of a pdf.js annotation that are used here. */
type Annotation = {
  subtype: string
  annotationFlags: number
  rect: [number, number, number, number]
  /** The text of its appearance. */
  textContent?: string[]
  fieldType?: string
  fieldValue?: unknown
  password?: boolean
}

/** The flags of annotations that a screen does not show: Hidden and NoView (PDF 32000-1, 12.5.3). */
const hiddenFlags = 0x02 | 0x20

/** The texts of the annotations of a page, from top to bottom: values of form fields, notes and stamps. */
async function annotationTexts(page: Page): Promise<string[]> {
  const annotations: Annotation[] = await page.getAnnotations()
  return annotations
    .filter(({ annotationFlags, password }) => (annotationFlags & hiddenFlags) === 0 && password !== true)
    .toSorted((one, other) => other.rect[3] - one.rect[3] || one.rect[0] - other.rect[0])
    .map(({ textContent, fieldType, fieldValue }) => {
      const isTextOrChoice = fieldType === 'Tx' || fieldType === 'Ch'
      return textContent?.join('\n') ?? (isTextOrChoice ? [fieldValue ?? []].flat().join('\n') : '')
    })
    .filter((text) => text.trim() !== '')
}

/**
 * If a stream of the PDF is larger than this, a page certainly shows a drawing. So its operations are not listed, which
 * would take a hundred times the memory.
 */
const largeDrawingBytes = 8 * 1024 * 1024
/** A page with at least this number of paths shows letters as outlines, one path each. An empty form has fewer. */
const pathsOfOutlinedText = 200

/**
 * Whether one of these pages shows a picture, or letters drawn as outlines, so that OCR can find more text than the
 * text layer has. Empty pages and divider sheets must not cause the cost of OCR. OCR reads the whole file if one page
 * needs it, so the check ends at the first such page, and pictures on later pages are not decoded.
 */
function someShowPicture(bytes: Uint8Array, numbers: readonly number[], step: () => void): Promise<boolean> {
  return withPdf(bytes, { maxImageSize: limits.pixels }, async (pdf) => {
    for (const number of numbers) {
      step()
      if (await onPage(pdf, number, showsPicture)) return true
    }
    return false
  })
}

async function showsPicture(page: Page): Promise<boolean> {
  const { OPS } = await getResolvedPDFJS()
  const pictures = [
    OPS.paintImageXObject,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
    OPS.paintImageXObjectRepeat,
  ]
  const { fnArray } = await page.getOperatorList()
  if (fnArray.some((operation) => pictures.includes(operation))) return true
  return fnArray.filter((operation) => operation === OPS.constructPath).length >= pathsOfOutlinedText
}

async function onPage<Result>(
  pdf: Pdf,
  number: number,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  // Lets the garbage collector free the previous page.
  await setImmediate()
  const page = await pdf.getPage(number)
  try {
    return await work(page)
  } finally {
    page.cleanup()
  }
}

type PdfOptions = NonNullable<Parameters<typeof getDocumentProxy>[1]>

/**
 * Opens a PDF and runs `work`. pdf.js keeps and changes the bytes, so it gets a copy. It loads neither fonts nor
 * character maps, even if a complete pdf.js is installed.
 */
async function withPdf<Result>(
  bytes: Uint8Array,
  options: PdfOptions,
  work: (pdf: Pdf) => Promise<Result>,
): Promise<Result> {
  let pdf: Pdf | undefined
  try {
    pdf = await getDocumentProxy(bytes.slice(), {
      verbosity: 0,
      enableXfa: false,
      useSystemFonts: false,
      useWorkerFetch: false,
      disableFontFace: true,
      standardFontDataUrl: undefined,
      cMapUrl: undefined,
      ...options,
    })
    return await work(pdf)
  } catch (error) {
    throw asRefusal(error)
  } finally {
    await pdf?.loadingTask.destroy()
  }
}

/** The bytes are in memory, so every error of pdf.js is caused by the bytes. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ExtractionRefusal) return error
  if (error.name === 'PasswordException') {
    return new ExtractionRefusal('password_protected', 'The PDF opens only with a password.', {
      cause: error,
    })
  }
  return new ExtractionRefusal('corrupt', 'The PDF is damaged.', { cause: error })
}
