import { expect, it } from 'vitest'
import type { ExportConfigRecord, ExportConfigStore } from '#exports/config-ports.ts'
import { rescheduleExports } from '#exports/rescheduling.ts'
import type { Schedule } from '#exports/schedule-schema.ts'

/** The next run after the firm has moved from Berlin, at the second call too, and how often it was written. */
async function moved(schedule: Schedule | null, next_run_at: string | null, timeZone: string) {
  let record = { id: 'exp_1', schedule, next_run_at, version: 1 } as ExportConfigRecord
  const configs = {
    page: async () => ({ data: [record], pagination: { cursor: null, has_more: false } }),
    change: async (_workspace: string, _id: string, decide: (before: ExportConfigRecord) => object) => {
      const decided = decide(record)
      if ('record' in decided) record = decided.record as ExportConfigRecord
    },
  } as unknown as ExportConfigStore
  for (let call = 0; call < 2; call += 1) await rescheduleExports(configs, 'ws_1', timeZone)
  return { next_run_at: record.next_run_at, writes: record.version - 1 }
}

const daily: Schedule = { frequency: 'daily', time: '08:00' }
const weekly: Schedule = { frequency: 'weekly', time: '00:30', weekday: 1 }
const monthly: Schedule = { frequency: 'monthly', time: '23:30', day: 1 }

it.each([
  ['later', daily, '2026-12-02T07:00:00.000Z', 'Europe/London', '2026-12-02T08:00:00.000Z'],
  ['earlier', daily, '2026-12-02T07:00:00.000Z', 'Europe/Athens', '2026-12-02T06:00:00.000Z'],
  ['on the same Monday', weekly, '2026-12-06T23:30:00.000Z', 'Europe/Athens', '2026-12-06T22:30:00.000Z'],
  ['on the same 1st', monthly, '2026-12-01T22:30:00.000Z', 'America/New_York', '2026-12-02T04:30:00.000Z'],
  ['on the same 1st', monthly, '2026-12-01T22:30:00.000Z', 'Pacific/Kiritimati', '2026-12-01T09:30:00.000Z'],
  ['on the same day', daily, '2026-07-02T06:00:00.000Z', 'Pacific/Pago_Pago', '2026-07-02T19:00:00.000Z'],
  ['on the same day', daily, '2026-12-02T07:00:00.000Z', 'Pacific/Kiritimati', '2026-12-01T18:00:00.000Z'],
] as const)('the next run moves %s: %j at %s is in %s at %s', async (_, schedule, before, timeZone, after) => {
  expect(await moved(schedule, before, timeZone)).toEqual({ next_run_at: after, writes: 1 })
})

it('the next run stays where the clocks are the same, and where there is no schedule', async () => {
  const before = '2026-12-02T07:00:00.000Z'

  expect(await moved(daily, before, 'Europe/Vienna')).toEqual({ next_run_at: before, writes: 0 })
  expect(await moved(null, null, 'Europe/London')).toEqual({ next_run_at: null, writes: 0 })
})
