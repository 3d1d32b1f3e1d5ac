import * as z from 'zod'

const time = z
  .string()
  .trim()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time of day as HH:MM, from 00:00 to 23:59.')
  .meta({ description: 'The time of day in the workspace’s time zone, `HH:MM`.' })

/** When a configuration runs automatically (X5): every day, on a day of the week, or on a day of the month. */
export const Schedule = z.lazy(() =>
  z
    .discriminatedUnion('frequency', [
      z.object({ frequency: z.literal('daily'), time }),
      z.object({
        frequency: z.literal('weekly'),
        time,
        weekday: z.int().gte(1).lte(7).meta({ description: '1 for Monday to 7 for Sunday.' }),
      }),
      z.object({ frequency: z.literal('monthly'), time, day: z.int().gte(1).lte(28) }),
    ])
    .meta({
      id: 'ExportSchedule',
      description: 'When an export runs automatically, in the workspace’s time zone.',
    }),
)

export type Schedule = z.infer<typeof Schedule>
