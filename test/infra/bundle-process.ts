import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { invoke } from '#infra/local/invoke.ts'
import { installStreaming, ResponseStream, streamsAnswers } from '#infra/local/response-stream.ts'
import type { Bundled, Called, Outcome } from './call-bundle.ts'

/**
 * The process of one bundle. It loads the bundle as Lambda's runtime does and calls it with each event in turn. It
 * sends its parent the results, with the names of the environment variables that were read.
 */
process.once('message', async (bundled: Bundled) => {
  const read = new Set<string>()
  process.env = new Proxy(process.env, {
    get: (variables, name) => {
      if (typeof name === 'string') read.add(name)
      return Reflect.get(variables, name)
    },
  })
  const called: Called = { readAtStart: [], outcomes: [] }
  try {
    installStreaming()
    const { handler } = await import(pathToFileURL(join(bundled.folder, 'index.mjs')).href)
    called.readAtStart = [...read]
    for (const file of readdirSync(bundled.folder).filter((name) => /^index-.*\.mjs$/.test(name)))
      await import(pathToFileURL(join(bundled.folder, file)).href)
    for (const event of bundled.events) called.outcomes.push(await outcomeOf(handler, event, bundled))
  } catch (error) {
    called.error = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  process.send?.(called, () => process.exit())
})

type Handler = (event: unknown) => Promise<unknown>

async function outcomeOf(
  handler: Handler,
  event: unknown,
  { name, timeoutSeconds, memoryMegabytes }: Bundled,
): Promise<Outcome> {
  const stream = streamsAnswers(handler) ? new ResponseStream() : undefined
  const fn = {
    name,
    timeoutSeconds,
    memoryMegabytes,
    handler,
    stream: stream && (handler as never),
    paths: [],
    needsNothing: false,
    everyMinutes: undefined,
    consumes: undefined,
  }
  const body = stream && text(stream)
  const result = await invoke(fn, event, crypto.randomUUID(), Number.POSITIVE_INFINITY, stream)
  if (stream === undefined) return { result }
  return { result: { ...(await stream.head), body: await body } }
}
