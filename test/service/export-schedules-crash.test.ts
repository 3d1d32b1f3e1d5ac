import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { fileKeys } from '#exports/run-keys.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { createClient } from '#store/client.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { type Service, startService } from '#test/support/service.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'
import { plain } from '#test/support/store-changes.ts'

/** Scheduled runs (X5) of a service that is killed whole: sweeper, queue, worker, table and bucket at the same moment. */

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
  vi.unstubAllEnvs()
})

/** So many that a service cannot have ended all of them before it is killed. */
const configCount = 24

it('a service that is killed in the middle of scheduled runs has each of them done after its restart, once', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startOn(dataDir)
  await first.owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Jörg Größl' } })
  const schedule = { frequency: 'monthly', time: '06:00', day: 1 }
  const configs: string[] = []
  for (let at = 0; at < configCount; at += 1)
    configs.push((await aConfig(first, { format: at % 2 === 0 ? 'csv' : 'xlsx', schedule })).id)
  await makeDue(first, configs)

  // Act: all are due. A service that starts begins a few of them at once; it is killed as soon as it has stored a file.
  await first.service.kill()
  const second = await startOn(dataDir)
  const stored = join(dataDir, 's3', second.service.environment.BUCKET_NAME ?? '', 'exports')
  await vi.waitFor(() => expect(existsSync(stored)).toBe(true), { timeout: 60_000, interval: 1 })
  await second.service.kill()
  const last = await startOn(dataDir)
  ending.push(() => last.service.stop())
  await vi.waitFor(
    async () => {
      for (const runs of await runsOf(last.owner, configs)) expect(runs[0]?.status).toBe('succeeded')
    },
    { timeout: 100_000, interval: 500 },
  )

  // Assess
  const bucket = sharedBucket(last.service.environment)
  const attempts: number[] = []
  for (const [at, runs] of (await runsOf(last.owner, configs)).entries()) {
    const config_id = configs[at] ?? ''
    const path = `${configsPath}/${config_id}`
    expect(runs).toEqual([expect.objectContaining({ row_count: 1, status_reason: null })])
    const [run] = runs
    const file = await last.owner('GET', `${path}/runs/${run?.id}/download`)
    expect([file.status, file.bytes.length]).toEqual([200, run?.size_bytes])
    const keys = fileKeys({ workspace_id: last.workspaceId, config_id, id: run?.id ?? '' })
    // The files of a killed attempt are removed after the run has succeeded.
    const left = await vi.waitFor(
      async () => {
        const heads = await Promise.all(keys.map((key) => bucket.head(key)))
        const numbers = heads.flatMap((head, index) => (head === undefined ? [] : [index + 1]))
        expect(numbers).toHaveLength(1)
        return numbers
      },
      { timeout: 60_000, interval: 250 },
    )
    attempts.push(...left)
  }
  // Some run was under way when the service was killed, and had to be begun again.
  expect(Math.max(...attempts)).toBeGreaterThan(1)
})

type Running = { service: Service; owner: Api; workspaceId: string }

async function startOn(dataDir: string): Promise<Running> {
  vi.unstubAllEnvs()
  const service = await startService({ dataDir, commandLine: ['--empty'] })
  const [workspace] = service.credentials.workspaces
  return {
    service,
    owner: api(service.baseUrl, workspace?.users[0]?.api_key),
    workspaceId: workspace?.id ?? '',
  }
}

/** Lets the next run of these configurations be due since a minute ago. */
async function makeDue({ service, workspaceId }: Running, configs: string[]): Promise<void> {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const store = exportConfigStore(storeDeps(db))
  const next_run_at = new Date(epochMilliseconds() - 60_000).toISOString()
  for (const id of configs)
    await store.change(workspaceId, id, (current) => plain({ ...current, next_run_at }))
  db.client.destroy()
}

type Run = { id: string; status: string; size_bytes: number }

/** The runs of each configuration. */
async function runsOf(owner: Api, configs: string[]): Promise<Run[][]> {
  return Promise.all(configs.map(async (id) => (await owner('GET', `${configsPath}/${id}/runs`)).body.data))
}
