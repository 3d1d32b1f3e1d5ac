import { globSync, readFileSync } from 'node:fs'
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { inRepository } from '#infra/in-repository.ts'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { jobRunner } from '#jobs/runner.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import type { Db } from '#store/db.ts'
import { jobShards } from '#store/due-moments.ts'
import { waitingJob } from '#store/jobs/job-entity.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { layoutKey } from '#store/table.ts'
import { allDue, endOfTime } from '#test/support/due-index.ts'
import { ownTable } from '#test/support/own-table.ts'
import { unhurried } from '#test/support/unhurried.ts'

/** A sweeper, when it finds jobs that newer code has stored (U3). */
const start = new Date('2031-03-16T08:00:00Z')
const future = { of_the_future: { kept: ['ä', 1] } }

let db: Db
let shards: string[]
beforeEach(async () => {
  db = await ownTable()
  shards = []
})

/** Stores a job as newer code does: with an attribute that this code does not know. */
async function enqueue(name: string, { version, kind = 'follow-up' }: { version: number; kind?: string }) {
  const shard = jobShards[shards.length] ?? ''
  const id = `job_01993f5e-0000-7000-8000-0000000000${shard}`
  const job = { shard, id, name, kind: 'follow-up' as const, version, payload: { name }, attempts: 0 }
  const { Item } = waitingJob(db)
    .put({ ...job, due_at: start.toISOString() })
    .params<{ Item: object }>()
  await db.client.send(new PutCommand({ TableName: db.table, Item: { ...Item, kind, ...future } }))
  shards.push(shard)
}

async function sweep(now: Date, handlers: JobHandler[]) {
  const deps = {
    store: { ...jobStore(db), shards },
    runner: jobRunner(...handlers),
    log: { error: () => {} },
  }
  return sweepJobs({ ...deps, random: () => 0 }, now, unhurried)
}

/** Sweeps every minute, as often as a job is tried within this time. */
async function sweepFor(minutes: number, handlers: JobHandler[]): Promise<number> {
  let parked = 0
  for (let minute = 1; minute <= minutes; minute += 1) {
    const { jobs } = await sweep(new Date(start.getTime() + minute * 60_000), handlers)
    parked += Object.values(jobs).reduce((sum, one) => sum + one.parked, 0)
  }
  return parked
}

const items = async (): Promise<Record<string, unknown>[]> => {
  const { Items = [] } = await db.client.send(new ScanCommand({ TableName: db.table, ConsistentRead: true }))
  return Items.filter(({ pk }) => pk !== layoutKey.pk)
}

const anything = z.record(z.string(), z.unknown())
const handler = (name: string, version: number, seen: unknown[]) =>
  defineFollowUp({ name, version, payload: anything }).handledBy(async (payload) => void seen.push(payload))

/** The jobs that the service enqueues, with their versions, as the code declares them. */
const declared = globSync('packages/**/*.ts', { cwd: inRepository('.') }).flatMap((file) =>
  Array.from(
    readFileSync(inRepository(file), 'utf8').matchAll(
      /define(?:FollowUp|HandOver)\(\{\s*name: '([^']+)',\s*version: (\d+)/g,
    ),
    ([, name = '', version]) => ({ name, version: Number(version) }),
  ),
)

it('each job of a newer version waits longer than an hour with all that newer code stored, and is done by a release that knows it', async () => {
  const seen: unknown[] = []
  const today = declared.map(({ name, version }) => handler(name, version, seen))
  for (const { name, version } of declared) await enqueue(name, { version: version + 1 })
  // Act
  const parked = await sweepFor(63, today)
  const waiting = await items()
  const tried = [...seen]
  await sweep(
    new Date(start.getTime() + 200 * 60_000),
    declared.map(({ name, version }) => handler(name, version + 1, seen)),
  )
  // Assess
  expect(declared.length).toBeGreaterThan(15)
  expect([parked, tried]).toEqual([0, []])
  expect(waiting.map(({ name }) => name).toSorted()).toEqual(declared.map(({ name }) => name).toSorted())
  for (const item of waiting) expect(item).toMatchObject(future)
  expect(seen).toHaveLength(declared.length)
  expect(await items()).toEqual([])
})

it.each([
  ['an unknown name', { name: 'case.revoke', version: 1 }],
  ['an unknown kind', { name: 'case.unlink', version: 2, kind: 'report' }],
  ['a version far ahead', { name: 'case.unlink', version: 4_000 }],
  ['a payload of another shape in the version of today', { name: 'case.unlink', version: 1 }],
])('a job of %s waits longer than an hour, and holds up no other of its shard', async (_, {
  name,
  ...job
}) => {
  const done: unknown[] = []
  const strict = z.object({ workspace_id: z.string() })
  const today = [
    defineFollowUp({ name: 'case.unlink', version: 1, payload: strict }).handledBy(async () => {}),
    handler('user.changed', 1, done),
  ]
  await enqueue(name, job)
  const [shard = ''] = shards
  const id = `job_01993f5e-0000-7000-8000-1000000000${shard}`
  await waitingJob(db)
    .put({
      shard,
      id,
      name: 'user.changed',
      kind: 'follow-up',
      version: 1,
      payload: {},
      attempts: 0,
      due_at: start.toISOString(),
    })
    .go()
  // Act
  const parked = await sweepFor(63, today)
  // Assess
  expect([parked, done.length]).toEqual([0, 1])
  expect(await items()).toMatchObject([{ name, ...job, ...future }])
})

it('a job that is parked and replayed keeps what newer code stored', async () => {
  await enqueue('case.revoke', { version: 1 })
  const store = jobStore(db)
  const [job] = await allDue(store, endOfTime, shards.slice(0, 1))
  if (job === undefined) throw new Error('There is no job.')
  // Act
  await store.park(job, 'Unknown.', start)
  const parked = await items()
  await store.replay(job.id, start)
  // Assess
  expect(parked).toMatchObject([{ parked_at: start.toISOString(), ...future }])
  expect(await items()).toMatchObject([{ attempts: 0, ...future }])
})
