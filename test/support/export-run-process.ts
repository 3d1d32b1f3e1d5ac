import { setTimeout as sleep } from 'node:timers/promises'
import type { RunOrder } from '#exports/run-ports.ts'
import { exportRunning } from '#exports/running.ts'
import { fileMaker } from '#foundation/export-files.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { exportsFoundation } from '#foundation/exports.ts'
import { foundation } from '#foundation/foundation.ts'
import { queues } from '#functions/queues.ts'

/**
 * A worker that runs one export like the Lambda, and kills itself at a step. The order is its first argument, the
 * step its second: `begun`, `reading`, `uploading`, `uploaded`, `ended`, or `never`.
 */
await work(JSON.parse(process.argv[2] ?? ''), process.argv[3])

async function work(order: RunOrder, step: string | undefined): Promise<void> {
  const die = (at: string) => {
    if (at === step) process.kill(process.pid, 'SIGKILL')
  }
  const base = foundation('export-runs')
  const exports = exportsFoundation(base)
  const { runs, files } = exportRunsFoundation(base)
  const makeFile = fileMaker(exports)

  /** The bytes of the file and twenty megabytes of blanks, so that they are uploaded in parts. */
  async function* slowly(bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      die('reading')
      yield chunk
    }
    for (let at = 0; at < 20; at += 1) {
      yield Buffer.alloc(1_000_000, ' ')
      if (at === 18) die('uploading')
      await sleep(1)
    }
  }

  await exportRunning({
    clock: base.clock,
    log: base.log,
    maxAttempts: queues['export-runs'].maxReceives,
    runs: {
      ...runs,
      begin: async (...call) => {
        const begun = await runs.begin(...call)
        die('begun')
        return begun
      },
      end: async (...call) => {
        const ended = await runs.end(...call)
        die('ended')
        return ended
      },
    },
    files: {
      ...files,
      putStream: async (...call) => {
        const size = await files.putStream(...call)
        die('uploaded')
        return size
      },
    },
    make: async (workspaceId, configId, now) => {
      const config = await exports.configs.find(workspaceId, configId)
      if (config === undefined) return undefined
      const file = await makeFile(config, now)
      return { ...file, bytes: slowly(file.bytes) }
    },
  }).run(order, new AbortController().signal)
}
