import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { startService } from '#test/support/service.ts'
import { shownEvents } from '#test/support/webhook-events.ts'
import type { StoredEvent } from '#webhooks/catalogue-schema.ts'

/** Deadlines that an earlier release wrote are overdue like all others. */

const from = join(import.meta.dirname, 'layout-10')

let folder: string
beforeEach(() => {
  folder = newDataFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('open deadlines of layout 10 are overdue after their times', async () => {
  // Prepare
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  execFileSync('tar', ['-xzf', join(from, 'data.tar.gz'), '-C', dataDir])
  const madeAt = readFileSync(join(from, 'made-at'), 'utf8').trim()
  const service = await startService({ dataDir, commandLine: ['--at', madeAt] })
  const owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)

  // Act
  const events: StoredEvent[] = []
  // The log keeps its events for thirty days.
  for (const advance of ['P29D', 'P29D']) {
    await moveClock(service, advance)
    await moveClock(service, 'PT3S')
    events.push(...(await shownEvents(owner, 'type=deadline.overdue')))
  }

  // Assess
  const { body } = await owner('GET', '/api/v1/deadlines?overdue=true&limit=100')
  await service.stop()
  expect(body.data.length).toBeGreaterThan(5)
  expect([...new Map(events.map(({ id, data }) => [id, data.id])).values()].toSorted()).toEqual(
    body.data.map(({ id }: { id: string }) => id).toSorted(),
  )
})
