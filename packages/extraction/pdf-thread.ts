import { parentPort } from 'node:worker_threads'
import { type PdfPages, readPdfPages } from './pdf-pages.ts'
import { type RefusalReason, refusalOf } from './refusal.ts'

/**
 * The thread of `read-pdf.ts`. It reads the PDFs that it receives, one after the other. Only the thread loads pdf.js,
 * so that the Lambda function starts without it.
 */
parentPort?.on('message', async (bytes: Uint8Array) => {
  const post = (message: PdfMessage) => parentPort?.postMessage(message)
  let postedAt = 0
  const step = () => {
    const now = performance.now()
    if (now - postedAt < stepMilliseconds) return
    postedAt = now
    post('step')
  }
  step()
  try {
    post({ pages: await readPdfPages(bytes, step) })
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== undefined) post({ refused: refusal.reason, message: refusal.message })
    else post({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})

/** Steps that begin within this time are reported as one, because a file may have a hundred thousand. */
const stepMilliseconds = 100

/**
 * The messages of the thread: `step` when a step begins; at the end the pages, a refusal, or an error that the document
 * did not cause.
 */
export type PdfMessage =
  | 'step'
  | { pages: PdfPages }
  | { refused: RefusalReason; message: string }
  | { error: string }
