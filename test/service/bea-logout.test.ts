import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { runDueSyncs } from '#bea/sync/due-syncs.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { connectSimulated } from '#test/support/bea-network-firm.ts'
import { newFirm } from '#test/support/firm.ts'

/** Logouts (B3, B10) over the real table, with the simulator as the network. */

let simulator: BeaSimulator

beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})

beforeEach(() => simulator.control.reset())

afterAll(() => simulator.close())

async function office() {
  const firm = await newFirm()
  const { network, account, order, lastSync } = await connectSimulated(firm, simulator)
  const [{ foundation }, { inboxFoundation }, messages, { beaSyncing }] = await Promise.all([
    import('#foundation/foundation.ts'),
    import('#foundation/inbox.ts'),
    import('#foundation/bea-messages.ts'),
    import('#foundation/bea-sync.ts'),
  ])
  const base = foundation('bea-sync')
  inboxFoundation(base)
  const { run } = beaSyncing(base, network, messages.beaMessageFoundation(base), 60_000)
  const logins = () => simulator.control.calls().bex_login_step3 ?? 0
  const logouts = () => simulator.control.calls().bea_logout ?? 0
  const { begin } = messages.beaSyncFoundation(base)
  return {
    firm,
    account,
    logins,
    logouts,
    lastSync,
    session: async () =>
      (await firm.owner('GET', `/api/v1/bea/accounts/${account.id}/session`)).body.status as string,
    logIn: () => network.sessions.logIn(account, AbortSignal.timeout(20_000)),
    logOut: () => network.sessions.logOut(account),
    disconnect: async () => {
      await network.accounts.disconnect(account.workspace_id, account.id, systemClock.now().toISOString())
      await network.sessions.end(account)
    },
    sync: async () => run(await order(), AbortSignal.timeout(60_000)),
    /** The schedule, for which this account alone is due. */
    schedule: async () => {
      const due = {
        account_id: account.id,
        workspace_id: account.workspace_id,
        due_at: '2026-01-01T00:00:00.000Z',
      }
      const errors: string[] = []
      const scheduled = {
        shards: ['0'],
        due: async function* () {
          yield due
        },
        advance: async () => true,
        forget: async () => {},
      }
      const deps = {
        accounts: network.accounts,
        scheduled,
        begin,
        log: { error: (line: string) => void errors.push(line) },
      }
      const inAMonth = new Date(epochMilliseconds() + 30 * 86_400_000)
      return { ...(await runDueSyncs(deps, inAMonth, { milliseconds: 10_000 })), errors }
    },
  }
}

it('the schedule leaves an account alone that somebody has logged out of, until somebody logs in', async () => {
  const { logIn, logOut, schedule, session, logins, logouts } = await office()
  await logIn()
  await logOut()

  const after = await schedule()

  expect(after).toEqual({ begun: 0, failed: 0, errors: [] })
  expect([await session(), logins(), logouts()]).toEqual(['none', 1, 1])
  await logIn()
  expect(await session()).toBe('active')
  expect((await schedule()).begun).toBe(1)
})

it.each([
  ['a logout', 'logOut'],
  ['the deletion of the account', 'disconnect'],
] as const)(
  '%s ends a synchronisation and its session; what was imported stays',
  async (_, how) => {
    const { firm, logIn, sync, lastSync, logins, logouts, ...does } = await office()
    await logIn()
    const seed = {
      to: safeIds.lindner,
      from: safeIds.landgericht,
      subject: 'Ladung',
      body: 'Anbei.',
      count: 40,
    }
    await simulator.control.seed(seed)
    simulator.control.inject({ function: 'bea_get_message', fault: 'slow', times: 1_000, milliseconds: 200 })
    const list = async () => (await firm.owner('GET', '/api/v1/bea/messages?limit=100')).body.data.length
    const syncing = sync()
    await vi.waitFor(() => expect(simulator.control.calls().bea_get_message).toBeGreaterThan(5), 60_000)

    await does[how]()
    await syncing
    const imported = await list()
    await sleep(1_000)

    expect([logins(), logouts(), await list()]).toEqual([1, 1, imported])
    expect(imported).toBeLessThan(400)
    if (how === 'logOut') expect((await lastSync())?.status).toBe('failed')
  },
  90_000,
)

it('after a logout what needs a session is 401, and nothing of the logout is shown', async () => {
  const { firm, account, logIn, logOut, session } = await office()
  await logIn()
  await logOut()
  const answers = await Promise.all([
    firm.owner('POST', `/api/v1/bea/accounts/${account.id}/sync`),
    firm.owner('GET', `/api/v1/bea/accounts/${account.id}/folders`),
  ])
  expect(answers.map(({ body }) => body.error?.code)).toEqual([
    'BEA_NOT_AUTHENTICATED',
    'BEA_NOT_AUTHENTICATED',
  ])
  expect((await firm.owner('GET', `/api/v1/bea/accounts/${account.id}`)).body).not.toHaveProperty(
    'logged_out',
  )
  await logIn()
  expect(await session()).toBe('active')
})
