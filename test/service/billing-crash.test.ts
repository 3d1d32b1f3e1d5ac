import { expect, it, vi } from 'vitest'
import { billingJobs, releaseEntries } from '#billing/holding.ts'
import { jobRunner } from '#jobs/runner.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { timeEntryStore } from '#store/billing/time-entry-store.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { allOf } from '#test/support/api.ts'
import { billing } from '#test/support/billing.ts'
import { restarts } from '#test/support/restarts.ts'
import type { Service } from '#test/support/service.ts'
import { unhurried } from '#test/support/unhurried.ts'

const { started, kill } = restarts()

/** The sweeper, two minutes ahead of the clock, until no job of an invoice is left. */
async function sweep(service: Service): Promise<void> {
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const runner = jobRunner(wordsFollowUp(db))
  runner.handle(...billingJobs({ entries: timeEntryStore({ db, cursors: tableCursors(db) }) }))
  const store = jobStore(db)
  const log = { error: () => {}, warn: () => {} }
  const isLeft = async () => (await store.list()).waiting.some(({ name }) => name === releaseEntries.name)
  do {
    const now = new Date(epochMilliseconds() + 120_000)
    await sweepJobs({ store, runner, log }, now, unhurried)
  } while (await isLeft())
}

it('a service that is killed while it bills bills nothing twice, leaves no gap, and holds no time entry for nothing', async () => {
  const before = await started()
  const make = billing(before)
  const caseId = await make.makeCase()
  const entries = await Promise.all(Array.from({ length: 120 }, () => make.makeTime(caseId, { minutes: 30 })))
  let issued = 0

  // Six callers want overlapping entries, more than a transaction holds; they issue and cancel until the line goes dead.
  const callers = Array.from({ length: 6 }, async (_, caller) => {
    for (let round = 0; ; round += 1) {
      const first = (caller * 20 + round * 7) % 120
      const wanted = [...entries, ...entries].slice(first, first + 40)
      const made = await before.owner('POST', '/api/v1/invoices', {
        body: {
          case_id: caseId,
          buyer: { name: 'Anna Meier' },
          lines: wanted.map(({ id }) => ({ time_entry_id: id })),
        },
      })
      if (made.status !== 201) continue
      await make.act(made.body.id, 'issue')
      issued += 1
      if (round % 3 !== 0) await make.act(made.body.id, 'cancel')
      else await make.act(made.body.id, 'cancel').catch(() => {})
    }
  })
  const dead = Promise.allSettled(callers)
  await vi.waitFor(() => expect(issued).toBeGreaterThan(4), { timeout: 90_000 })
  await kill()
  await dead

  const { service, owner } = await started()
  await sweep(service)

  const invoices = await Promise.all(
    (await allOf(owner, '/api/v1/invoices')).map(
      async ({ id }) => (await owner('GET', `/api/v1/invoices/${id}`)).body,
    ),
  )
  const numbers = invoices.flatMap(({ number }) => (number === null ? [] : Number(number.split('-')[2])))
  expect(numbers.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: numbers.length }, (_, index) => index + 1),
  )
  const billed = new Map<string, string>()
  for (const { id, status, lines } of invoices)
    for (const { time_entry_id } of status === 'cancelled' ? [] : lines)
      if (time_entry_id !== null) {
        expect(billed.has(time_entry_id)).toBe(false)
        billed.set(time_entry_id, id)
      }
  const after = await allOf(owner, '/api/v1/time-entries')
  expect(after).toHaveLength(120)
  for (const { id, invoice_id } of after) {
    expect(invoice_id).toBe(billed.get(id) ?? null)
    expect((await owner('GET', `/api/v1/time-entries/${id}`)).body.invoice_id).toBe(invoice_id)
  }
})
