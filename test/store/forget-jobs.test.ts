import { beforeEach, describe, expect, it } from 'vitest'
import { createParties, unlinkCase } from '#cases/jobs.ts'
import { assignDocuments } from '#documents/jobs.ts'
import { jobsWithTexts } from '#foundation/jobs-with-texts.ts'
import type { Job } from '#jobs/job.ts'
import type { StoredJob } from '#jobs/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { namesOf } from '#store/retention/forget-answers.ts'
import { forgetJobs, forgetTexts, type RunJob } from '#store/retention/forget-jobs.ts'
import { wordsFollowUp, wordsJob } from '#store/search-words.ts'
import { transact } from '#store/transact.ts'
import { ownTable } from '#test/support/own-table.ts'

it('jobs that update words of removed records are run and removed, waiting and parked ones', async () => {
  const db = await ownTable()
  const [jobs, now] = [jobStore(db), systemClock.now()]
  const [workspace_id, waits, parks, stays] = [
    newId('workspace'),
    newId('document'),
    newId('document'),
    newId('document'),
  ]
  const add = async (id: string, workspace = workspace_id) => {
    const payload = { workspace_id: workspace, list: 'documents', id, before: 'Quittenmarmelade', terms: [] }
    const { job, action } = jobs.addition(wordsJob.of(payload), now)
    await transact(db, [action])
    return job
  }
  await add(waits)
  await jobs.park(await add(parks), 'It failed.', now)
  const others = [await add(stays), await add(waits, newId('workspace'))]
  const ran: string[] = []
  const runner = jobRunner(wordsFollowUp(db))

  await forgetJobs(
    {
      ...{ db, jobsWithTexts },
      runJob: async (job) => {
        ran.push((job.payload as { id: string }).id)
        await runner.run(job)
      },
    },
    workspace_id,
    namesOf([waits, parks]),
  )

  const { waiting, parked } = await jobs.list()
  expect(ran.toSorted()).toEqual([waits, parks].toSorted())
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(others.map(({ id }) => id).toSorted())
  expect(parked).toEqual([])
})

describe('among jobs with texts of records', () => {
  /** A firm with these jobs, waiting and parked. @returns what is left after the records with these ids are gone */
  async function leftOf(workspace_id: string, added: Job[], gone: string[]) {
    const db = await ownTable()
    const [jobs, now] = [jobStore(db), systemClock.now()]
    for (const parks of [false, true])
      for (const one of added) {
        const { job, action } = jobs.addition(one, now)
        await transact(db, [action])
        if (parks) await jobs.park(job, 'It failed.', now)
      }
    const runJob = () => Promise.reject(new Error('It files no words.'))

    await forgetJobs({ db, runJob, jobsWithTexts }, workspace_id, namesOf(gone))

    const { waiting, parked } = await jobs.list()
    const payloadsOf = (stored: { payload: unknown }[]) => stored.map(({ payload }) => payload)
    expect(parked).toHaveLength(waiting.length)
    expect(payloadsOf(parked)).toEqual(expect.arrayContaining(payloadsOf(waiting)))
    return payloadsOf(waiting)
  }

  const [workspace_id, case_id] = [newId('workspace'), newId('case')]
  const [anna, bert] = [newId('party'), newId('party')]
  const at = '2026-11-27T09:00:00.000Z'
  const actor = { type: 'user' as const, id: newId('user'), name: 'Dr. Vogt' }
  const partyOf = (id: string, name: string) => ({ id, name, type: 'person' as const })
  const [annaMeier, bertSchulze] = [partyOf(anna, 'Anna Meier'), partyOf(bert, 'Bert Schulze')]
  const making = (workspace = workspace_id, parties = [annaMeier, bertSchulze]) =>
    createParties.of({ workspace_id: workspace, ...{ case_id, created_at: at }, parties })
  const assigning = (documents = [newId('document')]) =>
    assignDocuments.of({
      ...{ workspace_id, actor, at, document_ids: documents },
      assignment: { party_ids: [anna, bert], primary_party_id: anna },
      party_names: { [anna]: 'Anna Meier', [bert]: 'Bert Schulze' },
    } as never)
  const unlinking = unlinkCase.of({
    ...{ workspace_id, case_id },
    entry: { type: 'link.removed', occurred_at: at, actor, summary: 'Akte Quittenmarmelade', ref: null },
  } as never)

  it('those of a removed case are removed, and those of another firm stay', async () => {
    const other = newId('workspace')

    const left = await leftOf(workspace_id, [making(), unlinking, making(other)], [case_id])

    expect(left).toEqual([expect.objectContaining({ workspace_id: other })])
  })

  it('those that name an erased party and others lose only that party', async () => {
    const documents = [newId('document'), newId('document')]

    const left = await leftOf(workspace_id, [making(), assigning(documents), unlinking], [anna])

    expect(JSON.stringify(left)).not.toContain('Meier')
    expect(left).toHaveLength(3)
    expect(left).toContainEqual(
      expect.objectContaining({
        case_id,
        parties: [expect.objectContaining({ id: bert, name: 'Bert Schulze' })],
      }),
    )
    expect(left).toContainEqual(
      expect.objectContaining({
        document_ids: documents,
        assignment: { party_ids: [bert] },
        party_names: { [bert]: 'Bert Schulze' },
      }),
    )
  })

  it('those of documents that are all gone are removed, too', async () => {
    const document = newId('document')

    expect(await leftOf(workspace_id, [assigning([document])], [document])).toEqual([])
  })

  describe('while others work on them', () => {
    const [start, later] = [new Date(at), '2026-11-27T10:00:00.000Z']
    let db: Db
    let jobs: ReturnType<typeof jobStore>
    beforeEach(async () => {
      db = await ownTable()
      jobs = jobStore(db)
    })

    async function add(one: Job) {
      const { job, action } = jobs.addition(one, start)
      await transact(db, [action])
      return job
    }
    /** A job of the party that files words: it is run after the jobs were listed, before one is changed. */
    const addWords = () =>
      add(wordsJob.of({ workspace_id, list: 'parties', id: anna, before: 'anna meier', terms: [] }))
    const claim = (job: StoredJob, due_at = later) =>
      jobs.claim(job, { due_at, attempts: 1, last_error: null })
    const forget = (runJob: RunJob = async () => {}) =>
      forgetJobs({ db, runJob, jobsWithTexts }, workspace_id, namesOf([anna]))
    const stored = async () => {
      const { waiting, parked } = await jobs.list()
      return [...waiting, ...parked]
    }

    it('a sweeper that has read one before cannot store its texts again', async () => {
      const [claimed, parked] = [await add(assigning()), await add(assigning())]

      await forget()
      const results = [await claim(claimed), await jobs.park(parked, 'It failed.', start)]

      expect(results).toEqual([undefined, false])
      expect((await stored()).map(({ id }) => id).toSorted()).toEqual([claimed.id, parked.id].toSorted())
      expect(JSON.stringify(await stored())).not.toContain('Meier')
    })

    it('one that is claimed after it was listed loses its texts, too', async () => {
      const [job] = [await add(assigning()), await addWords()]

      await forget(async () => void (await claim(job)))

      const left = await stored()
      expect(left).toMatchObject([{ id: job.id, attempts: 1 }])
      expect(JSON.stringify(left)).not.toContain('Meier')
    })

    it('one that must be removed is removed even if it is claimed after it was listed', async () => {
      const [goes, words] = [await add(making(workspace_id, [annaMeier])), await addWords()]

      await forget(async () => {
        await claim(goes)
        await claim(words)
      })

      expect(await stored()).toEqual([])
    })

    it('the caller learns that one had the texts, because it may be running with them', async () => {
      await add(assigning())
      const forgetting = () =>
        forgetTexts({ db, runJob: async () => {}, jobsWithTexts }, workspace_id, namesOf([anna]))

      expect([await forgetting(), await forgetting()]).toEqual([false, true])
    })

    it('one that is finished after it was listed is not an error', async () => {
      const [job] = [await add(assigning()), await addWords()]

      await forget(() => jobs.finish([job]))

      expect(await stored()).toEqual([])
    })

    it('a parked one that is enqueued again after it was listed loses its texts, too', async () => {
      const [job] = [await add(assigning()), await addWords()]
      await jobs.park(job, 'It failed.', start)

      await forget(async () => void (await jobs.replay(job.id, start)))

      const left = await stored()
      expect(left).toMatchObject([{ id: job.id, due_at: expect.any(String) }])
      expect(JSON.stringify(left)).not.toContain('Meier')
    })

    it('an error is thrown if one is moved each time it is listed', async () => {
      let words = await addWords()
      let moves = 0

      const forgotten = forget(async () => {
        moves += 1
        words = (await claim(words, `2026-11-27T10:00:0${moves}.000Z`)) ?? words
      })

      await expect(forgotten).rejects.toThrow('being moved')
      expect(moves).toBeLessThan(10)
    })
  })

  describe('that cannot be read', () => {
    const unreadable: [string, (job: Job) => Job][] = [
      ['malformed', (job) => ({ ...job, payload: { workspace_id, id: anna, party_id: anna } })],
      ['newer', (job) => ({ ...job, version: job.version + 1 })],
      ['older than all migrations', (job) => ({ ...job, version: 0 })],
    ]
    const words = wordsJob.of({ workspace_id, list: 'parties', id: anna, before: 'anna meier', terms: [] })

    it.each(unreadable)('parked ones that are %s are removed, because they cannot run', async (_, spoil) => {
      const db = await ownTable()
      const jobs = jobStore(db)
      for (const one of [assigning(), making(), words].map(spoil)) {
        const { job, action } = jobs.addition(one, new Date(at))
        await transact(db, [action])
        await jobs.park(job, 'It cannot be read.', new Date(at))
      }
      const { run } = jobRunner(wordsFollowUp(db))

      await forgetJobs({ db, runJob: run, jobsWithTexts }, workspace_id, namesOf([anna]))

      expect((await jobs.list()).parked).toEqual([])
    })

    it('waiting ones delay the removal until they are parked', async () => {
      const db = await ownTable()
      const { action } = jobStore(db).addition({ ...assigning(), version: 99 }, new Date(at))
      await transact(db, [action])

      const forgotten = forgetJobs(
        { db, runJob: async () => {}, jobsWithTexts },
        workspace_id,
        namesOf([anna]),
      )

      await expect(forgotten).rejects.toThrow('has version 99')
    })
  })

  it('those without texts of removed records are not written', async () => {
    const db = await ownTable()
    const jobs = jobStore(db)
    const one = assigning()
    // It names the case alone, whose id is no text.
    const { job, action } = jobs.addition(
      { ...one, payload: { ...(one.payload as object), assignment: { case_id } } },
      new Date(at),
    )
    await transact(db, [action])

    await forgetJobs({ db, runJob: async () => {}, jobsWithTexts }, workspace_id, namesOf([case_id]))

    expect((await jobs.list()).waiting).toMatchObject([job])
  })
})
