import { beforeEach, expect, it } from 'vitest'
import { selectionDigest } from '#exports/selection-schema.ts'
import { newId } from '#kernel/id.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaUnimportedStore } from '#store/bea/bea-unimported-store.ts'
import { dueWithdrawals, pushStore } from '#store/calendar/push-store.ts'
import type { Db } from '#store/db.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { fileOf, scheduledFirm } from '#test/support/export-runs.ts'
import { addFutureFields, futureField, kindOf, lossesOf, scanTable } from '#test/support/future-fields.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { ownTable } from '#test/support/own-table.ts'
import { plain } from '#test/support/store-changes.ts'

/** Fields that only newer code knows (U3) survive what workers change and put off. See test/future-fields.test.ts. */

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

/** The items of a kind. */
const itemsOf = async (kind: string): Promise<StoredItem[]> =>
  (await scanTable(db)).filter((item) => kindOf(item) === kind)

/** The only item of a kind, after every item has got such fields. */
async function marked(kind: string): Promise<StoredItem> {
  await addFutureFields(db, await scanTable(db))
  return only(await itemsOf(kind))
}

function only(items: StoredItem[]): StoredItem {
  expect(items).toHaveLength(1)
  const [item] = items
  if (item === undefined) throw new Error('There is none.')
  return item
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

it('an envelope that could not be reminded keeps them at its next time, and again', async () => {
  const { envelopes, due, addCase } = envelopeStores(db)
  const [workspace, expires_at] = [newId('workspace'), '2031-03-16T08:30:00.000Z']
  const record = envelopeRecord(workspace, { case_id: await addCase(workspace), status: 'sent', expires_at })
  await envelopes.add(newEnvelope(userChange(record, {}, 'sent')))
  const before = await marked('dueenvelope')

  for (const at of ['2031-03-16T08:31:00.000Z', '2031-03-17T08:31:00.000Z']) {
    const now = new Date(at)
    for (const one of await all(due.due(record.id.slice(-1), now))) await due.postpone(one, now)
  }

  const after = only(await itemsOf('dueenvelope'))
  expect([after.attempts, after.sk === before.sk]).toEqual([2, false])
  expect(after[futureField]).toBe(before[futureField])
})

it('an event that could not be removed from a calendar keeps them at its next time', async () => {
  const push = {
    workspace_id: newId('workspace'),
    event_id: newId('event'),
    user_id: newId('user'),
    account_id: newId('syncAccount'),
  }
  const pushes = pushStore(storeDeps(db))
  await (await pushes.begin(push, []))()
  await pushes.withdraw(push, '2031-03-16T08:30:00.000Z')
  const before = await marked('duewithdrawal')
  const withdrawals = dueWithdrawals(db)

  const waiting = await all(withdrawals.due(push.event_id.slice(-1), new Date('2031-03-16T08:31:00.000Z')))
  for (const one of waiting) await withdrawals.postpone(one, '2031-03-16T09:00:00.000Z')

  const after = only(await itemsOf('duewithdrawal'))
  expect([after.attempts, after.due_at]).toEqual([1, '2031-03-16T09:00:00.000Z'])
  expect(after[futureField]).toBe(before[futureField])
})

it('a configuration and its run keep them when the schedule begins the run, and when it ends', async () => {
  const firm = scheduledFirm(db)
  await firm.addConfig({ frequency: 'daily', time: '06:00' })
  const config = await marked('exportconfig')
  let running: StoredItem | undefined
  firm.makeFiles(async (stored) => {
    running = await marked('exportrun')
    return fileOf(['Zeile'], selectionDigest(stored))
  })
  firm.setNow('2026-11-21T05:00:00.000Z')

  await firm.sweep()
  await firm.work()

  const run = only(await itemsOf('exportrun'))
  expect([running?.status, run.status]).toEqual(['running', 'succeeded'])
  expect(lossesOf(running as StoredItem, run)).toEqual([])
  expect(lossesOf(config, only(await itemsOf('exportconfig')))).toEqual([])
})

it('a message that could not be imported keeps them when it fails again', async () => {
  const [store, postbox] = [
    beaUnimportedStore(db),
    { workspace_id: newId('workspace'), postbox_safe_id: 'DE.1' },
  ]
  const message = {
    remote_id: '7',
    first_seen_at: '2026-03-16T08:30:00.000Z',
    is_too_large: true,
    is_told: false,
  }
  await store.put(postbox, message)
  const before = await marked('beaunimported')

  await store.put(postbox, { ...message, is_told: true, tried_at: '2026-03-17T08:30:00.000Z' })

  const after = only(await itemsOf('beaunimported'))
  expect(after).toMatchObject({ is_told: true, tried_at: '2026-03-17T08:30:00.000Z' })
  expect(lossesOf(before, after)).toEqual([])
})

it('a certificate keeps them when its account is connected again, and another certificate inherits none', async () => {
  const store = beaAccountStore(db)
  const account = aBeaAccount()
  const { workspace_id, id } = account
  await store.add(plain(account), 'sealed')
  const before = await marked('beaaccount')
  const [first, second] = ['2026-03-16T08:30:00.000Z', '2026-03-17T08:30:00.000Z']

  await store.disconnect(workspace_id, id, first)
  await store.add(plain({ ...account, version: 3 }), 'sealed')
  const same = only(await itemsOf('beaaccount'))
  await store.disconnect(workspace_id, id, second)
  const certificate = { ...account.certificate, thumbprint: 'ff' } as NonNullable<typeof account.certificate>
  await store.add(plain({ ...account, certificate, version: 5 }), 'sealed')
  const other = only(await itemsOf('beaaccount'))

  expect(lossesOf(before, same)).toEqual([])
  expect([other[futureField], other.certificate]).toEqual([before[futureField], certificate])
})
