import { parentPort } from 'node:worker_threads'
import type { Certificate } from '#signing/ports.ts'
import { type PreparedDocument, prepareDocument, type SignatureSpace } from './prepare-document.ts'
import type { UnalterableReason } from './unalterable.ts'

/** The thread of `prepareInThread`: prepares the documents that it is sent, one after the other, and posts the results. */
parentPort?.on('message', async ({ original, certificate, space, attachBecause }: PrepareJob) => {
  try {
    const prepared = await prepareDocument(original, certificate, space, attachBecause)
    const { buffer, byteLength } = prepared.bytes
    // A small buffer may share its memory with others, and is copied.
    const moved = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
    post({ prepared }, moved)
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) })
  }
})

function post(result: PrepareResult, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(result, moved)
}

/** What the thread is given. */
export type PrepareJob = {
  original: Uint8Array
  certificate: Certificate
  space: SignatureSpace
  attachBecause: UnalterableReason | null
}

/** What the thread answers: the document, or the message of an error that is not the document's fault. */
export type PrepareResult = { prepared: PreparedDocument } | { error: string }
