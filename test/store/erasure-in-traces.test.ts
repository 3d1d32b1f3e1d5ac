import { expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { StoredParty } from '#parties/erasure-ports.ts'
import { withoutParty } from '#parties/redaction.ts'
import { claimPuts } from '#store/claim-item.ts'
import type { Db } from '#store/db.ts'
import { firstAnswers } from '#store/first-answers.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { erasureInTraces } from '#store/parties/erasure-in-traces.ts'
import type { JobsToForget } from '#store/retention/forget-jobs.ts'
import { wordsFollowUp, wordsJob } from '#store/search-words.ts'
import { sortedList } from '#store/sorted-list.ts'
import { transact } from '#store/transact.ts'
import { ownTable } from '#test/support/own-table.ts'

/** The traces of an erased party (R5) in what all records of a firm share. */

const partyOf = (workspace_id: string, more: Partial<StoredParty> = {}) =>
  ({
    ...{ workspace_id, id: newId('party'), type: 'person', name: 'Anna Meier' },
    ...{ email: null, phone: null, address: null, ...more },
  }) as StoredParty

/** Runs the step. */
async function leave(db: Db, party: StoredParty, runJob: JobsToForget['runJob'] = async () => {}) {
  const step = erasureInTraces({
    ...{ db, withoutParty, jobsWithTexts: [], runJob },
    eraseObjects: async () => {},
    sharesMailbox: async () => false,
  })
  for await (const _ of step(party, null, () => null));
}

it('no job keeps or files the name of an erased party, in its own list and in those of other records', async () => {
  const db = await ownTable()
  const [jobs, now, workspace_id] = [jobStore(db), systemClock.now(), newId('workspace')]
  const party = partyOf(workspace_id)
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

  await leave(db, party, (job) => runner.run(job))

  const { waiting, parked } = await jobs.list()
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(others.map(({ id }) => id).toSorted())
  expect(parked).toEqual([])
  expect(await foundIn('parties')).toEqual([])
  expect(await foundIn('cases')).toEqual([(others[0]?.payload as { id: string }).id])
})

it.each([
  ['its name alone', { activity: 'Telefonat mit Anna Meier' }, false],
  ['its address, with a line break', { data: [{ note: 'wohnt\nGasse 7\n10969 Berlin' }] }, false],
  ['a longer name', { activity: 'Telefonat mit Anna Meier-Schulze' }, true],
  ['its family name alone', { activity: 'Telefonat mit Meier' }, true],
])('whether an answer stays that has of an erased party %s: %j, %s', async (_, body, stays) => {
  const [db, workspace_id] = [await ownTable(), newId('workspace')]
  const key = { workspace_id, user_id: newId('user'), key: 'key' }
  const answer = { status: 201, body: JSON.stringify(body), etag: undefined }
  await firstAnswers(db).note(key)
  const [first] = claimPuts(db, { ...key, content: 'digest', answer }, { changesNothing: false })
  await transact(db, [{ item: { Put: first }, otherwise: () => new Error('It is kept already.') }])

  await leave(db, partyOf(workspace_id, { address: 'Gasse 7\n10969 Berlin' }))

  expect((await firstAnswers(db).find(key)) !== undefined).toBe(stays)
})
