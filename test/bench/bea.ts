import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BeaAccountRecord, BeaMessageRecord } from '#bea/ports.ts'
import { sealedAs } from '#bea/session-use.ts'
import { requestedSync } from '#bea/sync-state.ts'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { safeIds } from '#infra/local/bea/directory/identities.ts'
import { startBea } from '#infra/local/bea/start-bea.ts'
import { derivedIdAt, newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaMessageRecords } from '#store/bea/bea-message-records.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { tableName } from '#store/table.ts'
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

const maxTimesFetching = 1.5
const maxMegabytes = 250

/**
 * Measures a synchronisation with the simulator, which runs in a thread: its time compared with fetching and decrypting
 * the same messages alone, the units that each message costs, and the memory of the worker for the largest message.
 */
export async function measureBeaSync(setup: BenchSetup, storeCalls: StoreCalls): Promise<Part> {
  const bea = await startBea(join(setup.folder, 'bea'), {})
  Object.assign(process.env, bea.environment)
  try {
    const office = await connect(bea, setup.firm)
    const seed = (seeded: object) => control(bea.environment.BEA_GATEWAY_URL ?? '', { seed: seeded })
    const files = (sizes: number[]) =>
      sizes.map((size_bytes, at) => ({ name: `Anlage_${at}.pdf`, size_bytes }))
    const usual = { to: safeIds.demir, from: safeIds.lindner, subject: 'Schriftsatz', body: 'Anbei.' }
    await seed({ ...usual, count: messages, attachments: files([attachmentBytes, attachmentBytes]) })

    const fetching = await timed(() => office.fetchAll())
    const order = await office.order()
    const { result: syncing, calls } = await storeCalls.record(() => timed(() => office.sync(order)))
    const { new_messages: imported = 0 } = (await office.lastSync()) ?? {}
    if (imported < messages) throw new Error(`Only ${imported} messages were imported.`)
    const { read, write } = unitsOf(calls)

    await seed({
      ...usual,
      subject: 'Anlagenkonvolut',
      attachments: files(Array(6).fill((largeMegabytes / 6) * 1_000_000)),
    })
    const memory = await workerMemory(setup, bea.environment, await office.order())
    return {
      title: 'beA: synchronisation',
      method: `${messages} messages with two attachments of ${attachmentBytes / 1_000} kB from the simulator, which runs in a thread of the same process and answers as fast as it can; no other work. Memory: the worker's bundle in a process of its own, with a message of ${largeMegabytes} MB in six attachments.`,
      rows: [
        {
          'messages imported': imported,
          'fetching and decrypting alone, s': round(fetching / 1_000),
          'synchronisation, s': round(syncing / 1_000),
          'read units a message': round(read / imported),
          'write units a message': round(write / imported),
          'peak MiB of the worker': round(memory),
        },
      ],
      targets: [
        {
          name: 'beA: synchronisation, compared with fetching and decrypting alone',
          measured: syncing / fetching,
          unit: '×',
          max: maxTimesFetching,
        },
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

/** What the list of beA messages costs, for `measureCost`. */
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

/** Gives each firm an account with as many messages as it has cases, which its list shows. */
export async function seedBeaMessages(firms: Firm[]): Promise<void> {
  const db = { client: createClient(), table: tableName() }
  const records = beaMessageRecords({ db, cursors: tableCursors(db) })
  for (const { workspaceId, userId, cases } of firms) {
    const account = anAccount(workspaceId, userId, `DE.BRAK.${randomUUID()}.ab12`)
    await beaAccountStore(db).add(account, null)
    for (let start = 0; start < cases; start += 500) {
      const puts = Array.from({ length: Math.min(500, cases - start) }, (_, at) =>
        records.addition(aMessage(account, start + at), () => new Error('It is there already.')),
      )
      await writeAll(
        db,
        puts.flat().map(({ item }) => ({ params: () => item.Put })),
      )
    }
  }
}

function listing(firm: Firm, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: '/api/v1/bea/messages', query, key: firm.key }
}

function aMessage(account: BeaAccountRecord, number: number): BeaMessageRecord {
  const received = new Date(Date.UTC(2026, 0, 1) + number * 60_000)
  const name = { name: 'Landgericht München I', bea_id: safeIds.landgericht }
  return {
    workspace_id: account.workspace_id,
    id: derivedIdAt('beaMessage', `${account.id} ${number}`, received),
    is_missing: false,
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id ?? '',
    remote_id: String(number),
    folder: 'INBOX',
    direction: 'inbound',
    subject: `Ladung ${number}`,
    sender: name,
    recipients: [{ name: 'Dr. Jana Vogt', bea_id: account.safe_id }],
    received_at: received.toISOString(),
    sent_at: received.toISOString(),
    reference_sender: `${number} O 1/26`,
    reference_recipient: null,
    confidential: false,
    eeb_requested: false,
    eeb: null,
    eeb_foreign_id: null,
    attachments: [],
    size_bytes: 0,
    case_id: null,
    party_id: null,
    purge_at: null,
    imported_at: received.toISOString(),
    receipt: null,
    inbox: null,
    teaches: { references: [], sender: null },
    version: 1,
  }
}

function anAccount(workspace_id: string, user_id: string, safe_id: string): BeaAccountRecord {
  return {
    workspace_id,
    id: newId('beaAccount'),
    user_id,
    label: 'Postfach',
    // Neither the schedule nor the renewal of a session comes in between.
    kind: 'card',
    safe_id,
    owner_name: 'Dr. Jana Vogt',
    postbox_safe_id: safe_id,
    login_account_id: null,
    certificate: null,
    certificate_pem: null,
    status: 'connected',
    last_sync: null,
    eda_mahn: null,
    created_at: new Date().toISOString(),
    disconnected_at: null,
    version: 1,
  }
}

/** An account with a key, a worker in this process, and what it takes to fetch the same without storing it. */
async function connect(bea: Awaited<ReturnType<typeof startBea>>, firm: Firm) {
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
  const demo = bea.certificates?.find(({ safe_id }) => safe_id === safeIds.demir)
  if (demo === undefined) throw new Error('The simulator has no certificate.')
  const bytes = Buffer.from(demo.certificate_base64, 'base64')
  const { certificate, private_key_pem } = await network.tools.open(bytes, demo.passphrase, new Date())
  const account: BeaAccountRecord = {
    ...anAccount(firm.workspaceId, firm.userId, safeIds.demir),
    kind: 'person',
  }
  const { workspace_id, id } = account
  const sealed = await network.secrets.seal(
    JSON.stringify({ certificate, private_key_pem }),
    sealedAs('key', { workspace_id, account_id: id }),
  )
  await network.accounts.add(account, sealed)
  const signal = new AbortController().signal
  const { run } = beaSyncing(base, network, beaMessageFoundation(base), 600_000)
  return {
    fetchAll: () =>
      network.useBeaSession(
        account,
        async (connection) => {
          for (const folder of await connection.folders(safeIds.demir, signal))
            for (const { message_id } of await connection.overview(folder.id, signal)) {
              const { attachments } = await connection.message(safeIds.demir, message_id, signal)
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
  const { entry = '', nodeOptions } = manifest.find(({ name }) => name === 'bea-sync') ?? {}
  const bundleFile = await bundle(entry, join(folder, 'bea-sync.mjs'))
  const eventFile = join(folder, 'event.json')
  const attributes = { ApproximateReceiveCount: '1' }
  const record = { messageId: randomUUID(), receiptHandle: 'none', body: JSON.stringify(order), attributes }
  writeFileSync(eventFile, JSON.stringify({ Records: [record] }))
  const all = { ...setup, environment: { ...setup.environment, ...environment } }
  return (await runFunction(all, runner, { bundleFile, eventFile, nodeOptions })).peakMegabytes
}

async function control(url: string, command: object): Promise<void> {
  const answer = await fetch(new URL('control', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  if (!answer.ok) throw new Error(`The simulator answered ${answer.status}: ${await answer.text()}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
