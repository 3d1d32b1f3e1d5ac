import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { scopes } from '#kernel/scope.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { closedLongAgo, closeLongAgo } from '#test/support/due-case.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { indexed, search } from '#test/support/search.ts'
import { type Service, startService } from '#test/support/service.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { shownEvents } from '#test/support/webhook-events.ts'
import type { StoredEvent } from '#webhooks/catalogue-schema.ts'

/**
 * Data of a layout without an index of texts and without an index of due deadlines, whose documents have texts without
 * pages, and whose mails do not have the id by which a mail without a `Message-ID` is known again. The tests take turns
 * with its service: what comes first finds it as the upgrade has left it.
 */
const data = join(import.meta.dirname, 'layout-10')

let folder: string
let service: Service
let db: Db
let workspaceId: string
let owner: Api
beforeAll(async () => {
  folder = newDataFolder()
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  execFileSync('tar', ['-xzf', join(data, 'data.tar.gz'), '-C', dataDir])
  const madeAt = readFileSync(join(data, 'made-at'), 'utf8').trim()
  service = await startService({ dataDir, commandLine: ['--at', madeAt] })
  Object.assign(process.env, service.environment)
  db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const [workspace] = service.credentials.workspaces
  workspaceId = workspace?.id ?? ''
  owner = api(service.baseUrl, workspace?.users[0]?.api_key)
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('what an older release has stored is found after the upgrade, and a little later with its pages', async () => {
  const place = '"äußerst hilfsweise wird die Verjährungseinrede erhoben"'
  // The release that made the data had used up the allowance of a second, which may be now.
  const before = await vi.waitFor(() => search(owner, place), { timeout: 60_000, interval: 250 })
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

it('open deadlines are overdue after their times', async () => {
  const events: StoredEvent[] = []
  // The log keeps its events for thirty days.
  for (const advance of ['P29D', 'P29D']) {
    await moveClock(service, advance)
    await moveClock(service, 'PT3S')
    events.push(...(await shownEvents(owner, 'type=deadline.overdue')))
  }

  const { body } = await owner('GET', '/api/v1/deadlines?overdue=true&limit=100')
  expect(body.data.length).toBeGreaterThan(5)
  expect([...new Map(events.map(({ id, data }) => [id, data.id])).values()].toSorted()).toEqual(
    body.data.map(({ id }: { id: string }) => id).toSorted(),
  )
})

/** Another user of the firm with every scope. */
async function colleague(): Promise<Api> {
  const { admin } = await import('#infra/tools/admin/index.ts')
  const make = admin()
  const { id } = await make.createUser(workspaceId, { name: 'Ute Brandt', email: 'brandt@example.de' })
  const { key } = await make.createKey(workspaceId, { user_id: id, name: 'Test', scopes: [...scopes] })
  return api(service.baseUrl, key)
}

/** The received mails with a subject, without mails of other cases. */
async function mailsWith(subject: string, caseId: string | null): Promise<string[]> {
  const path = `/api/v1/correspondence?direction=inbound&limit=100&search=${encodeURIComponent(subject)}`
  const { body } = await owner('GET', path)
  const all: { id: string; subject: string; case_id: string | null }[] = body.data
  return all.filter((one) => one.subject === subject && one.case_id === caseId).map(({ id }) => id)
}

/** The items with the digests by which these mails are known again. */
const knownBy = (ids: string[]) =>
  itemsOf(workspaceId, service.dataDir).filter(
    ({ pk, messages }) =>
      pk.includes('#message_id#sha256:') && ids.some((id) => JSON.stringify(messages).includes(id)),
  )

/** Moves the clock minute by minute until the workers are done. */
const untilDone = (check: () => Promise<void>) =>
  vi.waitFor(
    async () => {
      await moveClock(service, 'PT1M')
      await check()
    },
    { timeout: 120_000, interval: 500 },
  )

it('the erasure of a person leaves nothing of how an old mail without a Message-ID is known again', async () => {
  const mails = await mailsWith('Kaufpreis', null)
  const before = knownBy(mails)
  const party = await owner('POST', '/api/v1/parties', {
    body: { name: 'Ralf Schulze', email: 'ralf.schulze@example.com' },
  })

  await owner('POST', `/api/v1/parties/${party.body.id}/erase`)
  await untilDone(async () => {
    const { body } = await owner('GET', '/api/v1/audit?action=party.erased')
    expect(body.data.map(({ ref }: { ref: { id: string } }) => ref.id)).toContain(party.body.id)
  })

  expect([mails.length, before.length]).toEqual([1, 1])
  expect(knownBy(mails)).toEqual([])
})

it('the disposal of a case leaves nothing of how its old mails without a Message-ID are known again', async () => {
  const { body: found } = await owner('GET', '/api/v1/cases?search=Fernwärme&limit=1')
  const caseId = found.data[0].id
  const mails = await mailsWith('Abrechnung', caseId)
  const before = knownBy(mails)
  await closeLongAgo({ owner, workspace: { id: workspaceId } }, caseId, closedLongAgo, db)

  const proposed = await owner('POST', '/api/v1/disposals', { body: { case_ids: [caseId] } })
  const path = `/api/v1/disposals/${proposed.body.id}`
  await (await colleague())('POST', `${path}/approve`)
  await untilDone(async () => {
    expect((await owner('GET', path)).body.status).toBe('done')
  })

  expect([mails.length, before.length]).toEqual([1, 1])
  expect(knownBy(mails)).toEqual([])
})
