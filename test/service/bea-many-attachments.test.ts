import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { beaOffice } from '#test/support/bea-office.ts'
import { remoteAttachment } from '#test/support/bea-remote.ts'
import { newFirm } from '#test/support/firm.ts'

/** Messages with many attachments that are filed (B6): a worker makes their documents in pieces that finish. */

const files = (count: number, content = (at: number) => `Anlage Nummer ${at}`) =>
  Array.from({ length: count }, (_, at) => remoteAttachment(`Anlage_${at}.bin`, content(at)))

async function office() {
  const firm = await newFirm()
  const { receive } = await beaOffice(firm)
  const { owner } = firm
  const newCase = async (): Promise<string> =>
    (await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })).body.id
  /** The names of all documents of a case. */
  const namesIn = async (caseId: string): Promise<string[]> => {
    const names: string[] = []
    for (let cursor = ''; ; ) {
      const path = `/api/v1/documents?case_id=${caseId}&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const { body } = await owner('GET', path)
      names.push(...body.data.map(({ filename }: { filename: string }) => filename))
      cursor = body.pagination.cursor ?? ''
      if (cursor === '') return names
    }
  }
  const has = async (caseId: string, count: number) => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if ((await namesIn(caseId)).length >= count) return
      await sleep(300)
    }
  }
  return {
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
    ['more than a request makes', 120, undefined],
    ['one more than a request makes', 51, undefined],
    ['the same bytes in each', 70, () => 'gleich'],
  ])(
    'has each in the case once: %s',
    async (_, count, content) => {
      const { receive, newCase, assign, has, namesIn, timeline } = await office()
      const [id, caseId] = [await receive({ attachments: files(count, content) }), await newCase()]

      const answer = await assign(id, caseId)
      await has(caseId, count)

      expect(answer.status).toBe(200)
      expect((await namesIn(caseId)).toSorted()).toEqual(expected(count))
      expect((await timeline(caseId)).filter((type: string) => type === 'bea.filed')).toHaveLength(1)
    },
    240_000,
  )

  it('by two callers at once, and then into another case meanwhile, has each there once and none in the first', async () => {
    const { receive, newCase, assign, has, namesIn } = await office()
    const id = await receive({ attachments: files(80) })
    const [first, second] = [await newCase(), await newCase()]

    await Promise.all([assign(id, first), assign(id, first)])
    await has(first, 1)
    await assign(id, second)
    await has(second, 80)

    expect((await namesIn(second)).toSorted()).toEqual(expected(80))
    expect(await namesIn(first)).toEqual([])
  }, 240_000)
})
