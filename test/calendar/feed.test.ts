import { expect, it } from 'vitest'
import { feedService } from '#calendar/feed.ts'
import type { CalendarItem, CalendarStore, IcalTokenStore } from '#calendar/ports.ts'

const now = new Date('2026-03-16T08:30:00.000Z')
const inDays = (days: number, hour = 9) => new Date(Date.UTC(2026, 2, 16 + days, hour)).toISOString()
const common = { created_by: 'usr_1', created_at: inDays(0), updated_at: inDays(0), version: 1 }
const event = (number: number, day: number): CalendarItem => ({
  kind: 'event',
  record: {
    ...common,
    workspace_id: 'ws_1',
    id: `evt_${number}`,
    title: `Tag ${day}`,
    type: 'event',
    starts_at: inDays(day, 9),
    ends_at: inDays(day, 10),
    all_day: false,
    first_day: null,
    last_day: null,
    case_id: null,
    location: null,
    description: null,
    attendees: [],
    deleted_at: null,
  },
})
const deadline: CalendarItem = {
  kind: 'deadline',
  record: {
    ...common,
    id: 'evt_frist',
    title: 'Berufung',
    frist_type: 'hauptfrist',
    case_id: 'case',
    case_deleted_at: null,
    due_at: inDays(700),
    assigned_to: 'usr_1',
    verified_at: null,
    completed_at: null,
    category: 'other',
  },
}

it('a feed with too many entries leaves out past ones, and keeps what is to come', async () => {
  const events = Array.from({ length: 5_010 }, (_, number) => event(number, (number % 750) - 60))
  const startOf = (item: CalendarItem) => (item.kind === 'event' ? item.record.starts_at : item.record.due_at)
  const items = [deadline, ...events.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1))]
  const ofUser: CalendarStore['ofUser'] = async (_, __, { start, end }, limit) =>
    items.filter((item) => startOf(item) >= start && startOf(item) < end).slice(0, limit)
  const { feed } = feedService({
    store: { ofUser },
    tokens: {} as IcalTokenStore,
    users: { find: async () => undefined },
    keys: { hasScope: async () => true },
    workspaces: {
      find: async (id) => ({ id, name: 'Kanzlei', time_zone: 'Europe/Berlin', holiday_region: 'DE-BE' }),
    },
    cases: { titles: async () => new Map() },
    clock: { now: () => now },
  })

  const text = await feed({ workspace_id: 'ws_1', user_id: 'usr_1', user_name: 'Jana Vogt' })

  const summaries = text.split('\r\n').filter((line) => line.startsWith('SUMMARY:'))
  const toCome = events.filter((item) => startOf(item) >= inDays(0, 0))
  expect(summaries).toHaveLength(5_000)
  expect(summaries[0]).toBe('SUMMARY:Frist: Berufung')
  expect(summaries.filter((line) => !line.includes('Tag -'))).toHaveLength(toCome.length + 1)
})
