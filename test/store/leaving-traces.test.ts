import { expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { StoredParty } from '#parties/erasure-ports.ts'
import { withoutParty } from '#parties/redaction.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { leavingTraces } from '#store/parties/leaving-traces.ts'
import { wordsFollowUp, wordsJob } from '#store/search-words.ts'
import { sortedList } from '#store/sorted-list.ts'
import { transact } from '#store/transact.ts'
import { ownTable } from '#test/support/own-table.ts'

/** The traces of an erased party (R5) in what all records of a firm share. */

it('no job keeps or files the name of an erased party, in its own list and in those of other records', async () => {
  const db = await ownTable()
  const [jobs, now, workspace_id] = [jobStore(db), systemClock.now(), newId('workspace')]
  const party = { workspace_id, id: newId('party'), type: 'person', name: 'Anna Meier' } as StoredParty
  const runner = jobRunner(wordsFollowUp(db))
  const add = async (list: string, id: string, before: string, workspace = workspace_id) => {
    const payload = { workspace_id: workspace, list, id, before, terms: [] }
    const { job, action } = jobs.addition(wordsJob.of(payload), now)
    await transact(db, [action])
    // The record was found by its words before.
    await sortedList(db, list, 'descending').write(workspace, [{ term: 'has:mei', place: id, data: {} }], [])
    return job
  }
  const foundIn = async (list: string) =>
    (await sortedList(db, list, 'descending').read(workspace_id, 'has:mei', {}, 10)).entries.map(
      ({ place }) => place,
    )
  const named = await add('cases', newId('case'), 'meier ./. schulze')
  await jobs.park(named, 'It failed.', now)
  await add('parties', party.id, 'anna meier frueher heinze')
  const others = [
    await add('cases', newId('case'), 'meierhof ./. schulze'),
    await add('cases', newId('case'), 'meier ./. schulze', newId('workspace')),
  ]

  const step = leavingTraces({
    ...{ db, withoutParty, jobsWithTexts: [], runJob: (job) => runner.run(job) },
    eraseObjects: async () => {},
    sharesMailbox: async () => false,
  })
  for await (const _ of step({ ...party, email: null, phone: null, address: null }, null, () => null));

  const { waiting, parked } = await jobs.list()
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(others.map(({ id }) => id).toSorted())
  expect(parked).toEqual([])
  expect(await foundIn('parties')).toEqual([])
  expect(await foundIn('cases')).toEqual([(others[0]?.payload as { id: string }).id])
})
