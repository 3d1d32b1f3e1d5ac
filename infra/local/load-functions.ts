import type { Context } from 'aws-lambda'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { pathsOf } from '#functions/manifest.ts'
import { CannotStart } from './cannot-start.ts'
import { createIsolation, type Isolation } from './isolate.ts'
import { installStreaming, type ResponseStream, streamsAnswers } from './response-stream.ts'

/** A Lambda that runs in this process. */
export type LocalFunction = {
  name: string
  /** The paths that the gateway sends to it, with any method. */
  paths: readonly string[]
  /** It uses no AWS service, so it never waits for one. */
  needsNothing: boolean
  /** How often the ticker runs it. */
  everyMinutes: number | undefined
  /** The queue whose messages the pump delivers to it. */
  consumes: FunctionDeclaration['consumes']
  timeoutSeconds: number
  /** Its handler ends it after this time, which begins when it gets a thread: waiting for one does not count. */
  limitsItself?: boolean
  memoryMegabytes: number
  handler: (event: unknown, context: Context) => Promise<unknown>
  /** Called instead of `handler` if the function streams its answers. */
  stream: ((event: unknown, stream: ResponseStream, context: Context) => Promise<unknown>) | undefined
}

const root = new URL('../../', import.meta.url)

/**
 * Imports every function of the manifest, so that no request has to wait for an import.
 *
 * @param options.workerThreads whether the consumers of queues run in threads. The default is true.
 * @throws CannotStart with the name of a function whose module fails or exports no `handler`
 */
export function loadFunctions(
  manifest: readonly FunctionDeclaration[],
  { workerThreads = true }: { workerThreads?: boolean } = {},
): Promise<LocalFunction[]> {
  installStreaming()
  const memoryMegabytes = Math.max(0, ...manifest.map((one) => (one.consumes ? one.memoryMegabytes : 0)))
  const isolation = workerThreads ? createIsolation({ memoryMegabytes }) : undefined
  return Promise.all(manifest.map((declaration) => load(declaration, isolation)))
}

async function load(
  declaration: FunctionDeclaration,
  isolation: Isolation | undefined,
): Promise<LocalFunction> {
  const { name, entry, everyMinutes, consumes, timeoutSeconds, memoryMegabytes } = declaration
  if (isolation && consumes && !consumes.waits) {
    // A message can make the consumer of a queue run out of memory.
    const handler = isolation.isolate(new URL(entry, root), declaration)
    const limits = { timeoutSeconds, limitsItself: true, memoryMegabytes }
    const unserved = { paths: [], needsNothing: false, stream: undefined }
    return { name, ...limits, ...unserved, handler, everyMinutes, consumes }
  }
  const handler = await importHandler(entry).catch((error: unknown) => {
    throw new CannotStart(
      `The function ${name} (${entry}) cannot be loaded:\n${error instanceof Error ? error.stack : error}`,
      error,
    )
  })
  return {
    name,
    paths: pathsOf(declaration),
    needsNothing: Object.keys(declaration.needs).length === 0,
    everyMinutes,
    consumes,
    timeoutSeconds,
    memoryMegabytes,
    handler,
    stream: streamsAnswers(handler) ? (handler as unknown as LocalFunction['stream']) : undefined,
  }
}

async function importHandler(entry: string): Promise<LocalFunction['handler']> {
  const module: Record<string, unknown> = await import(new URL(entry, root).href)
  if (typeof module.handler !== 'function') throw new Error('It exports no handler.')
  return module.handler as LocalFunction['handler']
}
