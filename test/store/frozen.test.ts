import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { machineMilliseconds } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { layoutCheck } from '#store/layout.ts'
import { tableLayout } from '#store/table.ts'
import { webhookCount } from '#store/webhooks/endpoint-entity.ts'
import { eventHints } from '#store/webhooks/event-hints.ts'
import { sharedTable } from '#test/support/table.ts'

beforeEach(() => {
  vi.stubEnv('STAGE', 'local')
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const log = { error: () => {} }

/** Lambda freezes a process between two requests. Its timers and `performance.now()` stand still meanwhile. */
function freezeFor(seconds: number): void {
  vi.setSystemTime(machineMilliseconds() + seconds * 1_000)
}

it('a process that was frozen checks again a layout that it refused before', async () => {
  let layout = tableLayout + 1
  const check = layoutCheck(log)
  const look = () => check(async () => ({ layout, stage: 'local' }))
  await expect(look()).rejects.toThrow()

  layout = tableLayout
  freezeFor(60)

  await expect(look()).resolves.toBeUndefined()
})

it('a process that was frozen announces the events of a firm whose first endpoint came meanwhile', async () => {
  const db = await sharedTable()
  const workspace_id = newId('workspace')
  const hints = eventHints(db, { send: async () => {}, log })
  expect(await hints.areWanted(workspace_id)).toBe(false)

  await webhookCount(db).upsert({ workspace_id }).add({ endpoints: 1 }).go()
  freezeFor(60)

  expect(await hints.areWanted(workspace_id)).toBe(true)
})
