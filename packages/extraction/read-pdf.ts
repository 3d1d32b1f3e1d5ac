import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { DocumentType } from '#documents/schema.ts'
import { limits } from './limits.ts'
import type { Ocr } from './ocr.ts'
import { fullerText } from './page-texts.ts'
import type { PdfPages } from './pdf-pages.ts'
import type { PdfMessage } from './pdf-thread.ts'
import { ExtractionRefusal, type Unread } from './refusal.ts'

/**
 * The reading time that several documents share, such as the attachments of a mail. `take` requests milliseconds, and
 * returns false if none are left.
 */
export type ReadingBudget = { take: (milliseconds: number) => Promise<boolean> }

/** The time limits for reading a PDF, in milliseconds: see `limits.ts`. */
export type PdfTimes = Record<
  'pageMilliseconds' | 'pdfMilliseconds' | 'unbudgetedMilliseconds' | 'budgetSliceMilliseconds',
  number
>

/**
 * The texts of a PDF, page by page: from its text layer, and from OCR for scanned pages. The files of a portfolio are
 * not read.
 *
 * pdf.js draws a page without a pause, and drawing a few kilobytes of nested forms, patterns, fonts and soft masks can
 * take days. So pdf.js runs in a thread. The thread is terminated after 20 seconds for one page, after two minutes for
 * all pages, when the budget is used up, or when it needs too much memory. Another attempt would end in the same way,
 * so the document is refused as `too_complex`.
 *
 * @throws ExtractionRefusal `password_protected`, `corrupt`, `empty`, `too_many_pages`, `too_many_pixels`,
 * `too_large`, `too_complex`; the reason of the signal when it aborts; errors of the budget
 */
export async function readPdf(
  bytes: Uint8Array,
  mimeType: DocumentType,
  { ocr, budget, times = limits }: { ocr: Ocr; budget?: ReadingBudget | undefined; times?: PdfTimes },
  signal: AbortSignal,
): Promise<{ pages: string[]; page_count: number; unread?: Unread | undefined }> {
  const readOnce = () => readInThread(bytes, budget, times, signal)
  // If the thread had read other documents before, one of them may have caused its end.
  const again = (error: unknown) => (error instanceof ThreadLost ? readOnce() : Promise.reject(error))
  const layers = await readOnce().catch(again)
  const { texts, ocrPages } = layers
  let { unread } = layers
  if (ocrPages.length === 0) return { pages: texts, page_count: texts.length, unread }
  const read = await ocr
    .readPages({ bytes, mimeType, pageCount: texts.length, pages: ocrPages, signal })
    .catch((error: unknown) => {
      // For example, Textract cannot read a PDF with an owner password or XFA. The other pages have a text layer.
      if (!(error instanceof ExtractionRefusal) || ocrPages.length === texts.length) throw error
      return new Map<number, string>()
    })
  if (read.size < ocrPages.length) unread ??= 'pages_unread'
  const pages = texts.map((text, index) => fullerText(text, read.get(index + 1) ?? ''))
  return { pages, page_count: texts.length, unread }
}

/** The thread ended without an answer, and had read other documents before. */
class ThreadLost extends Error {}

/** A thread, and the number of PDFs that it got. */
type PdfThread = { worker: Worker; documents: number }

/** A thread that is ready for the next PDF. */
let idle: PdfThread | undefined

/** The file is beside this module, or beside the bundle that contains it. */
const threadFile = new URL(`./pdf-thread${extname(import.meta.url)}`, import.meta.url)

function startThread(): PdfThread {
  const worker = new Worker(threadFile, {
    name: 'pdf',
    // The thread needs no credentials.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: limits.threadHeapMegabytes },
  })
  const thread = { worker, documents: 0 }
  const forget = () => {
    if (idle === thread) idle = undefined
  }
  // The failure of an idle thread is ignored.
  worker.on('error', forget).on('exit', forget)
  return thread
}

async function readInThread(
  bytes: Uint8Array,
  budget: ReadingBudget | undefined,
  times: PdfTimes,
  signal: AbortSignal,
): Promise<PdfPages> {
  signal.throwIfAborted()
  const thread = idle ?? startThread()
  idle = undefined
  const { worker } = thread
  thread.documents += 1
  const { promise, resolve, reject } = Promise.withResolvers<PdfPages>()
  let hasAnswered = false
  const refuseAfter = (milliseconds: number, message: string) =>
    setTimeout(() => reject(tooComplex(message)), milliseconds)
  const stepTimer = refuseAfter(times.pageMilliseconds, 'A page of the PDF takes too long to read.')
  const totalTimer = refuseAfter(times.pdfMilliseconds, 'The PDF takes too long to read.')
  let stopTaking: (() => void) | undefined

  const onMessage = (message: PdfMessage): void => {
    if (message === 'step') {
      stepTimer.refresh()
      stopTaking ??= budget && takeFrom(budget, times, worker, reject)
      return
    }
    hasAnswered = !('error' in message)
    if ('pages' in message) resolve(message.pages)
    else if ('refused' in message) reject(new ExtractionRefusal(message.refused, message.message))
    else reject(new Error(`The thread that reads PDFs failed: ${message.error}`))
  }
  const lost = (cause: unknown) =>
    thread.documents > 1 ? new ThreadLost('The thread that reads PDFs was lost.', { cause }) : cause
  const onError = (error: unknown): void => reject(isOutOfMemory(error) ? outOfMemory(error) : lost(error))
  const onExit = () => reject(lost(new Error('The thread that reads PDFs ended without an answer.')))
  const onAbort = () => reject(signal.reason)

  worker.on('message', onMessage).once('error', onError).once('exit', onExit)
  worker.ref()
  signal.addEventListener('abort', onAbort, { once: true })
  // pdf.js changes the bytes that it reads.
  const copy = bytes.slice()
  worker.postMessage(copy, [copy.buffer])
  try {
    return await promise
  } finally {
    clearTimeout(stepTimer)
    clearTimeout(totalTimer)
    stopTaking?.()
    signal.removeEventListener('abort', onAbort)
    worker.off('message', onMessage).off('error', onError).off('exit', onExit)
    if (hasAnswered && idle === undefined && thread.documents < limits.documentsPerThread) {
      idle = thread
      worker.unref()
    } else void worker.terminate()
  }
}

/**
 * Takes time from the budget while the document is read, one slice at a time. The first half second is free. This half
 * second is CPU time of the thread, so that other work of the process does not use it up.
 *
 * @returns a function that stops taking time
 */
function takeFrom(
  budget: ReadingBudget,
  times: PdfTimes,
  worker: Worker,
  reject: (error: unknown) => void,
): () => void {
  const stopped = new AbortController()
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: stopped.signal })
  const taking = async () => {
    const before = await worker.cpuUsage()
    for (let used = 0; used < times.unbudgetedMilliseconds; ) {
      await pause(Math.max(50, times.unbudgetedMilliseconds - used))
      const { user, system } = await worker.cpuUsage(before)
      used = (user + system) / 1_000
    }
    while (await budget.take(times.budgetSliceMilliseconds)) await pause(times.budgetSliceMilliseconds)
    reject(tooComplex('The attachments of the mail take too long to read.'))
  }
  taking().catch((error: unknown) => {
    if (!stopped.signal.aborted) reject(error)
  })
  return () => stopped.abort()
}

function tooComplex(message: string): ExtractionRefusal {
  return new ExtractionRefusal('too_complex', message)
}

function outOfMemory(cause: unknown): ExtractionRefusal {
  return new ExtractionRefusal('too_complex', 'The PDF needs too much memory to be read.', { cause })
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
