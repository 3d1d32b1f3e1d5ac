import { entity, listKey, oneOf, text } from '../entity.ts'

/**
 * The timed events of a user on a day, or the all-day events of a user in a month. It serves as a list, and it prevents
 * double bookings: a write fails if `token` has changed since the agenda was read. So of two concurrent bookings of one
 * day, one fails and reads the agenda again (K4).
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
    /** JSON: an array of `Ref`. */
    events: { ...text, field: 'i' },
    /** New with every write. */
    token: { ...text, field: 'v' },
  },
)
