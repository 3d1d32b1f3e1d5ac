import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { exportRunQueue } from '#exports/queue-schema.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { accessReportKey } from '#parties/access-keys.ts'
import { sweepAccessReports } from '#parties/access-sweep.ts'
import { queueSender } from '#queue/sqs.ts'
import { accessReportStore, unendedReports } from '#store/parties/access-report-store.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** Reports on parties (R6) whose worker is killed or whose message is lost, over the real table and bucket. */

const worker = fileURLToPath(new URL('../support/access-report-process.ts', import.meta.url))

/** A report whose message is lost: nothing makes it but this test. */
async function lostReport({ owner, workspace, ownerUser }: Firm) {
  const { id: party_id } = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body
  const reports = accessReportStore(storeDeps(await sharedTable()))
  const key = { workspace_id: workspace.id, party_id, id: newId('accessReport') }
  const [created_at, expires_at] = [0, 86_400_000].map((later) =>
    new Date(epochMilliseconds() + later).toISOString(),
  )
  const record = {
    ...key,
    status: 'running' as const,
    status_reason: null,
    requested_by: ownerUser.id,
    reads_bea: true,
    attempts: null,
    created_at: created_at ?? '',
    expires_at: expires_at ?? '',
    size_bytes: null,
    opened_hour: null,
  }
  // The service that all tests share sends it again no sooner than this.
  const dueAt = new Date(epochMilliseconds() + 3_600_000).toISOString()
  await reports.add(record, [], { id: key.id, status: 'running' }, dueAt)
  const order = { workspace_id: workspace.id, party_id, report_id: key.id }
  const isUnended = async () => {
    const { due, shards } = unendedReports(await sharedTable())
    for (const shard of shards)
      for await (const one of due(shard, systemClock.now())) if (one.report_id === key.id) return true
    return false
  }
  const shown = async () => (await owner('GET', `/api/v1/parties/${party_id}/access-reports/${key.id}`)).body
  return { key, order, reports, isUnended, shown }
}

/** Makes a report in a process of its own. @returns the signal that killed it, null if it ended by itself */
async function makeApart(order: object, step: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [worker, JSON.stringify(order), step], {
    env: { ...process.env, ...sharedService().environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return signal
}

it('a report whose worker is killed at any step has its file in the end, and is never sent again', async () => {
  const { order, isUnended, shown } = await lostReport(await newFirm())

  const killed: (string | null)[] = []
  for (const step of ['begun', 'uploaded', 'ended']) {
    killed.push(await makeApart(order, step))
    if (step !== 'ended') expect([(await shown()).status, await isUnended()]).toEqual(['running', true])
  }
  const atTheEnd = await makeApart(order, 'never')

  expect([...killed, atTheEnd]).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', null])
  const report = await shown()
  expect([report.status, await isUnended()]).toEqual(['succeeded', false])
  const file = await fetch(report.url)
  expect((await file.arrayBuffer()).byteLength).toBe(Number(file.headers.get('content-length')))
})

it('a report whose message is lost is sent to its worker again', async () => {
  const firm = await newFirm()
  const { order, shown } = await lostReport(firm)
  const { unended, sent } = { unended: unendedReports(await sharedTable()), sent: [] as string[] }
  Object.assign(process.env, sharedService().environment)
  const send = queueSender(exportRunQueue)
  const deps = {
    unended,
    send: async (one: typeof order) => {
      if (one.report_id !== order.report_id) return
      sent.push(one.report_id)
      await send(one)
    },
    log: { error: () => {} },
  }

  await sweepAccessReports(deps, systemClock.now(), { milliseconds: 30_000 })
  const tooEarly = [...sent]
  await sweepAccessReports(deps, new Date(epochMilliseconds() + 2 * 3_600_000), { milliseconds: 30_000 })

  expect([tooEarly, sent]).toEqual([[], [order.report_id]])
  await vi.waitFor(async () => expect((await shown()).status).toBe('succeeded'), {
    timeout: 60_000,
    interval: 200,
  })
})

it('the file of a report that is killed while its party is erased is removed', async () => {
  const firm = await newFirm()
  const { key, order, reports, isUnended } = await lostReport(firm)
  expect(await makeApart(order, 'uploaded')).toBe('SIGKILL')
  await reports.remove([key])
  const stored = await sharedBucket().head(accessReportKey(key))

  await makeApart(order, 'never')

  expect(stored).toBeDefined()
  expect(await sharedBucket().head(accessReportKey(key))).toBeUndefined()
  expect(await isUnended()).toBe(false)
})
