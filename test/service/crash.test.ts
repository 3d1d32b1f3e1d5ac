import { describe, expect, it, vi } from 'vitest'
import { caseJobs, partiesToCreate, unlinkCase } from '#cases/jobs.ts'
import { type JobRunner, jobRunner } from '#jobs/runner.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { deadlinesOfCase } from '#store/deadlines/deadlines-of-case.ts'
import { dueLists } from '#store/deadlines/due-lists.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { outbox } from '#store/outbox.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { allOf } from '#test/support/api.ts'
import { times } from '#test/support/deadline-firm.ts'
import { restarts } from '#test/support/restarts.ts'
import type { Service } from '#test/support/service.ts'
import { caseRemoval } from '#test/support/store-changes.ts'
import { unhurried } from '#test/support/unhurried.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { workspaceJobs } from '#workspace/jobs.ts'

const { started, kill } = restarts()

/**
 * The sweeper, two minutes ahead of the clock: everything that is left is old enough for it. It sweeps until nothing
 * is left, since the sweeper of the service may be at work on the same jobs.
 */
async function sweep(service: Service): Promise<{ done: number; failed: number }> {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const jobs = jobRunner(wordsFollowUp(db))
  const deps = depsWith(db, jobs, (message, fields) => console.error(message, fields))
  const keys = keyStore(db, deps.cursors)
  jobs.handle(
    ...workspaceJobs({ users: userStore(deps), keys }),
    ...caseJobs({
      cases: caseStore({ ...deps, numberKey: caseNumberKey }),
      parties: partyStore(deps),
      deadlines: deadlinesOfCase(db),
    }),
  )
  const store = jobStore(db)
  const counts = { done: 0, failed: 0 }
  do {
    const now = new Date(epochMilliseconds() + 120_000)
    const swept = await sweepJobs({ store, runner: jobs, log: deps.log }, now, unhurried)
    for (const { done, failed } of Object.values(swept.jobs)) {
      counts.done += done
      counts.failed += failed
    }
  } while ((await store.list()).waiting.length > 0)
  return counts
}

function depsWith(
  db: Db,
  jobs: JobRunner,
  error: (message: string, fields: Record<string, unknown>) => void,
) {
  const log = { error }
  return { db, log, cursors: tableCursors(db), outbox: outbox(db, jobs, log), clock: systemClock }
}

describe('a service killed in the middle of its work', () => {
  it('has lost no accepted change and left none incomplete after its restart and a sweep', async () => {
    const before = await started()
    const accepted: { id: string; name: string; parties: string[] }[] = []

    // Twenty callers open cases and name three new parties each until the line goes dead.
    const callers = Array.from({ length: 20 }, async (_, caller) => {
      for (let round = 0; ; round += 1) {
        const opened = await before.owner('POST', '/api/v1/cases', {
          body: { name: `Absturz c${caller}r${round}e` },
        })
        const kept = { id: opened.body.id, name: opened.body.name, parties: [] as string[] }
        accepted.push(kept)
        const names = ['x', 'y', 'z'].map((letter) => `Partei c${caller}r${round}${letter}`)
        const named = await before.owner('POST', `/api/v1/cases/${kept.id}/parties`, {
          body: names.map((name) => ({ name, role: 'client' })),
        })
        kept.parties = named.body.data.map(({ id }: { id: string }) => id)
      }
    })
    const dead = Promise.allSettled(callers)
    await vi.waitFor(() => expect(accepted.length).toBeGreaterThan(15), { timeout: 60_000 })
    await kill()
    await dead

    const { service, owner } = await started()
    const swept = await sweep(service)

    expect(swept.failed).toBe(0)
    const listed = await allOf(owner, '/api/v1/cases')
    expect(accepted.length).toBeGreaterThan(5)
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted.map(({ id }) => id)))
    // Numbers without a gap, though some requests died.
    const numbers = listed
      .map(({ file_number }) => Number(file_number.split('/')[0]))
      .toSorted((one, other) => one - other)
    expect(numbers).toEqual(Array.from({ length: listed.length }, (_, index) => index + 1))
    for (const { id, name } of listed) {
      const [found, timeline, parties] = await Promise.all([
        owner('GET', `/api/v1/cases?search=${name.split(' ')[1]}`),
        owner('GET', `/api/v1/cases/${id}/timeline`),
        owner('GET', `/api/v1/cases/${id}/parties`),
      ])
      expect(found.body.data.map((summary: { id: string }) => summary.id)).toEqual([id])
      // The case and its entry, the parties and theirs: both or neither.
      expect([0, 3]).toContain(parties.body.data.length)
      expect(timeline.body.data).toHaveLength(parties.body.data.length === 0 ? 1 : 2)
      for (const party of parties.body.data) {
        expect((await owner('GET', `/api/v1/parties/${party.id}`)).status).toBe(200)
        const search = await owner('GET', `/api/v1/parties?search=${party.name.split(' ')[1]}`)
        expect(search.body.data.map((one: { id: string }) => one.id)).toEqual([party.id])
      }
    }
    for (const { id, parties } of accepted.filter((kept) => kept.parties.length > 0)) {
      const { body } = await owner('GET', `/api/v1/cases/${id}`)
      expect(body.parties.map((party: { id: string }) => party.id)).toEqual(parties)
    }
    expect(await sweep(service)).toEqual({ done: 0, failed: 0 })
  })

  it('finishes the follow-up work of committed changes: words, parties, links', async () => {
    const { service, owner } = await started()
    for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
    const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
    // An outbox whose jobs all fail, since no function handles them, is what a process leaves that dies right after its transaction.
    const store = caseStore({ ...depsWith(db, jobRunner(), () => {}), numberKey: caseNumberKey })
    const workspaceId = service.credentials.workspaces[0]?.id ?? ''
    const [here, there] = [
      await owner('POST', '/api/v1/cases', { body: { name: 'Hier' } }),
      await owner('POST', '/api/v1/cases', { body: { name: 'Dort' } }),
    ]
    await owner('POST', `/api/v1/cases/${here.body.id}/links`, { body: { case_id: there.body.id } })
    const entry = (type: string) => ({
      id: `tle_01993f5e-0000-7000-8000-00000000000${type.length % 10}`,
      type,
      occurred_at: systemClock.now().toISOString(),
      actor: { type: 'system' as const, id: null, name: 'Test' },
      summary: type,
      ref: null,
    })
    const party = {
      id: 'pty_01993f5e-0000-7000-8000-000000000009',
      type: 'person' as const,
      name: 'Nachzügler',
      email: null,
      phone: null,
      address: null,
    }

    const ofCase = (case_id: string) => ({ workspace_id: workspaceId, case_id })
    await store.change(workspaceId, there.body.id, (current) => ({
      record: {
        ...current,
        name: 'Umbenannt',
        parties: [{ id: party.id, role: 'client', name: party.name }],
        version: current.version + 1,
      },
      timeline: [{ case_id: current.id, entry: entry('changed') }],
      jobs: partiesToCreate({
        ...ofCase(there.body.id),
        created_at: current.updated_at,
        parties: [party],
      }),
      answer: undefined,
    }))
    const { id: _, ...unlinked } = entry('link.removed')
    await store.remove(workspaceId, here.body.id, async () => ({
      ...caseRemoval(here.body.id, entry('removed')),
      jobs: [unlinkCase.of({ ...ofCase(here.body.id), entry: unlinked })],
    }))

    // Already true of the record, not yet of what follows it; and not swept before its time.
    expect((await owner('GET', '/api/v1/cases?search=umbenannt')).body.data).toEqual([])
    expect((await owner('GET', `/api/v1/parties/${party.id}`)).status).toBe(404)
    expect((await owner('GET', `/api/v1/cases/${there.body.id}/links`)).body.data).toHaveLength(1)

    const swept = await sweep(service)
    expect(swept.failed).toBe(0)
    expect(swept.done).toBeGreaterThanOrEqual(4)
    expect((await owner('GET', '/api/v1/cases?search=umbenannt')).body.data).toHaveLength(1)
    expect((await owner('GET', `/api/v1/parties/${party.id}`)).body.name).toBe('Nachzügler')
    expect((await owner('GET', `/api/v1/cases/${there.body.id}/links`)).body.data).toEqual([])
    expect((await owner('DELETE', `/api/v1/parties/${party.id}`)).status).toBe(409)
  })
})

describe('a service killed while it deletes a case with open deadlines', () => {
  const deadlineCount = 40

  it.each([
    ['when the request arrives', 0, 0],
    ['when the first deadlines are marked', 1, 0],
    ['when half of the deadlines are marked', deadlineCount / 2, 0],
    ['right after its answer', 0, 1],
  ])('%s, has deleted it with all that follows or not at all', async (_, marked, answers) => {
    const before = await started()
    const { id: case_id } = (await before.owner('POST', '/api/v1/cases', { body: { name: 'Absturz' } })).body
    await times(deadlineCount, (at) =>
      before.owner('POST', '/api/v1/deadlines', {
        body: { title: `Frist ${at}`, case_id, due_at: `2031-04-${10 + (at % 20)}` },
      }),
    )
    const storedMarks = marksOf(before.service, case_id)

    let answered = 0
    const deletion = before
      .owner('DELETE', `/api/v1/cases/${case_id}`)
      .then(({ status }) => {
        answered += 1
        return status
      })
      .catch(() => undefined)
    await vi.waitFor(
      async () => {
        expect(answered).toBeGreaterThanOrEqual(answers)
        if (marked > 0) expect(await storedMarks()).toBeGreaterThanOrEqual(marked)
      },
      { timeout: 60_000, interval: 1 },
    )
    await kill()
    const status = await deletion

    const { service, owner } = await started()
    const found = (await owner('GET', `/api/v1/cases/${case_id}`)).status
    if (found === 200) {
      // The request died before its transaction; it is repeated.
      expect([status, await marksOf(service, case_id)()]).toEqual([undefined, 0])
      expect((await owner('DELETE', `/api/v1/cases/${case_id}`)).status).toBe(200)
    } else expect([found, [200, undefined].includes(status)]).toEqual([404, true])
    const shown = await owner('GET', `/api/v1/deadlines?case_id=${case_id}&limit=100`)
    const swept = await sweep(service)

    expect(shown.body.data).toHaveLength(deadlineCount)
    expect(new Set(shown.body.data.map(isOfDeletedCase))).toEqual(new Set([true]))
    expect(swept.failed).toBe(0)
    expect(await marksOf(service, case_id)()).toBe(deadlineCount)
  })

  const isOfDeletedCase = ({ case_deleted_at }: { case_deleted_at: string | null }) =>
    case_deleted_at !== null

  /** How many deadlines of the case are stored as deadlines of a deleted case. */
  function marksOf(service: Service, case_id: string): () => Promise<number> {
    for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
    const lists = dueLists({ client: createClient(), table: service.environment.TABLE_NAME ?? '' })
    const workspaceId = service.credentials.workspaces[0]?.id ?? ''
    return async () => {
      const stored = await lists.due(workspaceId, { states: ['open'], case_id }, { limit: 100 })
      return stored.filter(isOfDeletedCase).length
    }
  }
})
