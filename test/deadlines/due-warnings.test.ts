import { expect, it } from 'vitest'
import type { Basis } from '#deadlines/basis-schema.ts'
import { dueWarnings, eventWarnings } from '#deadlines/due-warnings.ts'

const basis: Basis = {
  preset: null,
  name: null,
  statute: null,
  notfrist: false,
  extendable: null,
  event_date: null,
  posted_on: null,
  event_at: null,
  pronounced_on: null,
  missed_on: null,
  announced_on: null,
  period: { unit: 'month', count: 1 },
  direction: 'forward',
  region: 'DE-BE',
  region_source: 'request',
  calculated_date: '2031-04-17',
  due_date: '2031-04-17',
  steps: [],
  warnings: [],
}
const warningsAt = (now: string, dates: Partial<Basis>) =>
  eventWarnings({ ...basis, ...dates }, { timeZone: 'Europe/Berlin', now: new Date(now) })

it.each([
  [{ event_date: '2031-03-17' }, 'Das Ereignis'],
  [{ event_at: '2031-03-17T00:00:00+01:00' }, 'Das Ereignis'],
  [{ posted_on: '2031-03-17' }, 'Die Aufgabe zur Post'],
  [{ pronounced_on: '2031-03-17' }, 'Die Verkündung'],
  [{ missed_on: '2031-03-17' }, 'Das Ende der versäumten Frist'],
  [{ announced_on: '2031-03-17' }, 'Die Bekanntgabe'],
])('%j is in the future until that day has begun in the firm', (dates, name) => {
  const warning = `${name} (Montag, 17.03.2031) liegt in der Zukunft: Das Jahr ist zu prüfen.`

  expect(warningsAt('2031-03-16T22:59:59.999Z', dates)).toEqual([warning])
  expect(warningsAt('2031-03-16T23:00:00.000Z', dates)).toEqual([])
})

it.each([
  ['2040-12-31', []],
  [
    '2041-01-02',
    [
      'Die Hauptfrist (Mittwoch, 02.01.2041) liegt nach den Jahren 2017 bis 2040, für die Feiertage hinterlegt sind: Ob dieser Tag arbeitsfrei ist, muss geprüft werden.',
    ],
  ],
])('a deadline that is due on %s has the warnings %j about its holidays', (day, expected) => {
  const due = { frist_type: 'hauptfrist' as const, due_at: `${day}T22:59:59.000Z`, completed_at: null }

  const warnings = dueWarnings([due], {
    timeZone: 'Europe/Berlin',
    now: new Date('2026-03-16T09:00:00.000Z'),
    region: 'DE-BE',
  })

  expect(warnings).toEqual(expected)
})
