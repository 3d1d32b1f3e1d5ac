import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { jobRunner } from '#jobs/runner.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { transact } from '#store/transact.ts'
import { dataFolderOf, ownTable } from '#test/support/own-table.ts'
import { unhurried } from '#test/support/unhurried.ts'
import { runAdmin } from './run-admin.ts'

let db: Db
let dataDir: string
beforeAll(async () => {
  db = await ownTable()
  dataDir = dataFolderOf(db)
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const jobs = (...args: string[]) => runAdmin(['jobs', ...args], { LOCAL_DATA_DIR: dataDir })

const job = (name: string) => defineFollowUp({ name, version: 1, payload: z.object({ secret: z.string() }) })

/** Stores a job that is due then. @returns its id */
async function enqueue(name: string, due: Date): Promise<string> {
  const { job: added, action } = jobStore(db).addition(job(name).of({ secret: 'Mandant Meier' }), due)
  await transact(db, [action])
  return added.id
}

const sweep = (handlers = [job('mended').handledBy(async () => {})]) =>
  sweepJobs(
    { store: jobStore(db), runner: jobRunner(...handlers), log: { error: () => {} } },
    systemClock.now(),
    unhurried,
  )

describe('npm run admin -- jobs', () => {
  it('lists waiting, failing and parked jobs without their payload, and replays a parked job', async () => {
    const due = new Date(epochMilliseconds() - 1_000)
    const failing = await enqueue('unknown', due)
    const parked = await enqueue('mended', due)
    await sweep([
      defineFollowUp({ name: 'mended', version: 2, payload: z.object({}) }).handledBy(async () => {}),
    ])
    const waiting = await enqueue('unknown', new Date(epochMilliseconds() + 60_000))

    const listed = await jobs('list')
    const onlyParked = JSON.parse((await jobs('list', '--state', 'parked', '--name', 'mended')).out)
    const replayed = await jobs('replay', '--job', parked)
    const swept = await sweep()
    const after = JSON.parse((await jobs('list')).out)
    const again = await jobs('replay', '--name', 'mended')

    expect(JSON.parse(listed.out)).toEqual({
      waiting: 1,
      failing: 1,
      parked: 1,
      jobs: [
        {
          state: 'failing',
          id: failing,
          name: 'unknown',
          kind: 'follow-up',
          version: 1,
          attempts: 1,
          last_error: 'This function has no handler for the job unknown.',
          enqueued_at: expect.any(String),
          next_attempt_at: expect.any(String),
          parked_at: null,
        },
        {
          state: 'parked',
          id: parked,
          name: 'mended',
          kind: 'follow-up',
          version: 1,
          attempts: 1,
          last_error: 'The job mended has version 1; no migration leads to version 2.',
          enqueued_at: expect.any(String),
          next_attempt_at: null,
          parked_at: expect.any(String),
        },
        expect.objectContaining({ state: 'waiting', id: waiting, attempts: 0, last_error: null }),
      ],
    })
    expect(listed.out).not.toContain('Meier')
    expect(onlyParked.jobs.map(({ id }: { id: string }) => id)).toEqual([parked])
    expect(JSON.parse(replayed.out)).toEqual({ replayed: [parked] })
    expect(swept.jobs.mended?.done).toBe(1)
    expect(after).toMatchObject({ waiting: 1, failing: 1, parked: 0 })
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('no parked job with the name mended'),
    })
  })

  it.each([
    [['replay'], '--job ID'],
    [['replay', '--job', 'a', '--name', 'b'], '--job ID'],
    [['replay', '--job', 'job_01993f5e-0000-7000-8000-000000000000'], 'There is no parked job'],
    [['list', '--state', 'lost'], 'waiting, failing, parked'],
    [['drop'], 'npm run admin -- jobs list'],
  ])('%j ends with an explanation', async (args, explanation) => {
    const { code, out, err } = await jobs(...args)

    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(explanation)
    expect(err).not.toMatch(/^\s+at /m)
  })
})
