import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allEndpoints } from '#functions/manifest.ts'
import { isCredential } from '#http/access.ts'
import { upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { allFixtures, type Given, given, pathWithQuery } from '#test/support/fixture.ts'
import { markedBody } from '#test/support/marked-body.ts'
import { disposeOf, untilErased } from '#test/support/run-disposals.ts'
import { shapeOf } from '#test/support/shape-of.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/**
 * A case with a marked word in every text field that an endpoint declares in its input. A noun or a field that is added
 * later is filled as well, and its words must be gone after the disposal.
 */

/** The functions whose data is the firm's own and stays. */
const ownOfFirm = new Map(
  Object.entries({
    workspace: 'users, keys and settings of the firm',
    webhooks: 'endpoints of other systems',
    exports: 'configurations; their files go with the case',
    sync: 'accounts of calendar servers',
    bea: 'accounts of postboxes, and rights to them',
  }),
)

/** The requests that are not sent, and why. */
const notSent = new Map(
  Object.entries({
    eraseParty: 'the party is erased at the end',
    answerBeaEeb: 'without a network it stays under way',
    sendBeaDraft: 'without a network it stays under way',
    resolveBeaDraft: 'its draft was sent, without a network',
    resolveBeaEeb: 'its receipt was sent, without a network',
    announceUpload: 'its bytes never arrive',
  }),
)

const writing = allEndpoints.filter(
  ({ endpoint, operation, function: { name } }) =>
    endpoint.method !== 'GET' &&
    endpoint.body !== undefined &&
    endpoint.encodings.includes('json') &&
    endpoint.access !== 'public' &&
    !isCredential(endpoint.access) &&
    !ownOfFirm.has(name) &&
    !notSent.has(operation),
)

let caldav: Awaited<ReturnType<typeof startToyCaldav>>
beforeAll(async () => {
  caldav = await startToyCaldav()
})
afterAll(() => caldav.stop())

/** Sends every request for one case and one party. @returns the words by their fields, and the refusals */
async function fill(firm: Firm) {
  const { owner } = firm
  const words = new Map<string, string>()
  const refused: string[] = []
  const post = async (path: string, body: object) => (await owner('POST', `/api/v1/${path}`, { body })).body
  const case_id = (await post('cases', { name: 'Markiert' })).id as string
  const party = await post('parties', { name: 'Zwxmeier Quvanna', email: 'quvanna@zwxmeier.example' })
  await post(`cases/${case_id}/parties`, [{ id: party.id, role: 'Mandantin', side: 'client' }])
  const fixtures = await allFixtures()
  const plain = given(firm, caldav.url)
  for (const { operation, endpoint } of writing) {
    let asked = 0
    const here: Given = {
      ...plain,
      // A second case of the same request is another one.
      makeCase: async () => (asked++ === 0 ? case_id : (await post('cases', { name: 'Nachbarsache' })).id),
      makeParty: async () => party.id,
      makeDocument: async () => (await upload(owner, undefined, { case_id })).body.id,
      makeFolder: async () => (await post('folders', { name: 'Ordner', case_id })).id,
      makeEvent: async () => {
        const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
        return (await post('events', { title: 'Termin', ...times, case_id, allow_conflict: true })).id
      },
      makeDeadline: async () => {
        const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
        return (await (await firm.colleague()).api('POST', '/api/v1/deadlines', { body })).body.id
      },
    }
    const wordFor = (field: string) => {
      const word = `zwx${words.size}q`
      words.set(word, `${operation}.${field}`)
      return word
    }
    // Some fields exclude each other: then only the fields of the example are sent.
    for (const withAbsent of [true, false]) {
      asked = 0
      const prepared = (await fixtures[operation]?.(here)) ?? {}
      const inCase = shapeOf(endpoint.body as never)?.case_id ? { case_id } : {}
      const example = { ...inCase, ...(endpoint.example.body as object | undefined), ...prepared.body }
      const body = markedBody(endpoint.body as never, example, wordFor, { withAbsent })
      const { status, body: answer } = await owner(endpoint.method, pathWithQuery(endpoint, prepared), {
        body,
      })
      if (status < 400) break
      if (!withAbsent) refused.push(`${operation} ${status} ${answer.error.code}`)
    }
  }
  return { case_id, party_id: party.id as string, words, refused }
}

/** Ends what must be ended before a case can be disposed of. */
async function endOpenWork({ owner }: Firm, case_id: string): Promise<void> {
  for (const { id, status } of (await owner('GET', `/api/v1/signing/envelopes?case_id=${case_id}&limit=100`))
    .body.data)
    if (status === 'draft') await owner('DELETE', `/api/v1/signing/envelopes/${id}`)
    else await owner('POST', `/api/v1/signing/envelopes/${id}/void`, { body: { reason: 'Erledigt' } })
  for (const { id } of (await owner('GET', '/api/v1/email/outbound/drafts?limit=100')).body.data)
    await owner('DELETE', `/api/v1/email/outbound/drafts/${id}`)
  for (const { id } of (await owner('GET', `/api/v1/invoices?case_id=${case_id}&status=draft&limit=100`)).body
    .data)
    await owner('DELETE', `/api/v1/invoices/${id}`)
  for (const { id } of (await owner('GET', `/api/v1/deadlines?case_id=${case_id}&limit=100`)).body.data)
    await owner('DELETE', `/api/v1/deadlines/${id}`, { body: { reason: 'Erledigt' } })
  for (const { id } of (await owner('GET', '/api/v1/bea/drafts?limit=100')).body.data)
    await owner('DELETE', `/api/v1/bea/drafts/${id}`)
  for (const { id } of (await owner('GET', `/api/v1/cases/${case_id}/holds?limit=100`)).body.data)
    await owner('DELETE', `/api/v1/cases/${case_id}/holds/${id}`, { body: { reason: 'Erledigt' } })
}

/** The fields whose words may stay, and why. */
const kept: [RegExp, string][] = [
  [/^createCase\./, 'another case, which is open'],
  [
    /^updateCase\.file_number$/,
    'the file number is never given out again (R3), and stands in the certificate (R4)',
  ],
  [/^signDeadlineRegister\./, 'the register of a day belongs to the firm'],
]

describe('the disposal of a case whose fields are full of marked words', () => {
  it('leaves none of the words if its parties are erased, too', async () => {
    const firm = await newFirm()
    const { owner, workspace } = firm
    const { case_id, words, refused } = await fill(firm)
    const fieldOf = (place: string) => words.get(place.split(':')[0] ?? '') ?? ''
    const filled = await placesOf(workspace.id, [...words.keys()])
    await endOpenWork(firm, case_id)
    await closeLongAgo(firm, case_id)

    await disposeOf(firm, case_id)
    for (const { id } of (await owner('GET', '/api/v1/parties?limit=100')).body.data) {
      expect((await owner('POST', `/api/v1/parties/${id}/erase`)).status).toBe(200)
      await untilErased(firm, id)
    }

    const left = await placesOf(workspace.id, [...words.keys()])
    expect(refused).toEqual([])
    expect(new Set(filled.map(fieldOf)).size).toBeGreaterThan(70)
    const unexpected = left.filter((place) => !kept.some(([field]) => field.test(fieldOf(place))))
    expect(unexpected.map((place) => `${fieldOf(place)} ${place}`)).toEqual([])
  }, 400_000)
})
