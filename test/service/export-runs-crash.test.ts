import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fileKeys, runKeyOf } from '#exports/run-keys.ts'
import type { RunOrder } from '#exports/run-ports.ts'
import { aConfig } from '#test/support/exports.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** Runs of schedules (X5) whose worker is killed, over the real table and bucket. */

const steps = ['begun', 'reading', 'uploading', 'uploaded', 'ended']

const worker = fileURLToPath(new URL('../support/export-run-process.ts', import.meta.url))

/** Runs an order in a process of its own. @returns the signal that killed it, null if it ended by itself */
async function runApart(order: RunOrder, step: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [worker, JSON.stringify(order), step], {
    env: { ...process.env, ...sharedService().environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return signal
}

it('a run whose worker is killed at any step, again and again, has one record and one file in the end', async () => {
  // Prepare
  const firm = await newFirm()
  await firm.owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Jörg Größl' } })
  const schedule = { frequency: 'monthly', time: '06:00', day: 1 }
  const { id: config_id } = await aConfig(firm, { format: 'csv', schedule })
  const workspace_id = firm.workspace.id
  const order = { workspace_id, config_id, scheduled_at: '2026-12-01T05:00:00.000Z' }
  const { exportRunStore } = await import('#store/exports/export-run-store.ts')
  const { storeDeps } = await import('#test/support/mail-stores.ts')
  const runs = exportRunStore(storeDeps(await sharedTable()))

  // Act
  const killed: (string | null)[] = []
  for (const step of steps) killed.push(await runApart(order, step))
  const atTheEnd = await runApart(order, 'never')

  // Assess
  expect(killed).toEqual(steps.map(() => 'SIGKILL'))
  expect(atTheEnd).toBeNull()
  const { data } = await runs.page(workspace_id, config_id, { limit: 10 })
  const [run] = data
  expect(data).toHaveLength(1)
  expect(run).toMatchObject({ status: 'succeeded', row_count: 1, attempt: steps.length })
  const bucket = sharedBucket()
  const heads = await Promise.all(fileKeys(runKeyOf(order)).map((key) => bucket.head(key)))
  const objects = heads.filter((head) => head !== undefined)
  expect(objects.map(({ sizeBytes }) => sizeBytes)).toContain(run?.size_bytes)
  expect(objects).toHaveLength(1)
})
