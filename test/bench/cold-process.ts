import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { installStreaming, ResponseStream, streamsAnswers } from '#infra/local/response-stream.ts'

/**
 * One cold start: imports the bundle of the first argument and has it answer the event of the second. Writes
 * `ColdStart` as JSON to file descriptor 3. It is bundled itself, so that nothing is loaded before the clock runs.
 */
const [bundle = '', eventFile = ''] = process.argv.slice(2)
const event: unknown = JSON.parse(readFileSync(eventFile, 'utf8'))
const context = { awsRequestId: 'cold', getRemainingTimeInMillis: () => 29_000 }
installStreaming()

const cpu = process.cpuUsage()
const startedAt = performance.now()
const { handler } = await import(pathToFileURL(bundle).href)
const loadedAt = performance.now()
const answer = streamsAnswers(handler) ? await answerOfStream() : await handler(event, context)
const answeredAt = performance.now()
const { user, system } = process.cpuUsage(cpu)

const result: ColdStart = {
  status: answer?.statusCode ?? 200,
  loadMilliseconds: loadedAt - startedAt,
  answerMilliseconds: answeredAt - loadedAt,
  cpuMilliseconds: (user + system) / 1_000,
}
writeSync(3, JSON.stringify(result))
process.exit(0)

async function answerOfStream(): Promise<{ statusCode: number }> {
  const stream = new ResponseStream()
  stream.resume()
  const [head] = await Promise.all([stream.head, handler(event, stream, context)])
  return head
}

/** What a fresh process takes to load a function and have one request answered. */
export type ColdStart = {
  status: number
  loadMilliseconds: number
  answerMilliseconds: number
  cpuMilliseconds: number
}
