import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SyncOrder } from '#bea/sync/sync-queue.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { connectSimulated } from '#test/support/bea-network-firm.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** Synchronisations (B5) whose worker is killed, over the real table and bucket, with the simulator as the network. */

const steps = ['stored', 'recorded', 'used']
const messages = 16

const worker = fileURLToPath(new URL('../support/bea-sync-process.ts', import.meta.url))

let simulator: BeaSimulator

beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})

beforeEach(() => simulator.control.reset())

afterAll(() => simulator.close())

/** Runs an order in a process of its own. @returns the signal that killed it, null if it ended by itself */
async function runApart(order: SyncOrder, step: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [worker, JSON.stringify(order), step], {
    env: {
      ...process.env,
      ...sharedService().environment,
      BEA_GATEWAY_URL: simulator.url,
      BEA_GATEWAY_IDENT: simulator.ident,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return signal
}

it('a synchronisation whose worker is killed at any step, again and again, imports every message once', async () => {
  // Prepare
  const firm = await newFirm()
  const { account, order, lastSync } = await connectSimulated(firm, simulator)
  const safeId = account.postbox_safe_id ?? ''
  await simulator.control.seed({
    to: safeId,
    from: safeIds.demir,
    subject: 'Nachricht',
    count: messages,
    attachments: [
      { name: 'Anlage_1.pdf', size_bytes: 20_000 },
      { name: 'Anlage_2.pdf', size_bytes: 1_000 },
    ],
  })
  const remote = simulator.control.messages(safeId, 'INBOX')

  // Act
  const killed: (string | null)[] = []
  for (const step of steps) {
    // A worker that died has the session for as long as its lease lasts.
    killed.push(await runApart(await order(), step))
    await sleep(100)
  }
  const atTheEnd = await runApart(await order(), 'never')

  // Assess
  expect(killed).toEqual(steps.map(() => 'SIGKILL'))
  expect(atTheEnd).toBeNull()
  expect(await lastSync()).toMatchObject({ status: 'done', error: null })
  const { data } = (await firm.owner('GET', '/api/v1/bea/messages?limit=100')).body
  expect(data).toHaveLength(messages)
  expect(remote).toHaveLength(messages)
  for (const { id, attachments } of data) {
    expect(attachments.length).toBeGreaterThanOrEqual(2)
    for (const attachment of attachments) {
      const path = `/api/v1/bea/messages/${id}/attachments/${attachment.id}/download`
      const { status, bytes } = await firm.owner('GET', path)
      expect([status, bytes.length]).toEqual([200, attachment.size_bytes])
    }
  }
})
