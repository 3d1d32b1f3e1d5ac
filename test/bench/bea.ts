import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BeaAccountRecord } from '#bea/ports.ts'
import { sealedAs } from '#bea/sessions/session-use.ts'
import { requestedSync } from '#bea/sync/sync-state.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { startBea } from '#infra/local/emulators/bea-gateway.ts'
import { plain } from '#test/support/store-changes.ts'
import { anAccount } from './bea-seed.ts'
import type { Measured } from './cost.ts'
import { type Part, round } from './report.ts'
import type { Request } from './requests.ts'
import { runFunction } from './run-function.ts'
import type { Firm } from './seed.ts'
import type { BenchSetup } from './setup.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'

const messages = 1_000
const attachmentBytes = 20_000
const largeMegabytes = 60

/** No gateway that is reached over the internet, and asks the network behind it, takes less for a call. */
const leastMilliseconds = 20

/** The usual time of a gateway for one call. A few messages are enough to see its effect. */
const usualMilliseconds = 150
const messagesAtUsualSpeed = 100

const maxTimesFetching = 1.5
const maxMegabytes = 250

/**
 * Measures a synchronisation with the simulator, which runs in a thread. It compares its time with fetching and
 * decrypting the same messages alone, at a gateway that answers at once, and at two slower ones. It also measures the
 * CPU time and the units of each message, and the memory of the worker for the largest message.
 */
export async function measureBeaSync(setup: BenchSetup, storeCalls: StoreCalls): Promise<Part> {
  const bea = await startBea(join(setup.folder, 'bea'), {})
  Object.assign(process.env, bea.environment)
  const url = bea.environment.BEA_GATEWAY_URL ?? ''
  try {
    const files = (sizes: number[]) =>
      sizes.map((size_bytes, at) => ({ name: `Anlage_${at}.pdf`, size_bytes }))
    const usual = {
      subject: 'Schriftsatz',
      body: 'Anbei.',
      attachments: files([attachmentBytes, attachmentBytes]),
    }

    const seed = async (to: string, from: string, count: number) =>
      control(url, { seed: { ...usual, to, from, count } })
    const slowly = async (milliseconds: number) => {
      await control(url, { clear_faults: true })
      if (milliseconds > 0)
        await control(url, { function: '*', fault: 'slow', milliseconds, times: 1_000_000 })
    }

    await seed(safeIds.demir, safeIds.lindner, messages)
    const office = await connect(bea, setup.firm, safeIds.demir)
    const atOnce = await compared(office, storeCalls, messages)

    await seed(safeIds.lindner, safeIds.demir, messagesAtUsualSpeed)
    const otherOffice = await connect(bea, setup.firm, safeIds.lindner)
    await slowly(usualMilliseconds)
    const usually = await compared(otherOffice, storeCalls, messagesAtUsualSpeed)
    await seed(safeIds.lindner, safeIds.demir, messages)
    await slowly(leastMilliseconds)
    const fast = await compared(otherOffice, storeCalls, messages)
    await slowly(0)

    const large = files(Array(6).fill((largeMegabytes / 6) * 1_000_000))
    await control(url, {
      seed: { ...usual, to: safeIds.demir, from: safeIds.lindner, attachments: large },
    })
    const memory = await workerMemory(setup, bea.environment, await office.order())
    const target = (milliseconds: number, { fetching, syncing }: Compared) => ({
      name: `beA: synchronisation, compared with fetching and decrypting alone, at ${milliseconds} ms a call`,
      measured: syncing / fetching,
      unit: '×',
      max: maxTimesFetching,
    })
    return {
      title: 'beA: synchronisation',
      method: `Messages with two attachments of ${attachmentBytes / 1_000} kB from the simulator, which runs in a thread of the same process, as do S3 and SQS; no other work. Times are compared at a gateway that takes ${leastMilliseconds} ms a call: one that is reached over the internet with TLS, and that asks the network behind it, never takes less. At one that answers at once there is no target: on two processors that compares the CPU of simulator and emulators, which on AWS are other machines, with that of decrypting; its row shows what a message costs in CPU. CPU: of the thread of the worker alone, and of the other threads: the simulator, S3 and SQS, and the garbage collector. The table is a process of its own, whose CPU is in neither. Memory: the worker's bundle in a process of its own, with a message of ${largeMegabytes} MB in six attachments, after an overview of ${messages} messages; its heap has the limit that Node sets on a machine with the function's memory, since the garbage collector goes by it.`,
      rows: [
        { gateway: 'answers as fast as it can', ...rowOf(atOnce) },
        { gateway: `takes ${leastMilliseconds} ms a call`, ...rowOf(fast) },
        { gateway: `takes ${usualMilliseconds} ms a call`, ...rowOf(usually) },
      ],
      targets: [
        target(leastMilliseconds, fast),
        target(usualMilliseconds, usually),
        {
          name: `beA: peak memory of bea-sync at ${largeMegabytes} MB of attachments`,
          measured: memory,
          unit: 'MiB',
          max: maxMegabytes,
        },
      ],
    }
  } finally {
    await bea.stop()
  }
}

type Office = Awaited<ReturnType<typeof connect>>

/** Milliseconds of fetching alone and of a synchronisation, with the CPU of this thread and of the others, and the units of the latter. */
type Compared = Awaited<ReturnType<typeof compared>>

async function compared(office: Office, storeCalls: StoreCalls, expected: number) {
  const [fetching, fetchingCpu, fetchingBeside] = await timed(() => office.fetchNew())
  const order = await office.order()
  const { result, calls } = await storeCalls.record(() => timed(() => office.sync(order)))
  const { new_messages: imported = 0, error = null } = (await office.lastSync()) ?? {}
  if (imported < expected || error !== null)
    throw new Error(`Only ${imported} messages were imported: ${error}`)
  const [syncing, syncingCpu, syncingBeside] = result
  const spent = { fetching, fetchingCpu, fetchingBeside, syncing, syncingCpu, syncingBeside }
  return { imported, ...spent, ...unitsOf(calls) }
}

function rowOf({ imported, ...compared }: Compared) {
  const eachOf = (total: number) => round(total / imported)
  return {
    'messages imported': imported,
    'fetching and decrypting alone, s': round(compared.fetching / 1_000),
    'CPU ms a message': eachOf(compared.fetchingCpu),
    'of other threads': eachOf(compared.fetchingBeside),
    'synchronisation, s': round(compared.syncing / 1_000),
    'its CPU ms a message': eachOf(compared.syncingCpu),
    'of its other threads': eachOf(compared.syncingBeside),
    'read units a message': eachOf(compared.read),
    'write units a message': eachOf(compared.write),
    'calls of the table a message': eachOf(compared.calls),
  }
}

/** The cost of listing beA messages, for `measureCost`. */
export const ofBeaMessages: Measured = {
  things: 'beA messages',
  first: (firm) => listing(firm),
  operations: [
    { name: 'list of messages', request: (firm) => listing(firm), isHeldToTarget: true },
    { name: 'list of a folder', request: (firm) => listing(firm, { folder: 'INBOX' }), isHeldToTarget: true },
    {
      name: 'list of unassigned messages',
      request: (firm) => listing(firm, { unassigned: 'true' }),
      isHeldToTarget: true,
    },
  ],
}

function listing(firm: Firm, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: '/api/v1/bea/messages', query, key: firm.key }
}

/** An account with a key, a worker in this process, and what it takes to fetch the same without storing it. */
async function connect(bea: Awaited<ReturnType<typeof startBea>>, firm: Firm, safeId: string) {
  const [{ beaNetwork }, { foundation }, { inboxFoundation }, { beaMessageFoundation }, { beaSyncing }] =
    await Promise.all([
      import('#foundation/bea.ts'),
      import('#foundation/foundation.ts'),
      import('#foundation/inbox.ts'),
      import('#foundation/bea-messages.ts'),
      import('#foundation/bea-sync.ts'),
    ])
  const base = foundation('bea-sync')
  inboxFoundation(base)
  const network = beaNetwork(base)
  const demo = bea.certificates?.find(({ safe_id }) => safe_id === safeId)
  if (demo === undefined) throw new Error('The simulator has no certificate.')
  const bytes = Buffer.from(demo.certificate_base64, 'base64')
  const { certificate, private_key_pem } = await network.tools.open(bytes, demo.passphrase, new Date())
  const account: BeaAccountRecord = {
    ...anAccount(firm.workspaceId, firm.userId, safeId),
    kind: 'person',
  }
  const { workspace_id, id } = account
  const sealed = await network.secrets.seal(
    JSON.stringify({ certificate, private_key_pem }),
    sealedAs('key', { workspace_id, account_id: id }),
  )
  await network.accounts.add(plain(account), sealed)
  const signal = new AbortController().signal
  const { run } = beaSyncing(base, network, beaMessageFoundation(base), 600_000)
  const fetched = new Set<string>()
  return {
    /** Fetches and decrypts what was not fetched before. */
    fetchNew: () =>
      network.useBeaSession(
        account,
        async (connection) => {
          for (const folder of await connection.folders(safeId, signal))
            for (const { message_id } of folder ? await connection.overview(folder.id, signal) : []) {
              if (message_id === null || fetched.has(message_id)) continue
              fetched.add(message_id)
              const { attachments } = await connection.message(safeId, message_id, signal)
              for (const { read } of attachments) await read()
            }
        },
        signal,
        { mayLogIn: true },
      ),
    order: async () => {
      const started_at = new Date().toISOString()
      await network.accounts.change(workspace_id, id, (current) => ({
        ...current,
        last_sync: requestedSync(current.last_sync, started_at),
      }))
      return { workspace_id, account_id: id, started_at }
    },
    sync: (order: { workspace_id: string; account_id: string; started_at: string }) => run(order, signal),
    lastSync: async () => (await network.accounts.find(workspace_id, id))?.last_sync,
  }
}

/** The peak memory of the worker that does this order, in MiB. */
async function workerMemory(
  setup: BenchSetup,
  environment: Record<string, string>,
  order: object,
): Promise<number> {
  const folder = join(setup.folder, 'bea-sync')
  mkdirSync(folder)
  const runner = await bundle('test/bench/function-process.ts', join(folder, 'function-process.mjs'))
  const { entry, nodeOptions, memoryMegabytes } = manifest.find(({ name }) => name === 'bea-sync') ?? {}
  if (entry === undefined || memoryMegabytes === undefined) throw new Error('There is no bea-sync.')
  const bundleFile = await bundle(entry, join(folder, 'bea-sync.mjs'))
  const eventFile = join(folder, 'event.json')
  const attributes = { ApproximateReceiveCount: '1' }
  const record = { messageId: randomUUID(), receiptHandle: 'none', body: JSON.stringify(order), attributes }
  writeFileSync(eventFile, JSON.stringify({ Records: [record] }))
  const all = { ...setup, environment: { ...setup.environment, ...environment } }
  return (await runFunction(all, runner, { bundleFile, eventFile, nodeOptions, memoryMegabytes }))
    .peakMegabytes
}

async function control(url: string, command: object): Promise<void> {
  const answer = await fetch(new URL('control', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  if (!answer.ok) throw new Error(`The simulator answered ${answer.status}: ${await answer.text()}`)
}

/** How long the work takes, and how much CPU this thread and the others of the process take for it, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<[wall: number, cpu: number, beside: number]> {
  const begun = performance.now()
  const before = { own: process.threadCpuUsage(), all: process.cpuUsage() }
  await work()
  const own = sumOf(process.threadCpuUsage(before.own))
  return [performance.now() - begun, own, sumOf(process.cpuUsage(before.all)) - own]
}

function sumOf({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1_000
}
