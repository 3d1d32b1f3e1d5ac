import { globSync, readFileSync } from 'node:fs'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { jobsWithTexts } from '#foundation/jobs-with-texts.ts'
import { defineFollowUp, type Job } from '#jobs/job.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { wordsJob } from '#store/search-words.ts'
import { transact } from '#store/transact.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
let sweeper: typeof import('#functions/workers/sweeper/index.ts')
beforeAll(async () => {
  db = await ownTable()
  process.env.TABLE_NAME = db.table
  sweeper = await import('#functions/workers/sweeper/index.ts')
})
afterEach(() => {
  vi.restoreAllMocks()
})

const enqueue = (job: Job) =>
  transact(db, [jobStore(db).addition(job, new Date(epochMilliseconds() - 1_000)).action])

it('the sweeper can run every job that is declared', () => {
  const declared = globSync('packages/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/define(?:FollowUp|HandOver)\(\{\s*name: '([^']+)'/g)].map(
      (match) => match[1],
    ),
  )

  expect(declared.length).toBeGreaterThan(3)
  expect(sweeper.jobDefinitions.map(({ name }) => name).toSorted()).toEqual(declared.toSorted())
})

it('a job with texts in its payload says what is left of it once records are gone, and disposals know it', () => {
  const withTexts = sweeper.jobDefinitions
    .filter(({ payload }) =>
      hasText(z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }) as Schema),
    )
    .map(({ name }) => name)

  // Disposals and erasures run the one that files words.
  expect(withTexts.filter((name) => name !== wordsJob.name).toSorted()).toEqual(
    jobsWithTexts.map(({ name }) => name).toSorted(),
  )
  for (const { name, without } of jobsWithTexts) expect([name, typeof without]).toEqual([name, 'function'])
})

it('a sweep logs how many jobs of each name were done, failed and parked, and fails where one was not done', async () => {
  const anything = z.record(z.string(), z.unknown())
  const job = (name: string) => defineFollowUp({ name, version: 1, payload: anything })
  const user = { workspace_id: 'ws_01993f5e-0000-7000-8000-000000000001', user_id: 'usr_gone' }
  await enqueue(job('user.changed').of(user))
  await enqueue(job('user.changed').of(user))
  // Of a version that is older than all that the sweeper can migrate.
  await enqueue(defineFollowUp({ name: 'user.changed', version: 0, payload: anything }).of(user))
  await enqueue(job('unknown.here').of({}))
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0)

  const run = sweeper.handler({}, { getRemainingTimeInMillis: () => 60_000 })

  const error = await run.catch(({ message }: Error) => message)
  expect(error).toContain('user.changed: 0 failed, 1 parked')
  expect(error).toContain('unknown.here: 1 failed, 0 parked')
  const swept = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(({ message }) => message === 'jobs swept')
  expect(swept).toMatchObject({
    service: 'sweeper',
    shards: 256,
    jobs: {
      'user.changed': { kind: 'follow-up', done: 2, failed: 0, parked: 1 },
      'unknown.here': { kind: 'follow-up', done: 0, failed: 1, parked: 0 },
    },
  })
})

type Schema = {
  type?: string
  enum?: unknown
  const?: unknown
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  prefixItems?: Schema[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
}

/** Names of fields with ids, keys, digests and times. */
const withoutTexts = /(^|_)(ids?|at|from|after|keys?|sha256|shard|bucket)$/

const formatsWithoutTexts = new Set(['uuid', 'date', 'date-time'])

/**
 * Whether a payload may hold a text: a string that is not one of a few, and is no id, key, digest or time by its name. A
 * value of any type may be a text too.
 */
function hasText(schema: Schema, defs = schema.$defs ?? {}, name = ''): boolean {
  const { type, properties = {}, items, prefixItems = [], additionalProperties, $ref, format = '' } = schema
  const { anyOf = [], oneOf = [], allOf = [] } = schema
  if ($ref !== undefined) return hasText(defs[$ref.split('/').at(-1) ?? ''] ?? {}, defs, name)
  if (schema.enum !== undefined || schema.const !== undefined) return false
  const choices = [...anyOf, ...oneOf, ...allOf]
  if ([...choices, ...prefixItems].some((one) => hasText(one, defs, name))) return true
  if (items !== undefined && hasText(items, defs, name)) return true
  if (typeof additionalProperties === 'object' && hasText(additionalProperties, defs, 'text')) return true
  if (Object.entries(properties).some(([field, one]) => hasText(one, defs, field))) return true
  const mayBeText = type === 'string' || (type === undefined && choices.length === 0)
  return mayBeText && !formatsWithoutTexts.has(format) && !withoutTexts.test(name)
}
