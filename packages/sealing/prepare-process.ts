import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Certificate } from '#signing/ports.ts'
import { type PreparedDocument, prepareDocument, type SignatureSpace } from './prepare-document.ts'
import type { UnalterableReason } from './unalterable.ts'

/**
 * The process of `prepareInProcess`: prepares the documents that it receives, one after the other. The bytes come on
 * its standard input, which needs no copy of them. The process ends itself at the memory limit in its argument, at the
 * time limit of a document, or when its parent ends.
 */
const watch = new Worker(
  `
  const { parentPort, workerData } = require('node:worker_threads')
  const end = () => process.kill(process.pid, 'SIGKILL')
  setInterval(() => process.memoryUsage.rss() > workerData && end(), 50)
  let timer
  parentPort.on('message', (milliseconds) => {
    clearTimeout(timer)
    if (milliseconds !== null) timer = setTimeout(end, milliseconds)
  })
  `,
  { eval: true, workerData: Number(process.argv[2]), env: {} },
)
watch.unref()

process.on('disconnect', () => process.exit())
process.on('message', async ({ length, milliseconds, ...job }: PrepareRequest) => {
  watch.postMessage(milliseconds)
  const result = await prepare(await receive(length), job)
  watch.postMessage(null)
  process.send?.(result)
})

/** The message to the process, in addition to the bytes of the document. */
export type PrepareRequest = {
  /** The bytes of the document. */
  length: number
  milliseconds: number
  certificate: Certificate
  space: SignatureSpace
  attachBecause: UnalterableReason | null
}

/**
 * The answer: the document, or the message of an error that the document did not cause. If pages were appended, the
 * bytes are only the part after the original. `residentBytes` is the current memory of the process.
 */
export type PrepareResult = { prepared: PreparedDocument; residentBytes: number } | { error: string }

async function prepare(
  original: Uint8Array,
  { certificate, space, attachBecause }: Omit<PrepareRequest, 'length' | 'milliseconds'>,
): Promise<PrepareResult> {
  try {
    const prepared = await prepareDocument(original, certificate, space, attachBecause)
    const bytes = prepared.form === 'appended' ? prepared.bytes.slice(original.length) : prepared.bytes
    return { prepared: { ...prepared, bytes }, residentBytes: process.memoryUsage.rss() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

async function receive(length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const chunk: Buffer | null = process.stdin.read(
      Math.min(process.stdin.readableLength || 1, length - filled),
    )
    if (chunk === null) {
      await once(process.stdin, 'readable')
      continue
    }
    bytes.set(chunk, filled)
    filled += chunk.length
  }
  return bytes
}
