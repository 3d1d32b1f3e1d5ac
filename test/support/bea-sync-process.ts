import type { SyncOrder } from '#bea/sync/sync-queue.ts'
import { beaNetwork } from '#foundation/bea.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { beaSyncing } from '#foundation/bea-sync.ts'
import { foundation } from '#foundation/foundation.ts'
import { inboxFoundation } from '#foundation/inbox.ts'

/**
 * A worker that synchronises one account like the Lambda, and kills itself at a step. The order is its first argument,
 * the step its second: `used`: one use of the session has ended. `stored`: the second object is in the bucket.
 * `recorded`: the fourth message is recorded. Or `never`.
 */
await work(JSON.parse(process.argv[2] ?? ''), process.argv[3])

async function work(order: SyncOrder, step: string | undefined): Promise<void> {
  const die = (at: string) => {
    if (at === step) process.kill(process.pid, 'SIGKILL')
  }
  const base = foundation('bea-sync')
  inboxFoundation(base)
  const network = beaNetwork(base)
  const { store, files, answers } = beaMessageFoundation(base)
  let objects = 0
  let records = 0
  const { run } = beaSyncing(
    base,
    {
      accounts: network.accounts,
      useBeaSession: async (...call) => {
        const result = await network.useBeaSession(...call)
        die('used')
        return result
      },
    },
    {
      answers,
      store: {
        ...store,
        add: async (change) => {
          const id = await store.add(change)
          records += 1
          if (records === 4) die('recorded')
          return id
        },
      },
      files: {
        ...files,
        put: async (...call) => {
          await files.put(...call)
          objects += 1
          if (objects === 2) die('stored')
        },
      },
    },
    600_000,
  )
  await run(order, new AbortController().signal)
}
