import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { indexed, search } from '#test/support/search.ts'
import { type Service, startService } from '#test/support/service.ts'

/** Data of the last layout without an index, with documents whose texts were stored without pages. */
const data = join(import.meta.dirname, 'layout-10')

let folder: string
let service: Service
beforeAll(async () => {
  folder = newDataFolder()
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  execFileSync('tar', ['-xzf', join(data, 'data.tar.gz'), '-C', dataDir])
  const madeAt = readFileSync(join(data, 'made-at'), 'utf8').trim()
  service = await startService({ dataDir, commandLine: ['--at', madeAt] })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('what an older release has stored is found after the upgrade, and a little later with its pages', async () => {
  const [workspace] = service.credentials.workspaces
  const owner = api(service.baseUrl, workspace?.users[0]?.api_key)
  const place = '"äußerst hilfsweise wird die Verjährungseinrede erhoben"'
  const before = await search(owner, place)
  // Act
  await moveClock(service, 'PT2M')
  await indexed(owner, 60)
  const first = await search(owner, place)
  const mails = await search(owner, 'Guten', { kind: 'mail' })
  await vi.waitFor(
    async () => {
      await moveClock(service, 'PT5M')
      const { data } = await search(owner, place)
      expect(data.map(({ page }: { page: number }) => page)).toEqual(data.map(() => 2))
    },
    { timeout: 120_000, interval: 1_000 },
  )
  // Assess
  expect(before.index.pending).toBeGreaterThan(0)
  expect(first.total).toBeGreaterThan(0)
  expect(mails.total).toBeGreaterThan(0)
  const last = await search(owner, place)
  expect([last.total, last.index.pending]).toEqual([first.total, 0])
})
