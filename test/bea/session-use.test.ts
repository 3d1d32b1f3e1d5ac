import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { sessionStates } from '#bea/sessions/session-states.ts'
import { ownerOf } from '#bea/sessions/session-use.ts'
import { Failure } from '#kernel/failure.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import type { beaInMemory } from '#test/support/bea-memory.ts'
import { simulatedSessions as prepare } from '#test/support/bea-session-use.ts'
import { plain } from '#test/support/store-changes.ts'

const signal = new AbortController().signal
const over = { code: 'BEA_NOT_AUTHENTICATED', kind: 'unauthenticated' }

describe('a use of a session', () => {
  it('is 401 without a login, and otherwise extends the session', async () => {
    const { sessions, account, store, time } = await prepare()
    const use = () => sessions.useBeaSession(account, (connection) => connection.folders('x', signal), signal)

    await expect(use()).rejects.toMatchObject(over)
    await sessions.logIn(account, signal)
    time.now = new Date('2026-03-16T08:29:00.000Z')
    await use()
    const stored = await store.sessions.find(ownerOf(account))

    expect([stored?.since, stored?.last_used_at]).toEqual([
      '2026-03-16T08:00:00.000Z',
      '2026-03-16T08:29:00.000Z',
    ])
  })

  it('is 401 half an hour after the last one (B3)', async () => {
    const { sessions, account, time, state } = await prepare()
    await sessions.logIn(account, signal)
    time.now = new Date('2026-03-16T08:30:00.000Z')

    const use = sessions.useBeaSession(account, (connection) => connection.folders('x', signal), signal)

    await expect(use).rejects.toMatchObject(over)
    expect(state.logins).toBe(1)
  })

  it('waits for others: twenty uses at once run one after the other, each with the newest token', async () => {
    const { sessions, account, state } = await prepare()
    await sessions.logIn(account, signal)
    state.milliseconds = 3

    await Promise.all(
      Array.from({ length: 20 }, () =>
        sessions.useBeaSession(
          account,
          async (connection) => {
            await connection.folders('x', signal)
            await connection.overview('1', signal)
          },
          signal,
        ),
      ),
    )

    // In strict rotation each token is valid for one call. A stale one would cause a second login.
    expect([state.maxInUse, state.logins]).toEqual([1, 1])
  })

  it('that waits runs before the next turn of a use that yields, which sees that somebody waits', async () => {
    const { sessions, account, time } = await prepare()
    await sessions.logIn(account, signal)
    const order: string[] = []
    let isOver = false
    const synchronise = async () => {
      while (!isOver)
        await sessions.useBeaSession(
          account,
          async (_, isWanted) => {
            order.push('turn')
            while (!isOver && !(await isWanted())) await sleep(5)
          },
          signal,
          { yields: true },
        )
    }
    const synchronising = synchronise()
    await vi.waitFor(() => expect(order).toEqual(['turn']), { timeout: 60_000 })

    for (let count = 0; count < 3; count += 1)
      await sessions.useBeaSession(account, async () => void order.push('user'), signal)
    const served = [...order]
    time.now = new Date(time.now.getTime() + 2_000)
    await vi.waitFor(() => expect(order.length).toBe(5), { timeout: 60_000 })
    isOver = true
    await synchronising

    expect(served).toEqual(['turn', 'user', 'user', 'user'])
    expect(order[4]).toBe('turn')
  })

  it('may check after every message whether somebody waits: the store is read at most ten times a second', async () => {
    const { sessions, account, store } = await prepare()
    await sessions.logIn(account, signal)
    const looks = vi.spyOn(store.sessions, 'isWanted')

    const seconds = await sessions.useBeaSession(
      account,
      async (_, isWanted) => {
        const begun = performance.now()
        while (performance.now() - begun < 450) {
          await isWanted()
          await sleep(1)
        }
        return (performance.now() - begun) / 1_000
      },
      signal,
    )

    expect(looks.mock.calls.length).toBeGreaterThan(1)
    expect(looks.mock.calls.length).toBeLessThanOrEqual(1 + seconds * 10)
  })

  it('that fails stores the newest token, so that the next use continues the session', async () => {
    const { sessions, account, state } = await prepare()
    await sessions.logIn(account, signal)

    const failing = sessions.useBeaSession(
      account,
      async (connection) => {
        await connection.folders('x', signal)
        throw new Error('My own fault.')
      },
      signal,
    )
    await expect(failing).rejects.toThrow('My own fault.')
    await sessions.useBeaSession(account, (connection) => connection.check(signal), signal)

    expect(state.logins).toBe(1)
  })

  it('renews a session that the gateway has ended, once, after ending the old one', async () => {
    const { sessions, account, state, store } = await prepare()
    await sessions.logIn(account, signal)
    state.tokens.clear()
    let begun = 0

    const folders = await sessions.useBeaSession(
      account,
      (connection) => {
        begun += 1
        return connection.folders('x', signal)
      },
      signal,
    )

    expect([folders.length, begun, state.logins]).toEqual([1, 2, 2])
    expect((await store.sessions.find(ownerOf(account)))?.since).toBe('2026-03-16T08:00:00.000Z')
  })

  it('does not renew a session twice: the stored session is removed', async () => {
    const { sessions, account, state, store } = await prepare()
    await sessions.logIn(account, signal)
    const loginsBefore = state.logins

    const use = sessions.useBeaSession(
      account,
      async (connection) => {
        state.tokens.clear()
        await connection.check(signal)
      },
      signal,
    )

    await expect(use).rejects.toMatchObject(over)
    expect(state.logins - loginsBefore).toBe(1)
    expect(await store.sessions.find(ownerOf(account))).toBeUndefined()
  })

  it('never begins again if its message may be sent', async () => {
    const { sessions, account, state } = await prepare()
    await sessions.logIn(account, signal)
    let begun = 0

    const use = sessions.useBeaSession(
      account,
      async (connection) => {
        begun += 1
        await connection.send('x', {} as never, async () => {}, signal)
        state.tokens.clear()
        return connection.check(signal)
      },
      signal,
    )

    await expect(use).rejects.toMatchObject(over)
    expect([begun, state.logins]).toEqual([1, 1])
  })

  it('begins again once if the gateway refused the last step because the session had ended', async () => {
    const { sessions, account, state } = await prepare()
    await sessions.logIn(account, signal)
    let begun = 0
    const sending = (endings: number) =>
      sessions.useBeaSession(
        account,
        (connection) => {
          begun += 1
          const endSession = async () => {
            if (begun <= endings) state.tokens.clear()
          }
          return connection.send('x', {} as never, endSession, signal)
        },
        signal,
      )

    const sent = await sending(1)
    const renewed = [begun, state.logins]
    begun = 0
    const again = sending(2)

    expect([sent.outcome, ...renewed]).toEqual(['sent', 2, 2])
    await expect(again).rejects.toMatchObject(over)
    expect(begun).toBe(2)
  })

  it('is 401 if the gateway has ended the session of a card, and the stored session is removed', async () => {
    const { sessions, account, state, store, gateway, certificate } = await prepare({ kind: 'card' })
    const finished = await gateway.finishLogin(
      { certificate, keys: [], state: '' },
      [{ id: 'k', data: 'key unwrapped' }],
      signal,
    )
    await sessions.adopt(account, finished, signal)
    state.tokens.clear()

    const use = sessions.useBeaSession(account, (connection) => connection.check(signal), signal)

    await expect(use).rejects.toMatchObject(over)
    expect([state.logins, await store.sessions.find(ownerOf(account))]).toEqual([1, undefined])
  })

  it('logs in by itself if it `mayLogIn`', async () => {
    const { sessions, account, state } = await prepare()

    await sessions.useBeaSession(account, (connection) => connection.check(signal), signal, {
      mayLogIn: true,
    })

    expect(state.logins).toBe(1)
  })

  it('of a Kanzlei postbox uses the session of its login account, and is 401 once that is disconnected', async () => {
    const { sessions, account, store, state, time } = await prepare()
    const { workspace_id } = account
    const office = aBeaAccount({
      workspace_id,
      kind: 'kanzlei',
      login_account_id: account.id,
      certificate: null,
    })
    const states = sessionStates({ ...store, clock: { now: () => time.now } })
    await store.accounts.add(plain(office), null)
    await sessions.logIn(office, signal)
    const use = () => sessions.useBeaSession(office, (connection) => connection.check(signal), signal)

    await use()
    await states.requireActive(office)
    await store.accounts.disconnect(workspace_id, account.id, '2026-03-16T09:00:00.000Z')

    expect(state.logins).toBe(1)
    // Nobody can log in under it now.
    const message = expect.stringMatching(/is disconnected: connect it again\.$/)
    await expect(use()).rejects.toMatchObject({ ...over, message })
    await expect(states.requireActive(office)).rejects.toMatchObject({ ...over, message })
  })

  it('is 404 for an account of another workspace', async () => {
    const { sessions, account } = await prepare()
    const foreign = { ...account, workspace_id: aBeaAccount().workspace_id }

    const use = sessions.useBeaSession(foreign, (connection) => connection.check(signal), signal)

    await expect(use).rejects.toMatchObject({ code: 'BEA_ACCOUNT_NOT_FOUND' })
  })
})

describe('the lease of a use', () => {
  it('of a process that died ends after at most 30 seconds', async () => {
    const { sessions, account, store, time } = await prepare()
    await sessions.logIn(account, signal)
    const until = (await leaseOf(store, account, time.now)).getTime() - time.now.getTime()

    expect(until).toBeLessThanOrEqual(30_000)
  })

  it('is extended while the use lasts, and each time the newest token is stored', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { sessions, account, store } = await prepare()
    await sessions.logIn(account, signal)
    const tokenStored = async () =>
      JSON.parse(JSON.parse((await store.sessions.find(ownerOf(account)))?.sealed ?? '').text).token
    let seen: string[] = []

    await sessions.useBeaSession(
      account,
      async (connection) => {
        const before = await tokenStored()
        await connection.check(signal)
        await vi.advanceTimersByTimeAsync(5_000)
        await sleep(5)
        seen = [before, await tokenStored(), connection.session().token]
      },
      signal,
    )
    vi.useRealTimers()

    expect(seen[0]).not.toBe(seen[1])
    expect(seen[1]).toBe(seen[2])
  })

  it('that is lost aborts the running call, and nothing is stored', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { sessions, account, store, state } = await prepare()
    await sessions.logIn(account, signal)

    const use = sessions.useBeaSession(
      account,
      async (connection) => {
        await store.sessions.remove(ownerOf(account))
        state.milliseconds = 10_000
        await Promise.all([connection.check(signal), vi.advanceTimersByTimeAsync(5_000)])
      },
      signal,
    )

    await expect(use).rejects.toMatchObject({ kind: 'unavailable' })
    vi.useRealTimers()
    expect(await store.sessions.find(ownerOf(account))).toBeUndefined()
  })

  it('is 503 for a caller who gives up waiting', async () => {
    const { sessions, account, store, time } = await prepare()
    await sessions.logIn(account, signal)
    await store.sessions.claim(ownerOf(account), {
      holder: 'another',
      now: time.now,
      until: new Date(time.now.getTime() + 20_000),
    })

    const use = sessions.useBeaSession(
      account,
      (connection) => connection.check(signal),
      AbortSignal.timeout(200),
    )

    await expect(use).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('a login', () => {
  it('is 502 for another SAFE-ID: it ends that session and stores nothing', async () => {
    const { sessions, account, state, store, lines } = await prepare()
    state.safeId = 'DE.BRAK.99999999-2222-4333-8444-555555555555.abcd'

    const login = sessions.logIn(account, signal)

    await expect(login).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR', kind: 'upstream' })
    expect([state.logouts, await store.sessions.find(ownerOf(account))]).toEqual([1, undefined])
    expect(lines.join()).not.toContain('token')
  })

  it('marks an account as locked if the network reports it, until a login succeeds', async () => {
    const { sessions, account, state, store } = await prepare()
    const status = async () => (await store.accounts.find(account.workspace_id, account.id))?.status
    state.refusal = new Failure('forbidden', 'BEA_ACCOUNT_LOCKED', 'Locked.')

    await expect(sessions.logIn(account, signal)).rejects.toMatchObject({ code: 'BEA_ACCOUNT_LOCKED' })
    const locked = await status()
    state.refusal = undefined
    await sessions.logIn(account, signal)

    expect([locked, await status()]).toEqual(['locked', 'connected'])
  })

  it('is not needed to remove the mark: an answer in a running session removes it too', async () => {
    const { sessions, account, store } = await prepare()
    const status = async () => (await store.accounts.find(account.workspace_id, account.id))?.status
    await sessions.logIn(account, signal)
    const locked = sessions.useBeaSession(
      account,
      async () => {
        throw new Failure('forbidden', 'BEA_ACCOUNT_LOCKED', 'Locked.')
      },
      signal,
    )
    await expect(locked).rejects.toMatchObject({ code: 'BEA_ACCOUNT_LOCKED' })
    const before = await status()

    await sessions.useBeaSession(account, (connection) => connection.folders('x', signal), signal)

    expect([before, await status()]).toEqual(['locked', 'connected'])
  })

  it('is 422 with an expired certificate, without a call', async () => {
    const { sessions, account, state, time } = await prepare()
    time.now = new Date('2028-01-01T00:00:00.000Z')

    await expect(sessions.logIn(account, signal)).rejects.toMatchObject({ code: 'BEA_CERTIFICATE_INVALID' })
    expect(state.logins).toBe(0)
  })

  it('continues a session that has not ended', async () => {
    const { sessions, account, state } = await prepare()

    await sessions.logIn(account, signal)
    await sessions.logIn(account, signal)

    expect(state.logins).toBe(1)
  })

  it('leaves no session at the gateway if it cannot be sealed, since the gateway may refuse a second one', async () => {
    const { sessions, account, state, store } = await prepare()
    const sealing = vi.spyOn(store.secrets, 'seal').mockRejectedValue(new Error('KMS does not answer.'))

    const login = sessions.logIn(account, signal)

    await expect(login).rejects.toThrow('KMS does not answer.')
    sealing.mockRestore()
    expect([state.logins, state.logouts, state.tokens.size]).toEqual([1, 1, 0])
  })

  it('is 502 if the gateway is slower than the caller’s time limit', async () => {
    const { sessions, account, state } = await prepare()
    state.milliseconds = 10_000

    const login = sessions.logIn(account, AbortSignal.timeout(100))

    await expect(login).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
  })
})

describe('the end of a session', () => {
  it('reaches the gateway and the store', async () => {
    const { sessions, account, state, store } = await prepare()
    await sessions.logIn(account, signal)

    await sessions.logOut(account)

    expect([state.logouts, state.tokens.size]).toEqual([1, 0])
    expect(await store.sessions.find(ownerOf(account))).toBeUndefined()
  })

  it('removes the stored session even if it cannot be opened', async () => {
    const { sessions, account, store } = await prepare()
    await sessions.logIn(account, signal)
    const opening = vi.spyOn(store.secrets, 'open').mockRejectedValue(new Error('Sealed with another key.'))

    await sessions.logOut(account)
    opening.mockRestore()

    expect(await store.sessions.find(ownerOf(account))).toBeUndefined()
  })

  it('removes the stored session even if the gateway fails', async () => {
    const { sessions, account, state, store } = await prepare()
    await sessions.logIn(account, signal)
    state.tokens.clear()

    await sessions.logOut(account)

    expect(state.logouts).toBe(0)
    expect(await store.sessions.find(ownerOf(account))).toBeUndefined()
  })
})

/** The end of the lease of a use. */
async function leaseOf(
  { sessions }: ReturnType<typeof beaInMemory>,
  account: ReturnType<typeof aBeaAccount>,
  now: Date,
): Promise<Date> {
  const seen: Date[] = []
  const watched = {
    ...sessions,
    claim: (owner: Parameters<typeof sessions.claim>[0], lease: Parameters<typeof sessions.claim>[1]) => {
      seen.push(lease.until)
      return sessions.claim(owner, lease)
    },
  }
  const { sessionLeases } = await import('#bea/sessions/session-lease.ts')
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  await sessionLeases({ sessions: watched, clock: { now: () => now }, log }).hold(
    ownerOf(account),
    { signal },
    async () => undefined,
  )
  return seen[0] ?? new Date(Number.NaN)
}
