import * as z from 'zod'

/** A time of calendar and deadline data: with the offset of the workspace's time zone, to the second (G6). */
export const LocalTimestamp = z.iso.datetime({ offset: true }).meta({
  description: 'ISO 8601 with the offset of the workspace’s time zone at that moment.',
})
