import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { isIntact } from '#kernel/hash-chain.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { settled, upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { kindOf } from '#test/support/future-fields.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { indexed } from '#test/support/search.ts'
import { type Service, startService } from '#test/support/service.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { itemsOf } from '#test/support/table-file.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
  vi.unstubAllEnvs()
})

type Office = { service: Service; owner: Api; workspace: { id: string }; db: Db }

async function startOn(dataDir: string): Promise<Office> {
  vi.unstubAllEnvs()
  const service = await startService({ dataDir, commandLine: ['--empty'] })
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const [workspace] = service.credentials.workspaces
  if (workspace === undefined) throw new Error('The service has no firm.')
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  return { service, owner: api(service.baseUrl, workspace.users[0]?.api_key), workspace, db }
}

const post = async ({ owner }: Office, path: string, body: object = {}) => {
  const answer = await owner('POST', `/api/v1/${path}`, { body })
  expect([path, answer.status < 300, answer.body.error?.code]).toEqual([path, true, undefined])
  return answer.body
}

const documentCount = 12
const [ofCase, ofParty] = ['Quittenmarmelade', 'Zwxkürbis']

/** A case that is due, full of a marked word. @returns its id, and the paths of what belongs to it */
async function dueCase(office: Office): Promise<{ id: string; paths: string[] }> {
  const { owner, db } = office
  const { id } = await post(office, 'cases', { name: `${ofCase} ./. Schulze`, description: ofCase })
  const other = await post(office, 'cases', { name: 'Nachbarsache' })
  await post(office, `cases/${id}/links`, { case_id: other.id, note: ofCase })
  const documents = await Promise.all(
    Array.from({ length: documentCount }, (_, at) =>
      upload(owner, { bytes: `${ofCase}, Blatt ${at}`, filename: `${ofCase} ${at}.txt` }, { case_id: id }),
    ),
  )
  for (const { body } of documents) await settled(owner, body.id)
  const mail = { to: ['anna@example.de'], subject: ofCase, body_html: `<p>${ofCase}</p>`, case_id: id }
  const { email_id } = await post(office, 'email/outbound/send', mail)
  const deadlines = [1, 2, 3].map((day) =>
    post(office, 'deadlines', { title: ofCase, case_id: id, due_at: `2020-04-0${day}` }),
  )
  const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
  const event = await post(office, 'events', { title: ofCase, case_id: id, ...times })
  const entries = [10, 20].map((minutes) =>
    post(office, 'time-entries', { case_id: id, date: '2026-03-01', minutes, activity: ofCase }),
  )
  const paths = [
    `cases/${id}`,
    `cases/${id}/timeline`,
    `events/${event.id}`,
    ...documents.flatMap(({ body }) => [`documents/${body.id}`, `documents/${body.id}/download`]),
    ...[`correspondence/corr_${email_id}`, `correspondence/corr_${email_id}/raw`],
    ...(await Promise.all(deadlines)).map((deadline) => `deadlines/${deadline.id}`),
    ...(await Promise.all(entries)).map((entry) => `time-entries/${entry.id}`),
  ]
  await indexed(owner)
  await closeLongAgo(office as never, id, undefined, db)
  return { id, paths }
}

/** A party in no case, with mail. */
async function partyWithMail(office: Office): Promise<string> {
  const data = { name: `Anna ${ofParty}`, email: 'anna@zwxpost.example' }
  const { id } = await post(office, 'parties', data)
  const mail = { to: [`${data.name} <${data.email}>`], subject: `An ${data.name}`, body_html: data.name }
  await Promise.all(
    ['send', 'send', 'drafts', 'drafts'].map((path) => post(office, `email/outbound/${path}`, mail)),
  )
  return id
}

/** Has another user approve the disposal of a case. @returns the id of the disposal */
async function approved(office: Office, caseId: string): Promise<string> {
  const { id } = await post(office, 'disposals', { case_ids: [caseId] })
  const user = await post(office, 'users', { name: 'Emre Çelik', email: 'celik@example.de' })
  const { key } = await post(office, 'api-keys', {
    user_id: user.id,
    name: 'Vier Augen',
    scopes: ['workspace:admin'],
  })
  const { status } = await api(office.service.baseUrl, key)('POST', `/api/v1/disposals/${id}/approve`)
  expect(status).toBe(200)
  return id
}

type Stored = Partial<Record<string, StoredItem[]>>

/** The items of the firm by their kind. */
function stored({ service, workspace }: Office): Stored {
  return Object.groupBy(itemsOf(workspace.id, service.dataDir), kindOf)
}

/** The moments of the kills. */
const moments: [string, (items: Stored) => boolean][] = [
  [
    'the erasure of the party has reached its mail',
    ({ erasureorder: orders = [] }) =>
      orders.every(({ step }) => step !== undefined && step !== 'cases' && step !== 'documents'),
  ],
  ['half of the documents are gone', ({ document: documents = [] }) => documents.length <= documentCount / 2],
  [
    'the removed records are counted',
    ({ disposal: all = [] }) => all.some(({ done_at }) => done_at !== undefined),
  ],
]

/** Moves the clock beyond the claims of a worker that died, again and again, until the service is killed or all is done. */
function keepWorking(office: Office): { stop: () => Promise<void> } {
  let isOver = false
  const working = (async () => {
    while (!isOver) await moveClock(office.service, 'PT17M').catch(() => sleep(20))
  })()
  return {
    stop: () => {
      isOver = true
      return working
    },
  }
}

/** Waits until something is stored. @returns whether the disposal was not done then */
async function until(office: Office, name: string, isReached: (items: Stored) => boolean): Promise<boolean> {
  for (const end = performance.now() + 180_000; performance.now() < end; await sleep(20)) {
    const items = await stored(office)
    if (isReached(items)) return items.disposal?.[0]?.status !== 'done'
  }
  throw new Error(`It did not come to this: ${name}. ${office.service.output()}`)
}

it('a service that is killed repeatedly during a disposal and an erasure does both once, completely', async () => {
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  let office = await startOn(dataDir)
  const outputs: string[] = []
  const { id: caseId, paths } = await dueCase(office)
  const partyId = await partyWithMail(office)
  const words = [ofCase, ofParty, 'zwxpost']
  const filled = (await placesOf(office.workspace.id, words, dataDir)).join('\n')
  const disposalId = await approved(office, caseId)
  await post(office, `parties/${partyId}/erase`)

  const early: string[] = []
  for (const [name, isReached] of moments) {
    const work = keepWorking(office)
    if (await until(office, name, isReached)) early.push(name)
    await office.service.kill()
    await work.stop()
    outputs.push(office.service.output())
    office = await startOn(dataDir)
  }
  const { service, owner, workspace } = office
  ending.push(() => service.stop())
  const work = keepWorking(office)
  await until(
    office,
    'all is done',
    ({ disposal: all = [], erasureorder: orders = [] }) =>
      all.some(({ is_cleaned }) => is_cleaned === true) && orders.length === 0,
  )
  await work.stop()

  for (const place of [
    '#document#',
    '#party#',
    '/texts/',
    '/search/',
    'message.eml',
    '\nQuittenmarmelade: mail/',
  ])
    expect(filled).toContain(place)
  expect(early.length).toBeGreaterThanOrEqual(2)
  const shown = (await owner('GET', `/api/v1/disposals/${disposalId}`)).body
  expect([shown.status, shown.cases]).toMatchObject(['done', [{ case_id: caseId, state: 'done' }]])
  const certificate = (await owner('GET', `/api/v1/disposals/${disposalId}/certificate`)).body
  expect(certificate.counts).toEqual({
    ...{ case: 1, document: documentCount, correspondence: 1, deadline: 3, event: 1, timeentry: 2 },
  })
  const statuses = await Promise.all(
    [...paths, `parties/${partyId}`].map(async (path) => [
      path,
      (await owner('GET', `/api/v1/${path}`)).status,
    ]),
  )
  expect(statuses.filter(([, status]) => status !== 404)).toEqual([])
  expect(await placesOf(workspace.id, words, dataDir)).toEqual([])
  const files = readdirSync(join(dataDir, 's3'), { recursive: true, encoding: 'utf8' })
  expect(files.filter((file) => file.includes(disposalId) && file.endsWith('_object'))).toHaveLength(1)
  const audit = (await owner('GET', '/api/v1/audit?limit=100')).body.data
  const actions = audit.map(({ action }: { action: string }) => action)
  expect(actions.filter((one: string) => ['disposal.done', 'party.erased'].includes(one)).toSorted()).toEqual(
    ['disposal.done', 'party.erased'],
  )
  expect(isIntact(audit, undefined)).toBe(true)
  for (const word of words)
    expect([...outputs, service.output()].join('\n').toLowerCase()).not.toContain(word.toLowerCase())
}, 900_000)
