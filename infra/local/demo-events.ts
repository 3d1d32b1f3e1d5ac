/** An event of the first workspace: on a date, or in a number of days. */
type DemoEvent = {
  title: string
  /** The index of its case in `cases`. */
  case?: number
  attendees: readonly ('owner' | 'colleague' | 'reader')[]
  on: string | number
  /** UTC. */
  from: string
  to: string
  type?: 'meeting'
  location?: string
}

/** The first event is in the past, as the example in the API description needs. */
export const events: readonly DemoEvent[] = [
  {
    title: 'Verhandlung AG München, Meier ./. Schulze',
    case: 12,
    attendees: ['owner'],
    on: '2026-04-16',
    from: '07:00',
    to: '08:30',
    location: 'Pacellistraße 5, Saal 112',
  },
  {
    title: 'Güteverhandlung, Okafor ./. Isar Logistik',
    case: 4,
    attendees: ['colleague'],
    on: 9,
    from: '09:00',
    to: '10:00',
    location: 'Winzererstraße 106, Saal 5',
  },
  {
    title: 'Besprechung mit Frau Brandt',
    case: 5,
    attendees: ['owner', 'reader'],
    on: 3,
    from: '13:00',
    to: '14:00',
    type: 'meeting',
  },
]
