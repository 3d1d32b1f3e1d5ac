import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { installStreaming, ResponseStream, streamsAnswers } from '#infra/local/response-stream.ts'

/**
 * Imports the bundle of the first argument and has it answer the event of the second, as a function that is called
 * once. Writes `Memory` as JSON to file descriptor 3. It is bundled itself, so that nothing else fills the memory.
 */
const [bundle = '', eventFile = ''] = process.argv.slice(2)
const event: unknown = JSON.parse(readFileSync(eventFile, 'utf8'))
const context = { awsRequestId: 'memory', getRemainingTimeInMillis: () => 29_000 }
installStreaming()

const { handler } = await import(pathToFileURL(bundle).href)
const loadedMegabytes = peakMegabytes()
const { status, bytes } = streamsAnswers(handler) ? await streamedAnswer() : await bufferedAnswer()

const result: Memory = { status, bytes, loadedMegabytes, peakMegabytes: peakMegabytes() }
writeSync(3, JSON.stringify(result))
process.exit(0)

/** The most memory that a process had, once it was loaded and in all, and what it answered. */
export type Memory = { status: number; bytes: number; loadedMegabytes: number; peakMegabytes: number }

/** On Linux from /proc: what `resourceUsage` tells there includes what the parent had when it started this one. */
function peakMegabytes(): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Number(kilobytes) / 1_024
  } catch {
    return process.resourceUsage().maxRSS / 1_024
  }
}

async function bufferedAnswer(): Promise<{ status: number; bytes: number }> {
  const { statusCode, body } = await handler(event, context)
  return { status: statusCode, bytes: body.length }
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
