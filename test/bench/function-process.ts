import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { installStreaming, ResponseStream, streamsAnswers } from '#infra/local/response-stream.ts'

/**
 * Calls a function once: imports the bundle of the first argument and lets it answer the event of the second. Writes
 * `FunctionRun` as JSON to file descriptor 3. This module is bundled itself, so that nothing is loaded before the
 * measurement begins and nothing else uses memory.
 */
const [bundle = '', eventFile = ''] = process.argv.slice(2)
const event: unknown = JSON.parse(readFileSync(eventFile, 'utf8'))
const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 120_000 }
installStreaming()

const startedAt = performance.now()
const { handler } = await import(pathToFileURL(bundle).href)
const loadedAt = performance.now()
const loadedMegabytes = peakMegabytes()
const askedAt = performance.now()
const answered = streamsAnswers(handler) ? await streamedAnswer() : await bufferedAnswer()
const answeredAt = performance.now()
const { user, system } = process.cpuUsage()

const result: FunctionRun = {
  ...answered,
  loadMilliseconds: loadedAt - startedAt,
  answerMilliseconds: answeredAt - askedAt,
  cpuMilliseconds: (user + system) / 1_000,
  loadedMegabytes,
  peakMegabytes: peakMegabytes(),
}
writeSync(3, JSON.stringify(result))
process.exit(0)

/** The answer of a new process, and the time and memory to load a function and to answer one request. */
export type FunctionRun = {
  status: number
  bytes: number
  loadMilliseconds: number
  answerMilliseconds: number
  /** Of the whole process, the start of Node included. */
  cpuMilliseconds: number
  /** The peak memory of the process when the function was loaded, and at the end. */
  loadedMegabytes: number
  peakMegabytes: number
}

/** On Linux from /proc: the value of `resourceUsage` includes the memory of the parent when it started this process. */
function peakMegabytes(): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Number(kilobytes) / 1_024
  } catch {
    return process.resourceUsage().maxRSS / 1_024
  }
}

async function bufferedAnswer(): Promise<{ status: number; bytes: number }> {
  const answer = await handler(event, context)
  // The messages of a queue that a function reports as failed.
  if (answer?.batchItemFailures?.length > 0) return { status: 500, bytes: 0 }
  return { status: answer?.statusCode ?? 200, bytes: answer?.body?.length ?? 0 }
}

async function streamedAnswer(): Promise<{ status: number; bytes: number }> {
  const stream = new ResponseStream()
  const read = (async () => {
    let bytes = 0
    for await (const chunk of stream) bytes += chunk.length
    return bytes
  })()
  const [head, bytes] = await Promise.all([stream.head, read, handler(event, stream, context)])
  return { status: head.statusCode, bytes }
}
