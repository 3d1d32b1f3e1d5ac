import { parentPort, workerData } from 'node:worker_threads'
import { prepareDocument } from './prepare-document.ts'
import type { PrepareJob, PrepareResult } from './prepare-in-thread.ts'

/** The thread of `prepareInThread`: prepares the document of its `workerData`, and posts the result. */
const { original, certificate, space, attachBecause }: PrepareJob = workerData

try {
  const prepared = await prepareDocument(original, certificate, space, attachBecause)
  const { buffer, byteLength } = prepared.bytes
  // A small buffer may share its memory with others, and is copied.
  const moved = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
  post({ prepared }, moved)
} catch (error) {
  post({ error: error instanceof Error ? error.message : String(error) })
}

function post(result: PrepareResult, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(result, moved)
}
