import { expect, it } from 'vitest'
import { availabilityService } from '#calendar/availability.ts'
import type { CalendarWorkspaces } from '#calendar/ports.ts'
import type { Actor } from '#kernel/actor.ts'
import { newId } from '#kernel/id.ts'

const users = Array.from({ length: 50 }, () => newId('user'))
const [from, to] = ['2026-04-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z']
const actor = { workspace_id: newId('workspace') } as Actor
const workspace = { time_zone: 'Europe/Berlin', holiday_region: 'DE-BY' }

/** Each user is busy `count` times: for five of every ten minutes. */
function busyTimes(count: number) {
  const at = (tens: number, minutes: number) =>
    new Date(Date.parse(from) + (tens * 10 + minutes) * 60_000).toISOString()
  const intervals = Array.from({ length: count }, (_, tens) => ({ start: at(tens, 0), end: at(tens, 5) }))
  const { freeBusy } = availabilityService({
    store: { busy: async () => new Map(users.map((user) => [user, intervals])) },
    workspaces: { find: async () => workspace } as unknown as CalendarWorkspaces,
    users: { names: async () => new Map(users.map((user) => [user, 'Name'])) },
  })
  return freeBusy(actor, { user_ids: users, from: { moment: from }, to: { moment: to } })
}

it('answers as many busy times of fifty users as fit into an answer', async () => {
  const answer = await busyTimes(800)

  expect(answer.busy.length).toBe(40_000)
  expect(Buffer.byteLength(JSON.stringify(JSON.stringify(answer)))).toBeLessThan(6_000_000)
})

it('refuses more, and says what to ask for', async () => {
  await expect(busyTimes(801)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'body.user_ids', message: expect.stringContaining('Ask for fewer users') }],
  })
})
