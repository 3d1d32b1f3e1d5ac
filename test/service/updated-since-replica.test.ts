import { expect, it, vi } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Answer, Api } from '#test/support/api.ts'
import { type ChangedItem, walkChanges } from '#test/support/changes.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { settled, upload } from '#test/support/documents.ts'
import { newAddress, send as sendMail } from '#test/support/sent-mail.ts'

/** A replica that is built from `updated_since` alone equals the lists, however they are changed meanwhile (G16). */

const changesPerWriter = 170
const writers = 6

/**
 * `as_of` lags by a minute, for writes that take long. Of lists that only requests change it is known here when the oldest
 * one began, so less is read again. Documents and correspondence are changed by workers too, and wait for no request.
 */
const lagMilliseconds = 60_000
const slackMilliseconds = 5_000
const ofRequestsAlone = (list: string) => !/^(documents|correspondence)/.test(list)

const pick = <Item>(items: readonly Item[]): Item | undefined =>
  items[Math.floor(Math.random() * items.length)]
const anyOf = <Item>(first: Item, ...others: Item[]): Item => pick([first, ...others]) ?? first
const anyDay = () => `2031-0${anyOf(3, 4, 5)}-${anyOf('03', '12', '21', '28')}`

it('equals the lists after a thousand changes by several writers, read in pages of any size', async () => {
  // Prepare
  const { firm, caseId, colleague, verify, complete } = await newDeadlineFirm()
  const { owner } = firm
  const start = new Date(epochMilliseconds() - 1_000).toISOString()
  const running = new Set<number>()
  const call = async (work: () => Promise<Answer>): Promise<Answer> => {
    const began = epochMilliseconds() + Math.random() / 2
    running.add(began)
    const answer = await work().finally(() => running.delete(began))
    // A record that another writer has deleted is 404, a record that it has ended is 409.
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
    return answer
  }
  const ask = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object, by: Api = owner) =>
    call(() => by(method, `/api/v1${path}`, body && { body }))

  const known = { parties: [''], cases: [caseId], documents: [''], deadlines: [''], events: [''] }
  const created = async (kind: keyof typeof known, work: Promise<Answer>) => {
    const { status, body } = await work
    if (status === 201) known[kind].push(body.id)
  }
  const one = (kind: keyof typeof known) => pick(known[kind].slice(1)) ?? caseId
  const users = [firm.ownerUser.id, colleague.user.id]
  const name = () => `${anyOf('Meier', 'Schulze', 'Yılmaz')} ${anyOf('GmbH', 'und Söhne', '')}`

  const changes: (() => Promise<unknown>)[] = [
    () =>
      created('parties', ask('POST', '/parties', { name: name(), type: anyOf('person', 'organization') })),
    () => ask('PUT', `/parties/${one('parties')}`, { name: name() }),
    () => ask('PUT', `/parties/${one('parties')}`, { type: anyOf('person', 'organization') }),
    () => ask('DELETE', `/parties/${one('parties')}`),
    () => created('cases', ask('POST', '/cases', { name: name() })),
    () => ask('PUT', `/cases/${one('cases')}`, { status: anyOf('active', 'closed', 'archived') }),
    () => ask('PUT', `/cases/${one('cases')}`, { name: name() }),
    () => ask('POST', `/cases/${one('cases')}/parties`, { parties: [{ name: 'Neu', role: 'client' }] }),
    () => (known.cases.length < 8 ? Promise.resolve() : ask('DELETE', `/cases/${one('cases')}`)),
    () =>
      created(
        'deadlines',
        ask('POST', '/deadlines', {
          title: name(),
          case_id: caseId,
          due_at: anyDay(),
          create_vorfrist: anyOf(true, false),
          assigned_to: pick(users),
        }),
      ),
    () => ask('PATCH', `/deadlines/${one('deadlines')}`, { due_at: anyDay() }),
    () => ask('PATCH', `/deadlines/${one('deadlines')}`, { title: name(), assigned_to: pick(users) }),
    () => call(() => verify(one('deadlines'))),
    () => call(() => complete(one('deadlines'))),
    () => ask('DELETE', `/deadlines/${one('deadlines')}`, { reason: 'Versehen' }),
    () => {
      const day = anyDay()
      const times = { start: `${day}T10:00:00Z`, end: `${day}T11:00:00Z` }
      const type = anyOf('event', 'meeting')
      const attendees = [pick(users)]
      return created(
        'events',
        ask('POST', '/events', { title: name(), ...times, type, attendees, allow_conflict: true }),
      )
    },
    () => ask('PATCH', `/events/${one('events')}`, { title: name(), type: anyOf('event', 'meeting') }),
    () => {
      const day = anyDay()
      const times = { start: `${day}T10:00:00Z`, end: `${day}T11:00:00Z` }
      return ask('PATCH', `/events/${one('events')}`, { ...times, allow_conflict: true })
    },
    () => ask('DELETE', `/events/${one('events')}`),
    () =>
      created(
        'documents',
        call(() => upload(owner, anyOf({}, { bytes: anyOf('Zweimal.', 'Mehrmals.') }))),
      ),
    () => ask('PATCH', `/documents/${one('documents')}`, { filename: `${name()}.txt` }),
    () => ask('POST', `/documents/${one('documents')}/assign`, { case_id: anyOf(caseId, null) }),
    () => ask('POST', `/documents/${one('documents')}/assign`, { party_ids: [one('parties')] }),
    () => ask('DELETE', `/documents/${one('documents')}`),
    () => call(() => sendMail(owner, { to: [newAddress()], ...anyOf({}, { case_id: caseId }) })),
  ]

  const views = [
    'parties?',
    'parties?type=organization',
    'parties?search=meier',
    'parties?search=meier&type=person',
    'cases?',
    'cases?status=active',
    'cases?search=schulze',
    'deadlines?from=2030-01-01',
    `deadlines?assigned_to=${colleague.user.id}`,
    'deadlines?status=verified',
    'deadlines?from=2031-04-01&to=2031-04-30',
    'events?',
    'events?type=meeting',
    `events?attendee=${firm.ownerUser.id}&from=2031-04-01&to=2031-05-12`,
    'documents?',
    `documents?case_id=${caseId}`,
    'documents?status=processed',
    'correspondence?',
    `correspondence?case_id=${caseId}`,
  ].map((list) => ({ list, since: start, polls: 0, items: new Map<string, ChangedItem>() }))

  const poll = async (view: (typeof views)[number]) => {
    const inFlight = Math.min(...running, epochMilliseconds())
    const limit = anyOf(1, 3, 7, 20, 50, 100)
    const [path = '', filters] = view.list.split('?')
    const { data, as_of } = await walkChanges(
      owner,
      path,
      `${filters}&limit=${limit}&updated_since=${view.since}`,
    )
    for (const item of data) {
      if (item.deleted_at === undefined) view.items.set(item.id, item)
      else view.items.delete(item.id)
    }
    const next = ofRequestsAlone(path)
      ? Math.min(inFlight, Date.parse(as_of) + lagMilliseconds) - slackMilliseconds
      : Date.parse(as_of)
    view.since = new Date(Math.max(next, Date.parse(start))).toISOString()
    view.polls += 1
  }

  /** The records that every filter finds. Chance may have emptied a list, and then nothing would be compared. */
  const inEveryList = async () => {
    await ask('POST', '/parties', { name: 'Meier', type: 'person' })
    await ask('POST', '/parties', { name: 'Schulze', type: 'organization' })
    await ask('POST', '/cases', { name: 'Schulze' })
    const times = { start: '2031-04-03T10:00:00Z', end: '2031-04-03T11:00:00Z', allow_conflict: true }
    await ask('POST', '/events', { ...times, title: 'Termin', type: 'meeting', attendees: users })
    const due = { title: 'Berufung', case_id: caseId, due_at: '2031-04-12', assigned_to: colleague.user.id }
    await verify((await ask('POST', '/deadlines', due)).body.id)
    await call(() => upload(owner, {}, { case_id: caseId }))
    await call(() => sendMail(owner, { to: [newAddress()], case_id: caseId }))
  }

  // Act
  let left = writers
  const write = async () => {
    for (let made = 0; made < changesPerWriter; made += 1) await pick(changes)?.()
    left -= 1
  }
  const follow = async () => {
    while (left > 0) for (const view of views) if (left > 0) await poll(view)
  }
  await Promise.all([...Array.from({ length: writers }, write), follow()])
  await inEveryList()
  for (const { id, status } of (await walk(owner, 'documents?')).values())
    if (status === 'pending') await settled(owner, id)

  // Assess: a delivery may still be reported between the two reads, but what is missed now is missed for good.
  const compared = async () => {
    for (const view of views) {
      await poll(view)
      expect([view.list, sorted(view.items)]).toEqual([view.list, sorted(await walk(owner, view.list))])
    }
  }
  await vi.waitFor(compared, { timeout: 180_000, interval: 2_000 })
  expect(Math.min(...views.map(({ polls }) => polls))).toBeGreaterThan(1)
  expect(Math.min(...views.map(({ items }) => items.size))).toBeGreaterThan(0)
}, 600_000)

/** Everything that a list shows now. */
async function walk(api: Api, list: string): Promise<Map<string, ChangedItem>> {
  const items = new Map<string, ChangedItem>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api('GET', `/api/v1/${list}&limit=100${cursor && `&cursor=${cursor}`}`)
    for (const item of body.data) items.set(item.id, item)
    cursor = body.pagination.cursor
  }
  return items
}

const sorted = (items: Map<string, ChangedItem>) =>
  [...items.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
