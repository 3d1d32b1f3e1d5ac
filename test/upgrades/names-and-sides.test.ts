import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { writeAll } from '#store/batch.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { layoutKey, tableLayout } from '#store/table.ts'
import { upgradeProgress } from '#store/upgrades/progress.ts'
import { type Api, api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'
import { idOf, nameOf, writeUnfiledParties } from '#test/support/unfiled-parties.ts'
import { runAdminProcess } from '../admin/run-admin.ts'

const count = 2_000
/** Parties that clients rename: the second half. A check of the others finds them by their first names. */
const isRenamed = (number: number) => number >= count / 2

let service: Service
let db: Db
let owner: Api
beforeEach(async () => {
  service = await startService({ commandLine: ['--empty'] })
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await service.stop()
})

const workspaceId = () => service.credentials.workspaces[0]?.id ?? ''

/** The keys of all items of the firm in partitions of this kind. */
async function keysOf(kind: string): Promise<{ pk: string; sk: string }[]> {
  const keys: { pk: string; sk: string }[] = []
  for (let start: object = {}; ; ) {
    const { Items = [], LastEvaluatedKey } = await db.client.send(
      new ScanCommand({
        TableName: db.table,
        FilterExpression: 'begins_with(pk, :kind)',
        ExpressionAttributeValues: { ':kind': `${workspaceId()}#${kind}#` },
        ProjectionExpression: 'pk, sk',
        ...start,
      }),
    )
    keys.push(...(Items as { pk: string; sk: string }[]))
    if (LastEvaluatedKey === undefined)
      return keys.toSorted((one, other) => (one.pk + one.sk < other.pk + other.sk ? -1 : 1))
    start = { ExclusiveStartKey: LastEvaluatedKey }
  }
}

const recordsDone = async () => (await upgradeProgress(db).firms(10)).get(workspaceId())?.records ?? 0

/** Begins an upgrade and kills it once it has come further. Its lease lapses. */
async function killedUpgrade(): Promise<void> {
  const from = await recordsDone()
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', inRepository('infra/tools/admin/cli.ts'), 'upgrade'],
    { env: { ...process.env, LOCAL_DATA_DIR: service.dataDir }, stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  while (child.exitCode === null && (await recordsDone()) < from + 150) await sleep(20)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await ended
  const lapse = { Key: { ...layoutKey, sk: 'lease' }, ExpressionAttributeValues: { ':past': 0 } }
  await db.client.send(
    new UpdateCommand({ TableName: db.table, ...lapse, UpdateExpression: 'SET held_until = :past' }),
  )
}

it('parties are found while an upgrade files them, and after it, though it is killed three times', async () => {
  await writeUnfiledParties(db, workspaceId(), count)
  for (let at = 0; at < 12; at += 1) {
    const opened = await owner('POST', '/api/v1/cases', { body: { name: `Streit ${at}` } })
    const roles = ['Mandant', 'Gegner', 'Kläger', 'Zeuge']
    const parties = roles.map((role, place) => ({ id: idOf(at * 50 + place), role }))
    expect(
      (await owner('POST', `/api/v1/cases/${opened.body.id}/parties`, { body: { parties } })).status,
    ).toBe(201)
  }
  const sides = await keysOf('party_side')
  await writeAll(
    db,
    [],
    sides.map((Key) => ({ params: () => ({ Key }) })),
  )
  await db.client.send(new DeleteCommand({ TableName: db.table, Key: layoutKey }))

  // Clients check, rename and add parties all the time.
  const wrong: string[] = []
  const until = { isOver: false }
  let asked = 0
  const demandFound = async (name: string, id: string) => {
    const { status, body } = await owner('POST', '/api/v1/conflict-check', { body: { names: [name] } })
    const found: { party: { id: string }; conflict: boolean }[] = body.data ?? []
    const match = found.find(({ party }) => party.id === id)
    if (status !== 200 || match === undefined)
      wrong.push(`${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    asked += 1
    return match
  }
  const client = async (number: 0 | 1) => {
    for (let turn = number * 800; !until.isOver; turn += 1) {
      const at = (turn * 7_919 + 13) % count
      await demandFound(nameOf(at), idOf(at))
      const isClient = await demandFound(nameOf((turn % 12) * 50), idOf((turn % 12) * 50))
      if (isClient?.conflict !== true) wrong.push(`${nameOf((turn % 12) * 50)} is a client.`)
      await sleep(100)
      if (turn % 5 !== 0) continue
      const renamed = `Xenia ${nameOf(at).slice(5)}`
      const other = count / 2 + number * (count / 4) + ((turn * 31) % (count / 4))
      const put = await owner('PUT', `/api/v1/parties/${idOf(other)}`, {
        body: { name: `${renamed}quist`, type: 'person' },
      })
      if (put.status !== 200) wrong.push(`${idOf(other)} was not renamed: ${put.status}`)
      await demandFound(`${renamed}quist`, idOf(other))
      const added = await owner('POST', '/api/v1/parties', { body: { name: `${renamed}sen` } })
      await demandFound(`${renamed}sen`, added.body.id)
    }
  }
  const clients = [client(0), client(1)]
  await sleep(1_000)
  for (let kill = 1; kill <= 3; kill += 1) await killedUpgrade()
  const halfway = await recordsDone()
  const ended = await runAdminProcess(['upgrade'], { LOCAL_DATA_DIR: service.dataDir })
  const askedDuring = asked
  await sleep(1_000)
  until.isOver = true
  await Promise.all(clients)
  const status = await runAdminProcess(['upgrade', 'status'], { LOCAL_DATA_DIR: service.dataDir })
  for (let at = 3; at < count; at += 197) await demandFound(nameOf(at), idOf(at))

  expect(ended).toMatchObject({ code: 0 })
  expect(halfway).toBeLessThan(count)
  expect(askedDuring).toBeGreaterThan(20)
  // A renamed party is no longer found by its first name.
  expect(wrong.filter((one) => !isOfRenamed(one))).toEqual([])
  expect(JSON.parse(status.out)).toMatchObject({
    layout: tableLayout,
    upgrades: expect.arrayContaining([
      expect.objectContaining({ layout: 10, name: 'names-and-sides', state: 'done', firms_left: 0 }),
    ]),
  })
  expect(await keysOf('party_side')).toEqual(expect.arrayContaining(sides))
}, 600_000)

/** Whether a party that was not found has another name by now. */
function isOfRenamed(fault: string): boolean {
  const number = Array.from({ length: count }, (_, at) => at).find((at) => fault.startsWith(`${nameOf(at)}:`))
  return number !== undefined && isRenamed(number)
}
