import { expect, vi } from 'vitest'
import { sweepingOnly } from '#jobs/sweeping.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { claimedMilliseconds } from '#retention/disposing.ts'
import { dueShard } from '#store/due-index.ts'
import { disposalEntity } from '#store/retention/disposal-entity.ts'
import type { Firm } from './firm.ts'
import { sharedTable } from './table.ts'
import { sharedService } from './the-shared-service.ts'

/**
 * Runs the worker once for a partition of what is due; the local service does it every minute as well. Other partitions
 * have the work of other tests.
 */
async function runWorker(partition: string): Promise<void> {
  Object.assign(process.env, sharedService().environment)
  const { handler } = await import('#functions/workers/disposals/index.ts')
  await sweepingOnly(new Set([partition]), () => handler({}, { getRemainingTimeInMillis: () => 60_000 }))
}

/** How long the worker waits between two looks: the index of texts makes its files anew in between. */
const pause = { timeout: 100_000, interval: 500 }

/**
 * Approves a disposal that only the test is to carry out: it counts as claimed, so that the worker of the service, which looks
 * every minute, leaves it alone.
 *
 * @returns the time of a run that takes it up, and the time of one that follows a run which died
 */
export async function approveForTest(firm: Firm, id: string): Promise<{ first: Date; next: Date }> {
  const first = await keepForTest(firm, id)
  const { api } = await firm.colleague()
  expect((await api('POST', `/api/v1/disposals/${id}/approve`)).status).toBe(200)
  return { first, next: new Date(first.getTime() + claimedMilliseconds) }
}

/** Keeps the worker of the service away from a disposal. @returns the time of a run that takes it up */
export async function keepForTest({ workspace }: Firm, id: string): Promise<Date> {
  const claimedUntil = new Date(epochMilliseconds() + claimedMilliseconds)
  await disposalEntity(await sharedTable())
    .patch({ workspace_id: workspace.id, id })
    .set({ claimed_until: claimedUntil.toISOString() })
    .go()
  return claimedUntil
}

/** Proposes and approves a disposal of these cases, and runs the worker until it is done. @returns the disposal */
export async function disposeOf(firm: Firm, ...case_ids: string[]) {
  const { api } = await firm.colleague()
  const proposed = await firm.owner('POST', '/api/v1/disposals', { body: { case_ids } })
  expect(proposed.status).toBe(201)
  const path = `/api/v1/disposals/${proposed.body.id}`
  expect((await api('POST', `${path}/approve`)).status).toBe(200)
  return untilDone(firm, proposed.body.id)
}

/** Runs the worker until the disposal is done. @returns the disposal */
export async function untilDone({ owner }: Firm, id: string) {
  return vi.waitFor(async () => {
    await runWorker(`disposals#due#${dueShard(id)}`)
    const { body } = await owner('GET', `/api/v1/disposals/${id}`)
    expect(body.status).toBe('done')
    return body
  }, pause)
}

/** Runs the worker until the erasure of a party is done, which the audit says. */
export async function untilErased({ owner }: Firm, partyId: string): Promise<void> {
  await vi.waitFor(async () => {
    await runWorker(`erasures#due#${dueShard(partyId)}`)
    const { body } = await owner('GET', '/api/v1/audit?action=party.erased')
    expect(body.data.map(({ ref }: { ref: { id: string } }) => ref.id)).toContain(partyId)
  }, pause)
}
