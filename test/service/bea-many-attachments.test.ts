import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { assigned } from '#bea/messages/filing.ts'
import { systemClock } from '#kernel/clock.ts'
import { arrivalWatches } from '#store/inbox/arrival-watches.ts'
import { allOf } from '#test/support/api.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { remoteAttachment } from '#test/support/bea-remote.ts'
import { allDue } from '#test/support/due-index.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

/** Messages with many attachments that are filed (B6): a worker makes their documents in pieces that finish. */

/** The most attachments that a request files itself. */
const inRequest = 50

const files = (count: number, content = (at: number) => `Anlage Nummer ${at}`) =>
  Array.from({ length: count }, (_, at) => remoteAttachment(`Anlage_${at}.bin`, content(at)))

async function office() {
  const firm = await newFirm()
  const { receive, store } = await beaOffice(firm)
  const { owner } = firm
  const newCase = async (): Promise<string> =>
    (await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })).body.id
  /** The names of all documents of a case. */
  const namesIn = async (caseId: string): Promise<string[]> =>
    (await allOf(owner, `/api/v1/documents?case_id=${caseId}`)).map(({ filename }) => filename)
  const has = async (caseId: string, count: number) => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if ((await namesIn(caseId)).length >= count) return
      await sleep(300)
    }
  }
  const isFiling = async (id: string) => (await owner('GET', `/api/v1/bea/messages/${id}`)).body.filing
  return {
    firm,
    store,
    isFiling,
    /** Waits until the message says that it is filed. */
    isFiled: async (id: string) => {
      for (let attempt = 0; attempt < 600 && (await isFiling(id)); attempt += 1) await sleep(300)
    },
    receive,
    newCase,
    namesIn,
    has,
    assign: (id: string, case_id: string | null) =>
      owner('POST', `/api/v1/bea/messages/${id}/assign`, { body: { case_id } }),
    timeline: async (caseId: string) =>
      (await owner('GET', `/api/v1/cases/${caseId}/timeline?limit=100`)).body.data.map(
        ({ type }: { type: string }) => type,
      ),
  }
}

const expected = (count: number) =>
  files(count)
    .map(({ filename }) => filename)
    .toSorted()

describe('a message with many attachments that is filed', () => {
  it.each([
    ['bytes of its own', undefined],
    ['the same bytes', () => 'gleich'],
  ])(
    'has each in the case once, with %s',
    async (_, content) => {
      const count = inRequest + 1
      const { receive, newCase, assign, isFiled, namesIn, timeline } = await office()
      const [id, caseId] = [await receive({ attachments: files(count, content) }), await newCase()]

      const answer = await assign(id, caseId)
      await isFiled(id)

      expect([answer.status, answer.body.filing]).toEqual([200, true])
      expect((await namesIn(caseId)).toSorted()).toEqual(expected(count))
      expect((await timeline(caseId)).filter((type: string) => type === 'bea.filed')).toHaveLength(1)
    },
    240_000,
  )

  it('by two callers at once, and then into another case meanwhile, has each there once and none in the first', async () => {
    const { receive, newCase, assign, has, namesIn } = await office()
    const count = inRequest + 10
    const id = await receive({ attachments: files(count) })
    const [first, second] = [await newCase(), await newCase()]

    await Promise.all([assign(id, first), assign(id, first)])
    await has(first, 1)
    await assign(id, second)
    await has(second, count)

    // The worker of the first filing may still put some into the first case. Then it follows the second filing.
    await expect
      .poll(async () => [await namesIn(first), (await namesIn(second)).toSorted()], { timeout: 120_000 })
      .toEqual([[], expected(count)])
  })

  it.each([
    ['fifty', inRequest, false],
    ['one more', inRequest + 1, true],
  ])('is handed over again by the sweeper as long as it is not done: %s', async (_, count, isWatched) => {
    const { firm, store, receive, newCase, isFiling } = await office()
    const workspaceId = firm.workspace.id
    const [id, case_id] = [await receive({ attachments: files(count) }), await newCase()]
    const at = systemClock.now().toISOString()
    const by = { actor: { type: 'system' as const, id: null, name: 'Aktenlage' }, at }
    const watches = arrivalWatches(await sharedTable())
    const watched = async () =>
      (await allDue(watches)).filter((one) => one.id === id).map(({ sent_at }) => sent_at)
    await applyRule(store, workspaceId, id, (current) => ({
      record: { ...current, inbox: null, version: current.version + 1 },
    }))

    // As where the process dies right after the filing: no job is run.
    await applyRule(store, workspaceId, id, (current) => {
      const change = assigned(current, { case_id }, by)
      return change && { ...change, jobs: [] }
    })
    const [noted, before] = [await isFiling(id), await watched()]
    await applyRule(store, workspaceId, id, ({ filing: _, ...current }) => ({
      record: { ...current, version: current.version + 1 },
    }))

    expect([noted, before]).toEqual([isWatched, isWatched ? [at] : []])
    expect([await isFiling(id), await watched()]).toEqual([false, []])
  })
})
