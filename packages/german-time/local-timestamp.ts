import * as z from 'zod'

/** A time in the data of calendars and deadlines, to the second, with the offset of the workspace's time zone (G6). */
export const LocalTimestamp = z.iso.datetime({ offset: true }).meta({
  description: 'ISO 8601 with the offset of the workspace’s time zone at that moment.',
})
