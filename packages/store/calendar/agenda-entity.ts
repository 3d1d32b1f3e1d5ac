import { entity, listKey, oneOf, text } from '../entity.ts'

/**
 * The timed events of a user on a day, or the all-day events of a user in a month. It is the list of these events, and
 * the guard that keeps a day from being booked twice. A write names the token that it was made for, so that two
 * bookings of one day at the same moment cannot both succeed (K4).
 */
export const agendaEntity = entity(
  'agenda',
  listKey('soonest', '${workspace_id}#agenda#${user_id}#${kind}', '${bucket}'),
  {
    workspace_id: { ...text, field: 'w' },
    user_id: { ...text, field: 'u' },
    kind: { ...oneOf(['day', 'month']), field: 'k' },
    /** `2026-04-16` or `2026-04`; see `bucketsOf` for when a day begins. */
    bucket: { ...text, field: 'b' },
    /** JSON: of each event `{id, s, e}`, when it starts and ends. */
    events: { ...text, field: 'i' },
    /** New with every write. */
    token: { ...text, field: 'v' },
  },
)
