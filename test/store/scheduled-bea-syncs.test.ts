import { describe, expect, it, vi } from 'vitest'
import type { BeaAccountRecord } from '#bea/ports.ts'
import { runDueSyncs } from '#bea/sync/due-syncs.ts'
import { lateLogLine } from '#bea/sync/log-lines.ts'
import type { DueSync } from '#bea/sync/schedule-ports.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { scheduledBeaSyncs } from '#store/bea/scheduled-bea-syncs.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { ownTable } from '#test/support/own-table.ts'
import { plain } from '#test/support/store-changes.ts'
import { unhurried } from '#test/support/unhurried.ts'

/** The schedule of synchronisations (B5), over a table of its own. */
async function office() {
  const db = await ownTable()
  const accounts = beaAccountStore(db)
  const begun: string[] = []
  const lines: string[] = []
  const firms: unknown[] = []
  const begin = async ({ id }: Pick<BeaAccountRecord, 'id'>) => {
    begun.push(id)
    const sync = { account_id: id, status: 'running' as const, started_at: '' }
    return { sync, isNew: true }
  }
  const sweep = (at: string, beginSync = begin) =>
    runDueSyncs(
      {
        accounts,
        scheduled: scheduledBeaSyncs(db),
        begin: beginSync,
        log: {
          error: (line, { workspace_id }) => {
            lines.push(line)
            firms.push(workspace_id)
          },
        },
      },
      new Date(at),
      unhurried,
    )
  return { db, accounts, begun, lines, firms, sweep }
}

const created_at = '2026-03-16T08:00:00.000Z'

it('an account with a stored certificate is synchronised when it is connected, and every 15 minutes, a card never', async () => {
  const { accounts, begun, sweep } = await office()
  const account = aBeaAccount({ created_at })
  await accounts.add(plain(account), 'sealed')
  await accounts.add(plain(aBeaAccount({ kind: 'card', created_at })), null)
  // Act
  for (const time of ['08:00', '08:01', '08:14', '08:15', '08:16', '08:30'])
    await sweep(`2026-03-16T${time}:00.000Z`)
  // Assess
  expect(begun).toEqual([account.id, account.id, account.id])
})

it('a Kanzlei postbox is synchronised if the key of its login is stored; with a card never, and without an alarm', async () => {
  const { accounts, begun, lines, sweep } = await office()
  const [person, card] = [aBeaAccount({ created_at }), aBeaAccount({ kind: 'card', created_at })]
  const { workspace_id } = person
  const kanzlei = ({ id: login_account_id }: BeaAccountRecord) =>
    aBeaAccount({ workspace_id, kind: 'kanzlei', login_account_id, certificate: null, created_at })
  const [ofPerson, ofCard] = [kanzlei(person), kanzlei(card)]
  for (const account of [person, { ...card, workspace_id }, ofPerson, ofCard])
    await accounts.add(plain(account), account === person ? 'sealed' : null)
  // Act
  await sweep('2026-03-16T08:00:00.000Z')
  const first = begun.splice(0)
  await accounts.change(workspace_id, person.id, (current) => ({ ...current, logged_out: 'out' }))
  await sweep('2026-03-18T08:00:00.000Z')
  // Assess
  expect(first.toSorted()).toEqual([person.id, ofPerson.id].toSorted())
  expect([begun, lines]).toEqual([[], []])
})

it('two sweeps at once begin a synchronisation once', async () => {
  const { accounts, begun, sweep } = await office()
  await accounts.add(plain(aBeaAccount({ created_at })), 'sealed')
  await Promise.all(Array.from({ length: 4 }, () => sweep('2026-03-16T08:00:00.000Z')))
  expect(begun).toHaveLength(1)
})

it('a disconnected account is synchronised no more', async () => {
  const { accounts, begun, sweep } = await office()
  const account = aBeaAccount({ created_at })
  await accounts.add(plain(account), 'sealed')
  await accounts.disconnect(account.workspace_id, account.id, created_at)
  await sweep('2026-03-16T08:00:00.000Z')
  await sweep('2026-03-16T09:00:00.000Z')
  expect(begun).toEqual([])
})

it('an account that is connected again while a sweep leaves it out is synchronised again', async () => {
  const { db, accounts, begun, sweep } = await office()
  const account = aBeaAccount({ created_at })
  await accounts.add(plain(account), 'sealed')
  const scheduled = scheduledBeaSyncs(db)
  let due: DueSync | undefined
  for await (const one of scheduled.due(account.id.slice(-1), new Date(created_at))) due = one
  await accounts.disconnect(account.workspace_id, account.id, created_at)
  // Act
  const again = { ...account, created_at: '2026-03-16T08:05:00.000Z', version: account.version + 2 }
  await accounts.add(plain(again), 'sealed')
  if (due) await scheduled.forget(due)
  await sweep('2026-03-16T08:05:00.000Z')
  // Assess
  expect([due?.account_id, begun]).toEqual([account.id, [account.id]])
})

it('an account that cannot be synchronised holds up no other, and is tried again', async () => {
  const { accounts, begun, sweep } = await office()
  const [broken, whole] = [aBeaAccount({ created_at }), aBeaAccount({ created_at })]
  await accounts.add(plain(broken), 'sealed')
  await accounts.add(plain(whole), 'sealed')
  // Act
  const first = await sweep('2026-03-16T08:00:00.000Z', async ({ id }) => {
    if (id === broken.id) throw new Error('The queue is gone.')
    begun.push(id)
    return { sync: { account_id: id, status: 'running', started_at: '' }, isNew: true }
  })
  await sweep('2026-03-16T08:15:00.000Z')
  // Assess
  expect(first).toEqual({ begun: 1, failed: 1 })
  expect(begun.toSorted()).toEqual([broken.id, whole.id, whole.id].toSorted())
})

it('raises the alarm, and names the firm, where no synchronisation has ended well for a day', async () => {
  const { accounts, lines, firms, sweep } = await office()
  const account = aBeaAccount({ created_at })
  await accounts.add(plain(account), 'sealed')
  await sweep('2026-03-17T08:00:00.000Z')
  expect(lines).not.toContain(lateLogLine)
  // Act
  await sweep('2026-03-17T08:15:00.001Z')
  // Assess
  expect([lines, firms]).toEqual([[lateLogLine], [account.workspace_id]])
})

/** Accounts that have been due since a time, each a minute longer than the one before it. */
async function waitingAccounts(count: number) {
  const { db, accounts, begun, sweep } = await office()
  const waiting = Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.parse(created_at) - index * 60_000).toISOString()
    return aBeaAccount({ created_at: at })
  })
  for (const account of waiting) await accounts.add(plain(account), 'sealed')
  const longestFirst = waiting.map(({ id }) => id).toReversed()
  /** A sweep whose time is over after it has begun `limit` synchronisations. */
  const sweepOf = (limit: number, at: string) => {
    let left = limit
    const scheduled = scheduledBeaSyncs(db)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (left > 0 ? 0 : 60_000))
    return runDueSyncs(
      {
        accounts,
        scheduled: {
          ...scheduled,
          advance: async (due, next) => {
            left -= 1
            return scheduled.advance(due, next)
          },
        },
        begin: async ({ id }) => {
          begun.push(id)
          return { sync: { account_id: id, status: 'running', started_at: '' }, isNew: true }
        },
        log: { error: () => {} },
      },
      new Date(at),
      { milliseconds: 50_000 },
    ).finally(() => clock.mockRestore())
  }
  return { db, begun, sweep, sweepOf, longestFirst, add: accounts.add }
}

describe('a sweep that cannot begin all', () => {
  it('begins those that have waited longest, whatever shard they are in', async () => {
    const { begun, sweepOf, longestFirst } = await waitingAccounts(60)

    await sweepOf(20, '2026-03-16T08:00:00.000Z')

    // Sixteen are begun at the same time, so a few more than fit.
    expect(begun.length).toBeGreaterThanOrEqual(20)
    expect(begun.length).toBeLessThan(40)
    expect(new Set(begun)).toEqual(new Set(longestFirst.slice(0, begun.length)))
  })

  it('is followed by one that begins where it stopped, until all had their turn once', async () => {
    const { begun, sweepOf, longestFirst } = await waitingAccounts(60)

    for (const minute of ['00', '01', '02', '03', '04', '05'])
      await sweepOf(10, `2026-03-16T08:${minute}:00.000Z`)

    expect(begun).toHaveLength(60)
    expect(new Set(begun)).toEqual(new Set(longestFirst))
  })

  it('lets nobody wait for accounts that are due later', async () => {
    const { begun, sweepOf, longestFirst, add } = await waitingAccounts(60)
    const later = Array.from({ length: 60 }, () => aBeaAccount({ created_at: '2026-03-16T08:00:30.000Z' }))

    await sweepOf(20, '2026-03-16T08:00:00.000Z')
    for (const account of later) await add(plain(account), 'sealed')
    await sweepOf(20, '2026-03-16T08:01:00.000Z')
    await sweepOf(20, '2026-03-16T08:02:00.000Z')

    // Those that are begun at the same time may end in any order.
    expect(begun.filter((id) => longestFirst.includes(id))).toHaveLength(60)
    expect(begun.length).toBeLessThan(120)
  })

  it('does what it can read where a shard cannot be read, and says so', async () => {
    const { db, accounts, begun } = await office()
    const [whole, unread] = [aBeaAccount({ created_at }), aBeaAccount({ created_at })]
    for (const account of [whole, unread]) await accounts.add(plain(account), 'sealed')
    const scheduled = scheduledBeaSyncs(db)
    const broken = whole.id.slice(-1) === 'a' ? 'b' : 'a'

    const swept = await runDueSyncs(
      {
        accounts,
        scheduled: {
          ...scheduled,
          due: (shard, at) => {
            if (shard === broken) throw new Error('No answer of this shard.')
            return scheduled.due(shard, at)
          },
        },
        begin: async ({ id }) => {
          begun.push(id)
          return { sync: { account_id: id, status: 'running', started_at: '' }, isNew: true }
        },
        log: { error: () => {} },
      },
      new Date(created_at),
      unhurried,
    )

    expect(swept.failed).toBe(1)
    expect(begun).toContain(whole.id)
  })
})
