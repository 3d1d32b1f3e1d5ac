import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FunctionRun } from './function-process.ts'
import type { BenchSetup } from './setup.ts'

/** A run as its parent process measures it: `processMilliseconds` is the time to its first output. */
export type SeenRun = FunctionRun & { processMilliseconds: number }

/**
 * Lets the function of a bundle answer one event in a new process.
 *
 * With `memoryMegabytes`, the memory of the Lambda, the heap is limited to half of it if the function's `nodeOptions`
 * set a heap size. Node chooses the same limit on such a machine. Without `NODE_OPTIONS` Lambda sets other limits.
 *
 * @param runner the bundle of `function-process.ts`
 * @throws Error with the error output of the process, or with the status of an answer that is an error
 */
export async function runFunction(
  { environment }: BenchSetup,
  runner: string,
  {
    bundleFile,
    eventFile,
    nodeOptions = '',
    memoryMegabytes,
  }: { bundleFile: string; eventFile: string; nodeOptions?: string | undefined; memoryMegabytes?: number },
): Promise<SeenRun> {
  const heapLimit = memoryMegabytes && `--max-old-space-size=${Math.floor(memoryMegabytes / 2)}`
  const allOptions = [nodeOptions, heapLimit].filter(Boolean).join(' ')
  const startedAt = performance.now()
  const child = spawn(process.execPath, [runner, bundleFile, eventFile], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...environment, LOG_LEVEL: 'INFO', ...(allOptions && { NODE_OPTIONS: allOptions }) },
  })
  const [{ result, answeredAt }, complaint] = await Promise.all([
    readTimed(child.stdio[3] as Readable),
    text(child.stderr as Readable),
    once(child, 'close'),
  ])
  if (result === '') throw new Error(`${bundleFile} did not start: ${complaint}`)
  const run: FunctionRun = JSON.parse(result)
  if (run.status >= 300) throw new Error(`${bundleFile} answered its request with ${run.status}.`)
  return { ...run, processMilliseconds: answeredAt - startedAt }
}

/** The whole content of a stream, and the time of its first byte. */
async function readTimed(stream: Readable): Promise<{ result: string; answeredAt: number }> {
  let [result, answeredAt] = ['', 0]
  for await (const chunk of stream.setEncoding('utf8')) {
    answeredAt ||= performance.now()
    result += chunk
  }
  return { result, answeredAt }
}
