import { beforeAll, describe, expect, it, vi } from 'vitest'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import type { Api } from '#test/support/api.ts'
import { deliver, judged } from '#test/support/arriving-mail.ts'
import { walkChanges } from '#test/support/changes.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send as sendMail } from '#test/support/sent-mail.ts'

let firm: Firm
let start: string
beforeAll(async () => {
  start = systemClock.now().toISOString()
  firm = await newFirm()
})

const send = async (api: Api, method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const answer = await api(method, `/api/v1${path}`, body && { body })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

const lists = ['parties', 'cases', 'documents', 'deadlines', 'events', 'calendar/events', 'correspondence']

const since = async (api: Api, list: string, query = '') =>
  (await walkChanges(api, list, `updated_since=${start}${query}`)).data

describe('updated_since', () => {
  it.each([
    ['no zone', '2026-11-22T10:00:00'],
    ['a day', '2026-11-22'],
    ['a time to come', new Date(epochMilliseconds() + 3_600_000).toISOString()],
    ['more than a year ago', new Date(epochMilliseconds() - 367 * 86_400_000).toISOString()],
    ['a thousand years ago', '1026-11-22T10:00:00Z'],
    ['nothing', ''],
  ])('is refused with %s', async (_, at) => {
    const answers = await Promise.all(
      lists.map((list) => firm.owner('GET', `/api/v1/${list}?updated_since=${encodeURIComponent(at)}`)),
    )

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [400, 'VALIDATION_ERROR']),
    )
  })

  it('takes a time of just less than a year ago, and with another offset', async () => {
    const at = new Date(epochMilliseconds() - 364 * 86_400_000).toISOString()

    const answers = await Promise.all([
      firm.owner('GET', `/api/v1/parties?updated_since=${at}`),
      firm.owner('GET', `/api/v1/parties?updated_since=${encodeURIComponent(at.replace('Z', '+01:00'))}`),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('answers as_of, which is in the past and the same on every page; without it a list has none', async () => {
    const { owner } = await newFirm()
    for (const name of ['A', 'B', 'C']) await send(owner, 'POST', '/parties', { name })

    const { pages } = await walkChanges(owner, 'parties', `updated_since=${start}&limit=1`)
    const list = await owner('GET', '/api/v1/parties')

    expect(pages.map(({ data }) => data.length)).toEqual([1, 1, 1])
    expect(new Set(pages.map(({ as_of }) => as_of)).size).toBe(1)
    expect(Date.parse(pages[0]?.as_of ?? '')).toBeLessThan(epochMilliseconds())
    expect(Object.keys(list.body)).toEqual(['data', 'pagination'])
  })

  it('refuses a cursor with another time, and one of the plain list', async () => {
    const { owner } = await newFirm()
    for (const name of ['A', 'B']) await send(owner, 'POST', '/parties', { name })
    const changes = await owner('GET', `/api/v1/parties?updated_since=${start}&limit=1`)
    const list = await owner('GET', '/api/v1/parties?limit=1')

    const answers = await Promise.all([
      owner('GET', `/api/v1/parties?cursor=${changes.body.pagination.cursor}`),
      owner('GET', `/api/v1/parties?updated_since=${start}&cursor=${list.body.pagination.cursor}`),
      owner(
        'GET',
        `/api/v1/parties?updated_since=${new Date(Date.parse(start) - 1_000).toISOString()}&cursor=${changes.body.pagination.cursor}`,
      ),
    ])

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  })
})

describe('parties', () => {
  it('created, changed and deleted since are shown once each, the oldest change first', async () => {
    const { owner } = await newFirm()
    const [first, second, third] = [
      await send(owner, 'POST', '/parties', { name: 'Erste' }),
      await send(owner, 'POST', '/parties', { name: 'Zweite' }),
      await send(owner, 'POST', '/parties', { name: 'Dritte' }),
    ]
    await send(owner, 'DELETE', `/parties/${second.id}`)
    const changed = await send(owner, 'PUT', `/parties/${first.id}`, { phone: '+49 30 1' })

    expect(await since(owner, 'parties')).toEqual([
      third,
      { id: second.id, deleted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
      changed,
    ])
  })

  it('that leave a filter or a search are shown as deleted there, and others not at all', async () => {
    const { owner } = await newFirm()
    const leaving = await send(owner, 'POST', '/parties', { name: 'Meier', type: 'organization' })
    const renamed = await send(owner, 'POST', '/parties', { name: 'Meier Zwei', type: 'organization' })
    const other = await send(owner, 'POST', '/parties', { name: 'Andere' })
    await send(owner, 'PUT', `/parties/${leaving.id}`, { type: 'person' })
    await send(owner, 'PUT', `/parties/${renamed.id}`, { name: 'Schulze' })
    await send(owner, 'PUT', `/parties/${other.id}`, { name: 'Ganz andere' })
    await send(owner, 'PUT', `/parties/${leaving.id}`, { phone: '1' })

    const gone = (record: { id: string }) => ({ id: record.id, deleted_at: expect.any(String) })
    expect(await since(owner, 'parties', '&type=organization')).toEqual([
      gone(leaving),
      expect.objectContaining({ id: renamed.id, name: 'Schulze' }),
    ])
    // The earlier name is not kept, so the record may have been in the search.
    expect(await since(owner, 'parties', '&search=quitzdorf&type=organization')).toEqual([gone(renamed)])
    expect(await since(owner, 'parties', '&search=meier&type=organization')).toEqual([
      gone(leaving),
      gone(renamed),
    ])
  })

  it('of another firm are not shown', async () => {
    const [{ owner }, stranger] = [await newFirm(), await newFirm()]
    await send(owner, 'POST', '/parties', { name: 'Unsere' })

    expect(await since(stranger.owner, 'parties')).toEqual([])
  })
})

describe('cases', () => {
  it('are shown when they, their parties or their staff change, and when they are deleted', async () => {
    const { owner, ownerUser } = await newFirm()
    const open = (name: string) => send(owner, 'POST', '/cases', { name })
    const [named, staffed, deleted, still] = [
      await open('Mit Partei'),
      await open('Mit Bearbeiter'),
      await open('Gelöscht'),
      await open('Unverändert'),
    ]
    await send(owner, 'DELETE', `/cases/${deleted.id}`)
    await send(owner, 'POST', `/cases/${staffed.id}/staff`, { staff: [{ id: ownerUser.id, role: 'RA' }] })
    await send(owner, 'POST', `/cases/${named.id}/parties`, { parties: [{ name: 'Meier', role: 'client' }] })

    const changes = await since(owner, 'cases')

    const list = (await owner('GET', '/api/v1/cases')).body.data
    const shown = (id: string) => list.find((one: { id: string }) => one.id === id)
    expect(changes).toEqual([
      shown(still.id),
      { id: deleted.id, deleted_at: expect.any(String) },
      shown(staffed.id),
      shown(named.id),
    ])
  })

  it('that are closed leave the list of active ones', async () => {
    const { owner } = await newFirm()
    const { id } = await send(owner, 'POST', '/cases', { name: 'Bald zu' })
    await send(owner, 'PUT', `/cases/${id}`, { status: 'closed' })

    expect(await since(owner, 'cases', '&status=active')).toEqual([{ id, deleted_at: expect.any(String) }])
    expect(await since(owner, 'cases', '&status=closed')).toMatchObject([{ id, status: 'closed' }])
    expect(await since(owner, 'cases', '&status=archived')).toEqual([])
  })
})

describe('documents', () => {
  it('are shown when they are read by a worker, assigned, filed and deleted', async () => {
    const { owner } = await newFirm()
    const { id: caseId } = await send(owner, 'POST', '/cases', { name: 'Akte' })
    const uploads = await Promise.all([upload(owner), upload(owner), upload(owner)])
    const [assigned = '', deleted = '', read = ''] = await Promise.all(
      uploads.map(async ({ body }) => (await settled(owner, body.id)).id as string),
    )
    await send(owner, 'POST', `/documents/${assigned}/assign`, { case_id: caseId })
    await send(owner, 'DELETE', `/documents/${deleted}`)

    const all = await since(owner, 'documents')

    const shown = async (id: string) => (await owner('GET', `/api/v1/documents/${id}`)).body
    expect(all).toEqual([
      await shown(read),
      await shown(assigned),
      { id: deleted, deleted_at: expect.any(String) },
    ])
    expect(all[0]).toMatchObject({ status: 'processed' })
    expect(await since(owner, 'documents', `&case_id=${caseId}`)).toEqual([await shown(assigned)])
    expect((await since(owner, 'documents', '&status=pending')).map(({ id }) => id).toSorted()).toEqual(
      [assigned, deleted, read].toSorted(),
    )
  })

  it('are shown when another with the same bytes comes or is deleted, since they name it', async () => {
    const { owner } = await newFirm()
    const sameBytes = async () => {
      const { id } = (await upload(owner, { bytes: 'Dreimal dasselbe.' })).body
      return (await settled(owner, id)).id as string
    }
    const [first, second] = [await sameBytes(), await sameBytes()]
    const changed = async (work: () => Promise<unknown>) => {
      const before = systemClock.now().toISOString()
      await work()
      const { data } = await walkChanges(owner, 'documents', `updated_since=${before}`)
      return data.filter(({ id }) => id === first || id === second).map((one) => one.duplicate_of)
    }
    let third = ''

    const added = await changed(async () => {
      third = await sameBytes()
    })
    const removed = await changed(() => send(owner, 'DELETE', `/documents/${third}`))

    expect(added.toSorted()).toEqual([[second, third].toSorted(), [first, third].toSorted()].toSorted())
    expect(removed.toSorted()).toEqual([[first], [second]].toSorted())
  })

  it('are shown when a party that they name gets another name', async () => {
    const { owner } = await newFirm()
    const [named, former] = [
      await send(owner, 'POST', '/parties', { name: 'Meier' }),
      await send(owner, 'POST', '/parties', { name: 'Schulze' }),
    ]
    const [one, other] = await Promise.all([
      upload(owner, {}, { party_ids: named.id }),
      upload(owner, {}, { party_ids: former.id }),
    ])
    await Promise.all([settled(owner, one.body.id), settled(owner, other.body.id)])
    await send(owner, 'POST', `/documents/${other.body.id}/assign`, { party_ids: [named.id] })
    await send(owner, 'POST', `/documents/${other.body.id}/assign`, { party_ids: [former.id] })
    const before = systemClock.now().toISOString()

    await send(owner, 'PUT', `/parties/${named.id}`, { name: 'Maier' })

    const { data } = await walkChanges(owner, 'documents', `updated_since=${before}`)
    expect(data).toMatchObject([{ id: one.body.id, parties: [{ id: named.id, name: 'Maier' }] }])
  })

  it('that one envelope puts into its case are shown, up to twenty at once', async () => {
    const { owner } = await newFirm()
    const { id: caseId } = await send(owner, 'POST', '/cases', { name: 'Akte' })
    const uploads = await Promise.all(Array.from({ length: 20 }, () => upload(owner)))
    const ids: string[] = uploads.map(({ body }) => body.id)
    await Promise.all(ids.map((id) => settled(owner, id)))
    const before = systemClock.now().toISOString()
    await send(owner, 'POST', `/cases/${caseId}/signing-envelopes`, {
      title: 'Vollmacht',
      document_ids: ids,
      signers: [{ name: 'Anna Meier', email: 'anna@example.de' }],
    })

    const { data } = await walkChanges(owner, 'documents', `updated_since=${before}&case_id=${caseId}`)

    expect(data.map(({ id, case_id }) => [id, case_id]).toSorted()).toEqual(
      ids.map((id) => [id, caseId]).toSorted(),
    )
  })
})

describe('deadlines', () => {
  it('are shown when they are verified, extended, completed, checked and struck', async () => {
    const { firm, entered, verify, complete, colleague } = await newDeadlineFirm()
    const [verified, extended, checked, struck, still] = [
      await entered({ title: 'A' }),
      await entered({ title: 'B', category: 'other' }),
      await entered({ title: 'C' }),
      await entered({ title: 'D' }),
      await entered({ title: 'E' }),
    ]
    const read = async (id: string) => (await firm.owner('GET', `/api/v1/deadlines/${id}`)).body
    await complete(checked.id)
    await send(firm.owner, 'DELETE', `/deadlines/${struck.id}`, { reason: 'Versehen' })
    await verify(verified.id)
    await send(colleague.api, 'POST', `/deadlines/${checked.id}/exit-control`)
    const requested = await send(firm.owner, 'POST', `/deadlines/${extended.id}/extension`, {
      requested_until: '2031-05-16T12:00:00Z',
    })

    const all = await since(firm.owner, 'deadlines')
    const provisional = requested.extension.provisional_id

    expect(
      all.filter(({ id }) => [verified, extended, checked, struck, still].some((one) => one.id === id)),
    ).toEqual([
      await read(still.id),
      { id: struck.id, deleted_at: expect.any(String) },
      await read(verified.id),
      await read(checked.id),
      await read(extended.id),
    ])
    expect(all.map(({ id }) => id)).toContain(provisional)
    expect(await since(firm.owner, 'deadlines', '&status=completed')).toEqual([await read(checked.id)])
  })

  it('are shown when their chain changes', async () => {
    const { firm, entered, read } = await newDeadlineFirm()
    const haupt = await entered({ title: 'Berufung', create_vorfrist: true })
    const vorfrist = haupt.chain.vorfrist
    const before = systemClock.now().toISOString()
    const nach = await entered({
      title: 'Nachfrist',
      frist_type: 'nachfrist',
      hauptfrist_id: haupt.id,
      due_at: '2031-05-16',
    })

    const joined = await walkChanges(firm.owner, 'deadlines', `updated_since=${before}`)
    const later = systemClock.now().toISOString()
    await send(firm.owner, 'DELETE', `/deadlines/${vorfrist}`, { reason: 'Unnötig' })
    const left = await walkChanges(firm.owner, 'deadlines', `updated_since=${later}`)

    const ids = (changes: { id: string }[]) => changes.map(({ id }) => id).toSorted()
    expect(ids(joined.data)).toEqual([haupt.id, vorfrist, nach.id].toSorted())
    expect(ids(left.data)).toEqual([haupt.id, vorfrist, nach.id].toSorted())
    expect(left.data.find(({ id }) => id === haupt.id)).toEqual(await read(haupt.id))
    expect(left.data.find(({ id }) => id === vorfrist)).toHaveProperty('deleted_at')
  })

  it('that get another assignee or due time leave the filters of the former ones', async () => {
    const { firm, entered, change, colleague } = await newDeadlineFirm()
    const passed = await entered({ title: 'A' })
    const moved = await entered({ title: 'B' })
    const other = await entered({ title: 'C', due_at: '2032-01-01' })
    await change(passed.id, { assigned_to: colleague.user.id })
    await change(moved.id, { due_at: '2031-06-16' })
    await change(other.id, { title: 'C geändert' })

    const gone = ({ id }: { id: string }) => ({ id, deleted_at: expect.any(String) })
    expect(await since(firm.owner, 'deadlines', `&assigned_to=${firm.ownerUser.id}&to=2031-12-31`)).toEqual([
      gone(passed),
      expect.objectContaining({ id: moved.id }),
    ])
    expect(await since(firm.owner, 'deadlines', '&from=2031-04-01&to=2031-04-30')).toEqual([
      expect.objectContaining({ id: passed.id }),
      gone(moved),
    ])
  })
})

describe('events', () => {
  const meeting = (at: string) => ({ title: 'Besprechung', start: `${at}T10:00:00Z`, end: `${at}T11:00:00Z` })

  it('and deadlines that were entered, moved or deleted are shown together, the oldest change first', async () => {
    const { firm, entered, change } = await newDeadlineFirm()
    const { owner } = firm
    const [moved, deleted] = [
      await send(owner, 'POST', '/events', meeting('2031-04-01')),
      await send(owner, 'POST', '/events', meeting('2031-04-02')),
    ]
    const deadline = await entered({ title: 'Berufung' })
    await send(owner, 'DELETE', `/events/${deleted.id}`)
    const now = await send(owner, 'PATCH', `/events/${moved.id}`, meeting('2031-05-01'))
    await change(deadline.id, { title: 'Revision' })

    const all = await since(owner, 'events')

    expect(all).toEqual([
      { id: deleted.id, deleted_at: expect.any(String) },
      now,
      (await owner('GET', `/api/v1/events/${deadline.id}`)).body,
    ])
    expect(await since(owner, 'calendar/events')).toEqual(all)
    expect(await since(owner, 'events', '&from=2031-04-01&to=2031-04-15')).toEqual([
      { id: deleted.id, deleted_at: expect.any(String) },
      { id: moved.id, deleted_at: expect.any(String) },
    ])
    expect(await since(owner, 'events', '&type=meeting')).toEqual([])
    expect(await since(owner, 'events', '&type=deadline')).toMatchObject([{ id: deadline.id }])
  })

  it('of a whole day are found by the days of the workspace', async () => {
    const { owner, ownerUser } = await newFirm()
    const { id } = await send(owner, 'POST', '/events', {
      title: 'Urlaub',
      start: '2031-04-01',
      end: '2031-04-03',
      all_day: true,
      attendees: [ownerUser.id],
    })

    const ids = async (query: string) => (await since(owner, 'events', query)).map((item) => item.id)
    expect(await ids('&from=2031-04-03&to=2031-04-03')).toEqual([id])
    expect(await ids('&from=2031-04-04')).toEqual([])
    expect(await ids(`&attendee=${ownerUser.id}&to=2031-04-01`)).toEqual([id])
  })
})

describe('correspondence', () => {
  /** By default, a check that takes longer than a second fails. */
  const unhurried = { timeout: 60_000, interval: 200 }

  it('is shown when it arrives, is filed and is sent, and leaves the list of a case that it leaves', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const [first, second] = [
      await send(owner, 'POST', '/cases', { name: 'Eins' }),
      await send(owner, 'POST', '/cases', { name: 'Zwei' }),
    ]
    const arrivedId = await deliver(firm)
    await judged(firm, arrivedId)
    await send(owner, 'POST', `/inbox/${arrivedId}/file`, { case_id: first.id })
    const sent = await sendMail(owner, { to: [newAddress()], case_id: second.id })
    // A walk leaves out a mail whose delivery is reported meanwhile; the next one shows it.
    await vi.waitFor(async () => {
      const filed = await since(owner, 'correspondence')
      expect(filed.map(({ id, case_id }) => [id, case_id])).toEqual([
        [arrivedId, first.id],
        [sent.body.id, second.id],
      ])
    }, unhurried)
    await send(owner, 'POST', `/inbox/${arrivedId}/file`, { case_id: second.id })

    expect(await since(owner, 'correspondence', `&case_id=${first.id}`)).toEqual([
      { id: arrivedId, deleted_at: expect.any(String) },
    ])
    // The delivery may be reported between the two reads.
    await vi.waitFor(async () => {
      const list = (await owner('GET', `/api/v1/correspondence?case_id=${second.id}`)).body.data
      const changes = await since(owner, 'correspondence', `&case_id=${second.id}`)
      expect(changes.toSorted(byId)).toEqual(list.toSorted(byId))
    }, unhurried)
  })
})

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
