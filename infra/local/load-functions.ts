import type { Context } from 'aws-lambda'
import type { FunctionDeclaration } from '#functions/manifest.ts'
import { CannotStart } from './cannot-start.ts'

/** A Lambda that runs in this process. */
export type LocalFunction = {
  name: string
  /** What the gateway sends it. */
  endpoints: readonly { method: string; path: string }[]
  /** How often the ticker runs it. */
  everyMinutes: number | undefined
  timeoutSeconds: number
  memoryMegabytes: number
  handler: (event: unknown, context: Context) => Promise<unknown>
}

const root = new URL('../../', import.meta.url)

/**
 * Imports every function of the manifest, so that the first request waits for none.
 *
 * @throws CannotStart naming the function whose module fails or exports no `handler`.
 */
export function loadFunctions(manifest: readonly FunctionDeclaration[]): Promise<LocalFunction[]> {
  return Promise.all(manifest.map(load))
}

async function load(declaration: FunctionDeclaration): Promise<LocalFunction> {
  const { name, entry, endpoints, everyMinutes, timeoutSeconds, memoryMegabytes } = declaration
  const handler = await importHandler(entry).catch((error: unknown) => {
    throw new CannotStart(
      `The function ${name} (${entry}) cannot be loaded:\n${error instanceof Error ? error.stack : error}`,
      error,
    )
  })
  return {
    name,
    endpoints: Object.values(endpoints ?? {}),
    everyMinutes,
    timeoutSeconds,
    memoryMegabytes,
    handler,
  }
}

async function importHandler(entry: string): Promise<LocalFunction['handler']> {
  const module: Record<string, unknown> = await import(new URL(entry, root).href)
  if (typeof module.handler !== 'function') throw new Error('It exports no handler.')
  return module.handler as LocalFunction['handler']
}
