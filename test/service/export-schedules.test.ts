import { expect, it, vi } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { loggedEvents } from '#test/support/webhook-events.ts'

/** X5 over the whole service: its own sweeper, queue and worker run what is due. */

/** The sweeper looks every minute; a look that takes longer than that delays the next one. */
const untilSwept = { timeout: 240_000, interval: 500 }

/** Lets the next run of a configuration be due since a minute ago. */
async function makeDue(db: Db, workspaceId: string, configId: string): Promise<string> {
  const next_run_at = new Date(epochMilliseconds() - 60_000).toISOString()
  const configs = exportConfigStore(storeDeps(db))
  await configs.change(workspaceId, configId, (current) => plain({ ...current, next_run_at }))
  return next_run_at
}

it('a due configuration runs by itself; its file equals the result of executing it', async () => {
  // Prepare
  const firm = await newFirm()
  const { owner } = firm
  await owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Jörg Größl' } })
  const schedule = { frequency: 'weekly', time: '03:15', weekday: 7 }
  const { id } = await aConfig(firm, { format: 'csv', schedule })
  const path = `${configsPath}/${id}`

  // Act
  const dueAt = await makeDue(await sharedTable(), firm.workspace.id, id)
  const run = await vi.waitFor(async () => {
    const { body } = await owner('GET', `${path}/runs`)
    expect(body.data[0]?.status).toBe('succeeded')
    return body.data[0]
  }, untilSwept)

  // Assess
  const file = await owner('GET', `${path}/runs/${run.id}/download`)
  const executed = await owner('GET', `${path}/execute`)
  expect(file.status).toBe(200)
  expect(Buffer.from(file.bytes).toString()).toBe(Buffer.from(executed.bytes).toString())
  expect(file.headers.get('content-type')).toBe(executed.headers.get('content-type'))
  expect(run).toMatchObject({ row_count: 1, size_bytes: executed.bytes.length, status_reason: null })
  expect(Date.parse(run.started_at) - Date.parse(dueAt)).toBeLessThan(60_000 + untilSwept.timeout)
  const { body } = await owner('GET', path)
  expect(body.schedule).toEqual(schedule)
  const [event] = await loggedEvents(owner, 'type=export_run.*')
  expect(event).toMatchObject({
    type: 'export_run.succeeded',
    data: { id: run.id, case_id: null, config_id: id },
  })
})

it('a due configuration that only the firm can mend fails, and the log of events says so', async () => {
  const firm = await newFirm()
  const schedule = { frequency: 'weekly', time: '03:15', weekday: 7 }
  const { id } = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev', schedule })

  await makeDue(await sharedTable(), firm.workspace.id, id)

  await vi.waitFor(async () => {
    const [event] = await loggedEvents(firm.owner, 'type=export_run.*')
    expect(event).toMatchObject({ type: 'export_run.failed', data: { case_id: null, config_id: id } })
  }, untilSwept)
})

it('the next run keeps its hour and its day when the firm changes its time zone', async () => {
  const firm = await newFirm()
  const schedule = { frequency: 'monthly', time: '06:00', day: 1 }
  const { id } = await aConfig(firm, { schedule })
  const configs = exportConfigStore(storeDeps(await sharedTable()))
  const next = async () => (await configs.find(firm.workspace.id, id))?.next_run_at ?? ''
  const path = `${configsPath}/${id}`
  const [before, seen] = [await next(), await firm.owner('GET', path)]

  const { status } = await firm.owner('PATCH', '/api/v1/workspace', { body: { time_zone: 'Europe/London' } })

  expect(status).toBe(200)
  expect(Date.parse(await next()) - Date.parse(before)).toBe(3_600_000)
  expect((await firm.owner('GET', path)).headers.get('etag')).toBe(seen.headers.get('etag'))
})
