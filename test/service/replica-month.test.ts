import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '#client/client.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { form } from '#test/support/documents.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { type Service, startService } from '#test/support/service.ts'

/** The tour "Keep a replica" of packages/http, followed for a month with the TypeScript client (G16). */

const day = 86_400_000

let service: Service
let office: Client
let second: Client
/** By how many milliseconds the service is ahead of the test. */
let passed = 0

const now = () => epochMilliseconds() + passed
const dayFromNow = (days: number) => new Date(now() + days * day).toISOString().slice(0, 10)

/** Moves the service's time forward. */
const pass = async (days: number) => {
  passed = Date.parse((await moveClock(service, `P${days}D`)).now) - epochMilliseconds()
}

beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'] })
  const [one, other] = service.credentials.workspaces[0]?.users ?? []
  office = createClient({ baseUrl: service.baseUrl, apiKey: one?.api_key })
  second = createClient({ baseUrl: service.baseUrl, apiKey: other?.api_key })
})
afterAll(async () => {
  await service.stop()
})

type Item = { id: string }
type Change = Item | { id: string; deleted_at: string }
type Query = { updated_since: string; limit?: number }
type Changes = Promise<{ data: Change[]; as_of: string }>

/** A list: how the whole of it is read, and how what has changed. */
type Source = { whole: () => AsyncIterable<Item>; changes: (query: Query) => Changes }

const sourcesOf = (caseId: string, userId: string): Record<string, Source> => ({
  cases: {
    whole: () => office.listCases.all(),
    changes: (query) => office.listCases.changes({ query }),
  },
  parties: {
    whole: () => office.listParties.all(),
    changes: (query) => office.listParties.changes({ query }),
  },
  documents: {
    whole: () => office.listDocuments.all(),
    changes: (query) => office.listDocuments.changes({ query }),
  },
  deadlines: {
    whole: () => office.listDeadlines.all({ query: { from: '1900-01-01' } }),
    changes: (query) => office.listDeadlines.changes({ query }),
  },
  'deadlines of a case': {
    whole: () => office.listDeadlines.all({ query: { from: '1900-01-01', case_id: caseId } }),
    changes: (query) => office.listDeadlines.changes({ query: { ...query, case_id: caseId } }),
  },
  'deadlines of a user up to the end of 2099': {
    whole: () =>
      office.listDeadlines.all({ query: { from: '1900-01-01', to: '2099-12-31', assigned_to: userId } }),
    changes: (query) =>
      office.listDeadlines.changes({ query: { ...query, to: '2099-12-31', assigned_to: userId } }),
  },
  events: {
    whole: () => office.listEvents.all(),
    changes: (query) => office.listEvents.changes({ query }),
  },
  correspondence: {
    whole: () => office.listCorrespondence.all(),
    changes: (query) => office.listCorrespondence.changes({ query }),
  },
})

/** A copy of a list, kept as the README says. */
async function replicaOf({ whole, changes }: Source) {
  const items = new Map<string, Item>()
  let { as_of } = await changes({ updated_since: new Date(now() - 3_600_000).toISOString(), limit: 1 })
  for await (const item of whole()) items.set(item.id, item)
  return {
    items,
    async update() {
      const changed = await changes({ updated_since: as_of })
      for (const item of changed.data) {
        if ('deleted_at' in item) items.delete(item.id)
        else items.set(item.id, item)
      }
      as_of = changed.as_of
    },
  }
}

async function itemsOf(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

/** The data that stays the same while only time passes. */
function lasting(items: Iterable<Item>): unknown[] {
  const timeless = (item: Item) => {
    const { overdue: _, status, ...rest } = item as Item & { overdue?: boolean; status?: string }
    return { ...rest, status: status === 'expired' ? 'pending' : status }
  }
  return [...items].map(timeless).toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

describe('a replica that follows the README', () => {
  it('equals all six lists on every day of a month on which it is brought up to date', async () => {
    // Prepare
    const { user } = await office.getMe()
    const { id: caseId } = await office.createCase({ body: { name: 'Weber ./. Land Berlin' } })
    const enter = (title: string, due_at: string, more: object = {}) =>
      office.createDeadline({ body: { title, case_id: caseId, due_at, ...more } })
    const upload = (name: string) =>
      office.uploadDocument({ body: form({ file: { bytes: `Schreiben ${name}`, filename: `${name}.txt` } }) })
    const meet = (title: string, date: string) =>
      office.createEvent({ body: { title, start: `${date}T10:00:00Z`, end: `${date}T11:00:00Z` } })
    const longOverdue = await enter('Seit einem Jahr versäumt', dayFromNow(-365))
    const soonDue = await enter('Bald fällig', dayFromNow(2), { create_vorfrist: true, vorfrist_days: 1 })
    const verified = await enter('Geprüft und dann versäumt', dayFromNow(3))
    await second.verifyDeadline({ params: { id: verified.id } })
    const typo = await enter('Mit Tippfehler', dayFromNow(300))
    const meeting = await meet('Besprechung', dayFromNow(1))
    const party = await office.createParty({ body: { name: 'Anna Meier' } })
    const scan = await upload('Scan')
    await pass(1)
    const replicas = new Map(
      await Promise.all(
        Object.entries(sourcesOf(caseId, user.id)).map(
          async ([name, source]) => [name, { source, replica: await replicaOf(source) }] as const,
        ),
      ),
    )

    const ofDay: Record<number, () => Promise<unknown>> = {
      2: () => office.updateDeadline({ params: { id: typo.id }, body: { due_at: dayFromNow(-40) } }),
      4: () => office.updateDeadline({ params: { id: soonDue.id }, body: { title: 'Versäumt, in Arbeit' } }),
      5: () => office.updateParty({ params: { id: party.id }, body: { name: 'Anna Maier' } }),
      7: () => enter('Nachgetragen', dayFromNow(-3)),
      8: () => office.updateDocument({ params: { id: scan.id }, body: { filename: 'Bescheid.txt' } }),
      10: () =>
        office.completeDeadline({
          params: { id: longOverdue.id },
          body: { evidence: { type: 'note', text: 'Erledigt.' } },
        }),
      12: () => office.deleteEvent({ params: { id: meeting.id } }),
      14: () => office.strikeDeadline({ params: { id: verified.id }, query: { reason: 'Versehen' } }),
      16: () => office.deleteDocument({ params: { id: scan.id } }),
      // On a day without a comparison: its delivery is reported later, before the clock is moved again.
      17: () =>
        office.sendMail({
          body: { to: ['anna@example.com'], subject: 'Stand', body_html: '<p>Guten Tag</p>' },
        }),
      20: () => office.updateDeadline({ params: { id: typo.id }, body: { due_at: dayFromNow(20) } }),
      22: () => office.updateDeadline({ params: { id: typo.id }, body: { due_at: dayFromNow(-1) } }),
      24: () => office.updateCase({ params: { id: caseId }, body: { status: 'closed' } }),
      26: () => office.deleteParty({ params: { id: party.id } }),
    }

    // Act and assess
    for (let today = 2; today <= 30; today += 1) {
      await pass(1)
      await ofDay[today]?.()
      await office.createCase({ body: { name: `Akte von Tag ${today}` } })
      await enter(`Frist von Tag ${today}`, dayFromNow(today % 4))
      await meet(`Termin von Tag ${today}`, dayFromNow(today % 3))
      // The copy is brought up to date every third day, and not for a week in the middle.
      if (today % 3 !== 0 || (today > 11 && today < 18)) continue
      for (const [name, { source, replica }] of replicas) {
        await replica.update()
        const whole = await itemsOf(source.whole())
        expect([today, name, lasting(replica.items.values())]).toEqual([today, name, lasting(whole)])
      }
    }
    const deadlines = replicas.get('deadlines')?.replica.items
    expect([...(deadlines?.keys() ?? [])]).toEqual(
      expect.arrayContaining([longOverdue.id, soonDue.id, soonDue.chain.vorfrist, typo.id]),
    )
    expect(deadlines?.has(verified.id)).toBe(false)
  })

  it('that began with overdue deadlines learns when one is completed, and shows no other as deleted', async () => {
    // Prepare
    const { id: caseId } = await office.createCase({ body: { name: 'Keller ./. Bergmann' } })
    const body = { title: 'Versäumt', case_id: caseId, due_at: dayFromNow(-10) }
    const [done, open] = [await office.createDeadline({ body }), await office.createDeadline({ body })]
    await pass(10)
    const since = new Date(now()).toISOString()
    // Act
    await office.completeDeadline({
      params: { id: done.id },
      body: { evidence: { type: 'note', text: 'Erledigt.' } },
    })
    await office.updateDeadline({ params: { id: open.id }, body: { title: 'Versäumt, gemeldet' } })
    // Assess
    const query = { updated_since: since, case_id: caseId }
    const { data } = await office.listDeadlines.changes({ query })
    const pending = await office.listDeadlines.changes({ query: { ...query, status: 'pending' } })
    expect(data).toMatchObject([
      { id: done.id, status: 'completed', overdue: false },
      { id: open.id, title: 'Versäumt, gemeldet', status: 'expired', overdue: true },
    ])
    expect(pending.data).toEqual([])
  })
})
