import ICAL from 'ical.js'
import { describe, expect, it } from 'vitest'
import type { FeedItem } from '#calendar/feed-items.ts'
import { icalendar } from '#calendar/icalendar.ts'
import fc from '#test/support/properties.ts'

const event = (changes = {}): FeedItem => ({
  kind: 'event',
  record: {
    workspace_id: 'ws_1',
    id: 'evt_1',
    title: 'Termin',
    type: 'event',
    starts_at: '2026-04-16T07:00:00.000Z',
    ends_at: '2026-04-16T08:30:00.000Z',
    all_day: false,
    first_day: null,
    last_day: null,
    case_id: null,
    location: null,
    description: null,
    attendees: [],
    created_by: 'usr_1',
    created_at: '2026-03-16T08:30:00.000Z',
    updated_at: '2026-03-17T08:30:00.000Z',
    deleted_at: null,
    version: 3,
    ...changes,
  },
})
const deadline = (changes: object): FeedItem => ({
  kind: 'deadline',
  record: {
    id: 'evt_2',
    title: 'Berufung',
    frist_type: 'hauptfrist',
    case_id: 'case',
    case_deleted_at: null,
    due_at: '2026-04-16T21:59:59.000Z',
    assigned_to: 'usr_1',
    created_by: 'usr_1',
    created_at: '2026-03-16T08:30:00.000Z',
    updated_at: '2026-03-17T08:30:00.000Z',
    verified_at: null,
    completed_at: null,
    category: 'other',
    version: 1,
    ...changes,
  },
  case: undefined,
  due_day: '2026-04-16',
})
const parse = (text: string) => new ICAL.Component(ICAL.parse(text))
const text = fc
  .string({ unit: 'grapheme', maxLength: 600 })
  .filter((value) => !/(?![\t\n])\p{Cc}/u.test(value))

describe('a calendar as RFC 5545 text', () => {
  it('keeps every text unchanged, in lines of up to 75 octets that end in CRLF', () => {
    fc.assert(
      fc.property(text, text, text, (title, location, description) => {
        const written = icalendar([event({ title, location, description })], { name: title })
        const calendar = parse(written)
        const read = calendar.getFirstSubcomponent('vevent')

        expect(read?.getFirstPropertyValue('summary')).toBe(title)
        expect(read?.getFirstPropertyValue('location') ?? '').toBe(location)
        expect(read?.getFirstPropertyValue('description') ?? '').toBe(description)
        for (const line of written.split('\r\n')) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
          expect(line).not.toMatch(/[\r\n]/)
          expect(line.isWellFormed()).toBe(true)
        }
        expect(written.endsWith('END:VCALENDAR\r\n')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('says of a Vorfrist and a Nachfrist that they are one, also if they have the title of the Hauptfrist', () => {
    const written = icalendar(
      [
        deadline({}),
        deadline({ frist_type: 'vorfrist' }),
        deadline({ frist_type: 'vorfrist', title: 'Vorfrist: Berufung' }),
        deadline({ frist_type: 'nachfrist', category: 'rechtsmittel' }),
        deadline({ frist_type: 'nachfrist', title: 'Nachfrist zur Stellungnahme' }),
      ],
      { name: 'Kalender' },
    )

    expect(written.match(/(?<=SUMMARY:).*(?=\r)/g)).toEqual([
      'Frist: Berufung',
      'Frist: Vorfrist: Berufung',
      'Frist: Vorfrist: Berufung',
      'RECHTSMITTELFRIST: Nachfrist: Berufung',
      'Frist: Nachfrist zur Stellungnahme',
    ])
  })

  it('ends early if it would be too long, and is still valid', () => {
    const items = Array.from({ length: 50 }, (_, n) => event({ id: `evt_${n}` }))

    const written = icalendar(items, { name: 'Kalender', maxBytes: 5_000 })

    expect(Buffer.byteLength(written)).toBeLessThan(5_100)
    expect(parse(written).getAllSubcomponents('vevent').length).toBeGreaterThan(5)
  })

  it('has a component even if there are no events, as RFC 5545 requires', () => {
    const calendar = parse(icalendar([], { name: 'Kalender' }))

    expect(calendar.getAllSubcomponents('vevent')).toEqual([])
    expect(calendar.getAllSubcomponents()).toHaveLength(1)
  })

  it('is the same for the same items', () => {
    expect(icalendar([event()], { name: 'Kalender' })).toBe(icalendar([event()], { name: 'Kalender' }))
  })
})
