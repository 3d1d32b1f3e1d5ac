import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { graceMilliseconds } from '#jobs/back-off.ts'
import { defineFollowUp, defineHandOver, defineQueue, type Job, type JobHandler } from '#jobs/job.ts'
import type { JobStore } from '#jobs/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { type SweepLimits, sweepJobs } from '#jobs/sweep.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import type { Db } from '#store/db.ts'
import { jobShards } from '#store/due-moments.ts'
import { waitingJob } from '#store/jobs/job-entity.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { outbox } from '#store/outbox.ts'
import { transact } from '#store/transact.ts'
import { allDue, endOfTime } from '#test/support/due-index.ts'
import { ownTable } from '#test/support/own-table.ts'
import { unhurried } from '#test/support/unhurried.ts'

const start = new Date('2026-03-16T08:00:00Z')
const minutesLater = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
const payload = z.object({ of: z.string() })
const followUp = (name: string) => defineFollowUp({ name, version: 1, payload })
const never = () => new Promise<never>(() => {})
const failing = async () => {
  throw new Error('The mail server is down.')
}

let db: Db
let logged: { message: string; [field: string]: unknown }[]
/** The shards that a test has put jobs into. The others are looked at only if that is what is tested. */
let used: Set<string>
beforeEach(async () => {
  db = await ownTable()
  logged = []
  used = new Set()
})

const log = {
  error: (message: string, fields: Record<string, unknown>) => void logged.push({ ...fields, message }),
}

/** Stores jobs that are due at `start`, as a request does that dies right after its transaction. */
async function enqueue(...jobs: Job[]): Promise<void> {
  for (const one of jobs) {
    const { job, action } = jobStore(db).addition(one, start)
    await transact(db, [action])
    used.add(job.id.slice(-2))
  }
}

/** Stores a job that is due at `start` in a shard of its own choice. */
async function enqueueIn(shard: string, name: string, of: string, attempts = 0): Promise<string> {
  const id = `job_01993f5e-0000-7000-8000-${of.padStart(10, '0')}${shard}`
  const due_at = start.toISOString()
  const job = { id, name, kind: 'follow-up' as const, version: 1, payload: { of }, attempts }
  await waitingJob(db)
    .put({ ...job, shard, due_at })
    .go()
  used.add(shard)
  return id
}

type Changes = SweepLimits & { store?: Partial<JobStore>; random?: () => number }

/** Runs the sweeper as if it were `now`. */
function sweep(
  now: Date,
  handlers: JobHandler[],
  { store, random = () => 0, ...limits }: Changes = unhurried,
) {
  const deps = {
    store: { ...jobStore(db), shards: [...used], ...store },
    runner: jobRunner(...handlers),
    log,
    random,
  }
  return sweepJobs(deps, now, limits)
}

const stored = async () => {
  return allDue(jobStore(db), endOfTime, used)
}

/** Everything that is stored, wherever a request has put it. */
const storedAnywhere = async () => (await jobStore(db).list()).waiting
const everyShard = { ...unhurried, store: { shards: jobShards } }

const parked = async () => (await jobStore(db).list()).parked

describe('a job that fails', () => {
  it('is tried again after a minute, then two, four and so on up to an hour, and not before', async () => {
    const job = followUp('mail.send')
    await enqueue(job.of({ of: 'x' }))
    const pauses: number[] = []
    let runs = 0
    const handler = job.handledBy(async () => {
      runs += 1
      throw new Error('The mail server is down.')
    })

    for (let now = minutesLater(1); pauses.length < 9; ) {
      await sweep(now, [handler])
      const due = new Date((await stored())[0]?.due_at ?? '')
      pauses.push((due.getTime() - now.getTime()) / 60_000)
      await sweep(new Date(due.getTime() - 1), [handler])
      now = due
    }

    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    expect(runs).toBe(9)
    expect(await stored()).toMatchObject([{ attempts: 9, last_error: 'The mail server is down.' }])
  })

  it('comes back up to a quarter later by chance, apart from others that failed with it', async () => {
    const job = followUp('mail.send')
    await enqueue(job.of({ of: 'x' }))

    await sweep(minutesLater(1), [job.handledBy(failing)], { ...unhurried, random: () => 0.8 })

    expect((await stored())[0]?.due_at).toBe(minutesLater(2.2).toISOString())
  })

  it('holds up no other of its shard, were it a hundred and fifty times', async () => {
    const [bad, good] = [followUp('bad'), followUp('good')]
    for (let at = 0; at < 150; at += 1) await enqueueIn('a7', 'bad', String(at))
    await enqueueIn('a7', 'good', '999')
    let [badRuns, goodRuns] = [0, 0]
    const handlers = [
      bad.handledBy(async () => {
        badRuns += 1
        throw new Error('never')
      }),
      good.handledBy(async () => {
        goodRuns += 1
      }),
    ]

    const first = await sweep(minutesLater(1), handlers)
    await enqueueIn('a7', 'good', '1000')
    const second = await sweep(minutesLater(1.5), handlers)

    expect(first.jobs).toEqual({
      bad: { kind: 'follow-up', done: 0, failed: 150, parked: 0 },
      good: { kind: 'follow-up', done: 1, failed: 0, parked: 0 },
    })
    expect(second.jobs).toEqual({ good: { kind: 'follow-up', done: 1, failed: 0, parked: 0 } })
    expect([badRuns, goodRuns]).toEqual([150, 2])
  })

  it('thirty times is parked with its last error, is left alone then, and is done once it was replayed', async () => {
    const job = followUp('mail.send')
    const id = await enqueueIn('0f', 'mail.send', 'x', 29)
    const works = job.handledBy(async () => {})

    const last = await sweep(minutesLater(1), [job.handledBy(failing)])
    const waiting = await parked()
    const quiet = await sweep(minutesLater(10_000), [works])
    const replayed = await jobStore(db).replay(id, minutesLater(10_001))
    const after = await stored()
    const done = await sweep(minutesLater(10_002), [works])

    expect(last.jobs['mail.send']).toEqual({ kind: 'follow-up', done: 0, failed: 0, parked: 1 })
    expect(logged).toContainEqual(
      expect.objectContaining({ message: 'job parked', job_id: id, attempts: 30 }),
    )
    expect(waiting).toMatchObject([{ id, attempts: 30, last_error: 'The mail server is down.' }])
    expect(quiet.jobs).toEqual({})
    expect(replayed).toBe(true)
    expect(after).toMatchObject([{ id, attempts: 0, payload: { of: 'x' } }])
    expect(done.jobs['mail.send']?.done).toBe(1)
    expect([await stored(), await parked()]).toEqual([[], []])
    expect(await jobStore(db).replay(id, start)).toBe(false)
  })

  it('never ends is given up after its time, and the next one of its shard runs', async () => {
    const [hanging, good] = [followUp('hanging'), followUp('good')]
    await enqueueIn('33', 'hanging', '1')
    await enqueueIn('33', 'good', '2')
    const handlers = [hanging.handledBy(never), good.handledBy(async () => {})]

    const { jobs } = await sweep(minutesLater(1), handlers, { milliseconds: 60_000, jobMilliseconds: 200 })

    expect([jobs.hanging?.failed, jobs.good?.done]).toEqual([1, 1])
    expect(await stored()).toMatchObject([
      { name: 'hanging', attempts: 1, last_error: 'The attempt did not end within 0.2 seconds.' },
    ])
  })
})

describe('a process that dies', () => {
  it('while it runs a job has counted the attempt, and the job comes again', async () => {
    const job = followUp('x')
    await enqueue(job.of({ of: 'x' }))
    const { promise: begun, resolve } = Promise.withResolvers<void>()

    void sweep(minutesLater(1), [
      job.handledBy(() => {
        resolve()
        return never()
      }),
    ])
    await begun
    const meanwhile = await stored()
    const next = await sweep(minutesLater(3), [job.handledBy(async () => {})])

    expect(meanwhile).toMatchObject([{ attempts: 1, last_error: expect.stringContaining('died') }])
    expect(next.jobs.x?.done).toBe(1)
    expect(await stored()).toEqual([])
  })

  it('of a job every time has it parked without running it a thirty-first time', async () => {
    const job = followUp('deadly')
    await enqueueIn('e1', 'deadly', 'x', 30)
    let runs = 0

    const { jobs } = await sweep(minutesLater(1), [
      job.handledBy(async () => {
        runs += 1
      }),
    ])

    expect([jobs.deadly?.parked, runs]).toEqual([1, 0])
    expect(await parked()).toMatchObject([{ name: 'deadly', last_error: expect.stringContaining('died') }])
  })

  it('before it has removed a finished job has the job run again, and once', async () => {
    const job = followUp('x')
    let runs = 0
    const handler = job.handledBy(async () => {
      runs += 1
    })
    const send = db.client.send.bind(db.client) as (command: unknown) => Promise<unknown>
    const dead = async (command: { input: object }) => {
      if ('RequestItems' in command.input) throw new Error('dead')
      return send(command)
    }
    Object.assign(db.client, { send: dead })
    await outbox(db, jobRunner(handler), log).commit([], [job.of({ of: 'x' })])
    Object.assign(db.client, { send })

    const tooEarly = await sweep(systemClock.now(), [handler], everyShard)
    const later = () => sweep(new Date(epochMilliseconds() + 61_000), [handler], everyShard)

    expect([runs, tooEarly.jobs]).toEqual([1, {}])
    expect((await later()).jobs.x?.done).toBe(1)
    expect((await later()).jobs).toEqual({})
    expect(runs).toBe(2)
  })

  it('that is due later is run by the sweeper alone: never early, even after the queues were lost', async () => {
    const job = followUp('x')
    const ran: string[] = []
    const handler = job.handledBy(async ({ of }) => void ran.push(of))
    const due = new Date(epochMilliseconds() + 600_000)
    await outbox(db, jobRunner(handler), log).commit([], [job.of({ of: 'x' }, due)])

    // For lost queues, the sweeper reads what is due within a minute.
    await sweep(new Date(due.getTime() + graceMilliseconds - 1), [handler], everyShard)
    const early = [...ran]
    await sweep(new Date(due.getTime() + graceMilliseconds + 1), [handler], everyShard)

    expect([early, ran]).toEqual([[], ['x']])
  })

  it('leaves nothing of a change whose transaction failed: neither the change nor its jobs', async () => {
    const job = followUp('x')
    const items = waitingJob(db)
    const refused = items.create({
      ...{ shard: 'ff', due_at: 'never', id: 'job_x', name: 'x', kind: 'follow-up', version: 1 },
      ...{ payload: {}, attempts: 0 },
    })
    const store = outbox(db, jobRunner(job.handledBy(async () => {})), log)
    const condition = { item: { Put: { ...refused.params(), ConditionExpression: 'attribute_exists(pk)' } } }

    const change = store.commit(
      [{ ...condition, otherwise: () => new Error('refused') } as never],
      [job.of({ of: 'x' })],
    )

    await expect(change).rejects.toThrow('refused')
    expect(await storedAnywhere()).toEqual([])
  })
})

describe('two sweepers at once', () => {
  it('run each job once', async () => {
    const job = followUp('x')
    const names = Array.from({ length: 40 }, (_, at) => String(at))
    await Promise.all(names.map((of) => enqueue(job.of({ of }))))
    const ran: string[] = []
    const handler = job.handledBy(async ({ of }) => {
      ran.push(of)
      await sleep(5)
    })

    const both = await Promise.all([sweep(minutesLater(1), [handler]), sweep(minutesLater(1), [handler])])

    expect(ran.toSorted()).toEqual(names.toSorted())
    expect(both.reduce((sum, { jobs }) => sum + (jobs.x?.done ?? 0), 0)).toBe(40)
    expect(await stored()).toEqual([])
  })
})

describe('a sweep', () => {
  it('ends within its time limit and leaves the other jobs to the next sweep', async () => {
    const job = followUp('slow')
    for (let at = 0; at < 60; at += 1) await enqueueIn(at % 2 ? '10' : '90', 'slow', String(at))
    const handler = job.handledBy(async () => {
      await sleep(100)
    })
    const limits = { milliseconds: 6_000, jobMilliseconds: 5_000 }
    const began = performance.now()

    const { jobs } = await sweep(minutesLater(1), [handler], limits)
    const took = performance.now() - began

    expect(took).toBeLessThan(6_000)
    expect(jobs.slow?.done).toBeGreaterThan(2)
    expect((jobs.slow?.done ?? 0) + (await stored()).length).toBe(60)
    expect((await stored()).every(({ attempts }) => attempts === 0)).toBe(true)
  })

  it('begins at another shard each time, so that no backlog keeps it from the others', async () => {
    const [backlog, other] = [followUp('backlog'), followUp('other')]
    // As many full shards as are worked on at once.
    for (let shard = 0; shard < 8; shard += 1)
      for (let at = 0; at < 30; at += 1) await enqueueIn(`0${shard}`, 'backlog', String(at))
    await enqueueIn('80', 'other', '1')
    const handlers = [backlog.handledBy(() => sleep(200)), other.handledBy(async () => {})]
    const limits = { ...everyShard, milliseconds: 7_000, jobMilliseconds: 4_000 }

    const fromTheStart = await sweep(minutesLater(1), handlers, { ...limits, random: () => 0 })
    const fromTheMiddle = await sweep(minutesLater(1), handlers, { ...limits, random: () => 0.5 })

    expect(fromTheStart.shards).toBeLessThan(256)
    expect(fromTheStart.jobs.other).toBeUndefined()
    expect(fromTheMiddle.jobs.other?.done).toBe(1)
  })

  it('looks at each of 256 shards, and at a full one again', async () => {
    const job = followUp('x')
    const ran = new Set<string>()
    for (const shard of ['00', '7f', '80', 'ff']) await enqueueIn(shard, 'x', shard)
    for (let at = 0; at < 60; at += 1) await enqueueIn('c3', 'x', `m${at}`)

    const handler = job.handledBy(async ({ of }) => void ran.add(of))
    const { shards, jobs } = await sweep(minutesLater(1), [handler], everyShard)

    expect([shards, jobs.x?.done, ran.size]).toEqual([256, 64, 64])
  })

  it('goes on where the table fails for a shard', async () => {
    const job = followUp('x')
    await enqueueIn('11', 'x', '1')
    await enqueueIn('12', 'x', '2')
    const { due } = jobStore(db)
    const store: Partial<JobStore> = {
      due: (shard, now) => {
        if (shard === '11') throw new Error('503')
        return due(shard, now)
      },
    }

    const swept = await sweep(minutesLater(1), [job.handledBy(async () => {})], {
      milliseconds: 60_000,
      store,
    })

    expect(swept).toMatchObject({ unread: 1, jobs: { x: { done: 1 } } })
    expect(logged).toContainEqual(expect.objectContaining({ message: 'shard not swept', shard: '11' }))
  })
})

describe('a payload', () => {
  const renamed = z.object({ of: z.string(), copies: z.number() })
  const secondVersion = { name: 'print', version: 2, payload: renamed }

  it('of an older version is migrated to the one that the handler knows', async () => {
    await enqueue(followUp('print').of({ of: 'x' }))
    const seen: unknown[] = []
    const job = defineFollowUp({
      ...secondVersion,
      migrations: { 1: (earlier) => ({ ...payload.parse(earlier), copies: 1 }) },
    })

    const { jobs } = await sweep(minutesLater(1), [
      job.handledBy(async (current) => {
        seen.push(current)
      }),
    ])

    expect(jobs.print?.done).toBe(1)
    expect(seen).toEqual([{ of: 'x', copies: 1 }])
  })

  it.each([
    ['that nothing migrates', {}, 'has version 1; no migration leads to version 2'],
    [
      'that the migration does not understand',
      { 1: (): never => raise('no copies') },
      'cannot be migrated from version 1: no copies',
    ],
  ])('of an older version %s is parked at once with the reason, and never run', async (_, migrations, why) => {
    await enqueue(followUp('print').of({ of: 'x' }))
    let runs = 0
    const handler = defineFollowUp({ ...secondVersion, migrations }).handledBy(async () => {
      runs += 1
    })

    await sweep(minutesLater(1), [handler])

    expect(runs).toBe(0)
    expect(await parked()).toMatchObject([
      { name: 'print', version: 1, last_error: expect.stringContaining(why) },
    ])
  })

  it.each([
    ['a long text', `x${'😀'.repeat(600)}`, /^x😀{100,}…$/u],
    ['half a character', "Unexpected token '\ud83d'", /^Unexpected token ''$/],
  ])('is noted with a reason that can be stored, if its error has %s', async (_, error, reason) => {
    await enqueue(followUp('print').of({ of: 'x' }))

    await sweep(minutesLater(1), [followUp('print').handledBy(async () => raise(error))])

    expect((await stored())[0]?.last_error).toMatch(reason)
  })

  it('of a newer version waits for the release that knows it', async () => {
    await enqueue(defineFollowUp(secondVersion).of({ of: 'x', copies: 3 }))
    const seen: unknown[] = []

    const early = await sweep(minutesLater(1), [
      followUp('print').handledBy(async (one) => void seen.push(one)),
    ])
    const reason = (await stored())[0]?.last_error
    const handler = defineFollowUp(secondVersion).handledBy(async (one) => void seen.push(one))
    const late = await sweep(minutesLater(5), [handler])

    expect([early.jobs.print?.failed, late.jobs.print?.done]).toEqual([1, 1])
    expect(reason).toBe('The job print has version 2; this function knows version 1.')
    expect(seen).toEqual([{ of: 'x', copies: 3 }])
  })

  it('of the wrong shape waits like any that fails, and the log says what is wrong with it', async () => {
    await enqueue(
      defineFollowUp({ name: 'x', version: 1, payload: z.object({ ids: z.number() }) }).of({ ids: 7 }),
    )
    const job = defineFollowUp({ name: 'x', version: 1, payload: z.object({ ids: z.array(z.string()) }) })

    await sweep(minutesLater(1), [job.handledBy(async () => {})])

    expect(logged[0]?.error).toContain('expected array, received number')
    expect(await stored()).toMatchObject([{ name: 'x', attempts: 1 }])
    expect(await parked()).toEqual([])
  })
})

describe('a job of two handlers', () => {
  it('is refused when they are composed', () => {
    const handler = followUp('x').handledBy(async () => {})

    expect(() => jobRunner(handler, handler)).toThrow('There are two handlers for the job x.')
  })
})

describe('a job of an unknown name', () => {
  it('is not lost: it waits for a function that knows it', async () => {
    const job = followUp('later')
    await enqueue(job.of({ of: 'x' }))

    const early = await sweep(minutesLater(1), [])
    const late = await sweep(minutesLater(5), [job.handledBy(async () => {})])

    expect([early.jobs.later?.failed, late.jobs.later?.done]).toEqual([1, 1])
  })
})

describe('a request', () => {
  it('runs the jobs of its change at the same time, and removes those that are done', async () => {
    const [one, other, bad] = [followUp('one'), followUp('other'), followUp('bad')]
    const { promise: otherIsOver, resolve } = Promise.withResolvers<void>()
    const runner = jobRunner(
      one.handledBy(() => otherIsOver),
      other.handledBy(async () => resolve()),
      bad.handledBy(failing),
    )

    await outbox(db, runner, log).commit(
      [],
      [one, other, bad].map((job) => job.of({ of: 'x' })),
    )

    await expect.poll(storedAnywhere, { timeout: 60_000 }).toMatchObject([{ name: 'bad', attempts: 0 }])
  })

  it('fails if a required job fails, though its change is stored; the sweeper does the rest', async () => {
    const job = defineFollowUp({ name: 'x', version: 1, payload, required: true })

    const commit = outbox(db, jobRunner(job.handledBy(failing)), log).commit([], [job.of({ of: 'x' })])

    await expect(commit).rejects.toMatchObject({ kind: 'unavailable' })
    const { jobs } = await sweep(
      new Date(epochMilliseconds() + 61_000),
      [job.handledBy(async () => {})],
      everyShard,
    )
    expect(jobs.x?.done).toBe(1)
  })
})

describe('a hand-over', () => {
  it('puts its messages on the queue; what the queue refuses is sent again later', async () => {
    const letter = defineHandOver({
      name: 'letter.send',
      version: 1,
      payload: z.object({ to: z.array(z.string()) }),
      queue: defineQueue({ queue: 'letters', payload: z.object({ address: z.string() }) }),
      messagesOf: ({ to }) => to.map((address) => ({ address })),
    })
    const sent: string[] = []
    let queueIsDown = true
    const handler = letter.handledBy(async ({ address }) => {
      if (queueIsDown && address === 'b') throw new Error('The queue is down.')
      sent.push(address)
    })
    await outbox(db, jobRunner(handler), log).commit([], [letter.of({ to: ['a', 'b'] })])
    const left = await storedAnywhere()
    queueIsDown = false

    const { jobs } = await sweep(new Date(epochMilliseconds() + 61_000), [handler], everyShard)

    expect(left).toMatchObject([{ name: 'letter.send', kind: 'hand-over' }])
    expect(jobs['letter.send']).toEqual({ kind: 'hand-over', done: 1, failed: 0, parked: 0 })
    expect(new Set(sent)).toEqual(new Set(['a', 'b']))
  })
})

function raise(message: string): never {
  throw new Error(message)
}
