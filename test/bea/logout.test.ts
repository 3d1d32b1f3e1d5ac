import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ownerOf } from '#bea/sessions/session-use.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { simulatedSessions } from '#test/support/bea-session-use.ts'
import { plain } from '#test/support/store-changes.ts'

/** A logout lasts until somebody logs in, and leaves no session at the gateway (B3, B10). */

const signal = new AbortController().signal
const over = { code: 'BEA_NOT_AUTHENTICATED', kind: 'unauthenticated' }
const background = { mayLogIn: true, yields: true }

async function loggedIn() {
  const it = await simulatedSessions()
  await it.sessions.logIn(it.account, signal)
  const { account, store } = it
  return {
    ...it,
    sync: () =>
      it.sessions.useBeaSession(account, (connection) => connection.folders('x', signal), signal, background),
    stored: () => store.sessions.find(ownerOf(account)),
    loggedOut: async () => (await store.accounts.find(account.workspace_id, account.id))?.logged_out ?? null,
  }
}

describe('after a logout', () => {
  it('no background work logs in, however long it tries, until a user does', async () => {
    const { sessions, account, state, sync, time, stored, loggedOut } = await loggedIn()

    await sessions.logOut(account)

    for (const hours of [0, 1, 30, 24 * 40]) {
      time.now = new Date(Date.parse('2026-03-16T08:00:00.000Z') + hours * 3_600_000)
      await expect(sync()).rejects.toMatchObject(over)
    }
    expect([state.logins, state.tokens.size, await stored()]).toEqual([1, 0, undefined])
    await sessions.logIn(account, signal)
    expect([await loggedOut(), state.logins, (await sync()).length]).toEqual([null, 2, 1])
  })

  it('no background work logs in, even if there was no session to end', async () => {
    const { sessions, account, state, another } = await simulatedSessions()

    await sessions.logOut(account)

    const sync = another().useBeaSession(account, async () => 'in', signal, background)
    await expect(sync).rejects.toMatchObject(over)
    expect(state.logins).toBe(0)
  })

  it('a Kanzlei postbox with the same login is logged out too, and a login for it ends the logout', async () => {
    const { sessions, account, store, state } = await loggedIn()
    const office = aBeaAccount({
      workspace_id: account.workspace_id,
      kind: 'kanzlei',
      safe_id: 'DE.BRAK.22222222-2222-4333-8444-555555555555.abcd',
      login_account_id: account.id,
    })
    await store.accounts.add(plain(office), null)
    const sync = () => sessions.useBeaSession(office, async () => 'in', signal, background)
    expect(await sync()).toBe('in')

    await sessions.logOut(await sessions.loginAccountOf(office))

    await expect(sync()).rejects.toMatchObject(over)
    expect([state.logins, state.tokens.size]).toEqual([1, 0])
    await sessions.logIn(office, signal)
    expect(await sync()).toBe('in')
  })

  it('by several callers at once, there is no session and no login', async () => {
    const { sessions, another, account, state, sync } = await loggedIn()

    await Promise.all([sessions.logOut(account), another().logOut(account), sessions.logOut(account)])

    await expect(sync()).rejects.toMatchObject(over)
    expect([state.logins, state.tokens.size]).toEqual([1, 0])
  })

  it('a later login keeps its session, even if the logout still waits for the earlier session', async () => {
    const { sessions, another, account, state, sync, stored, time } = await loggedIn()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const user = sessions.useBeaSession(account, () => released, signal)
    await sleep(20)
    const leaving = sessions.logOut(account)
    await sleep(50)
    const entering = another().logIn(account, signal)
    await sleep(50)

    release()
    await Promise.all([user, leaving, entering])
    // The marks of waiting callers have expired.
    time.now = new Date(time.now.getTime() + 2_000)

    expect((await sync()).length).toBe(1)
    expect([state.tokens.size, (await stored()) !== undefined]).toEqual([1, true])
  })

  it('a login that was running gives no session, and leaves none at the gateway', async () => {
    const { sessions, another, account, state, time, stored } = await loggedIn()
    time.now = new Date('2026-03-16T09:00:00.000Z')
    state.tokens.clear()
    state.milliseconds = 300
    const login = sessions.logIn(account, signal).catch((error: unknown) => error)
    await sleep(100)

    await another().logOut(account)

    await login
    expect([state.tokens.size, await stored()]).toEqual([0, undefined])
  })
})

describe('a logout', () => {
  it('ends a running use within seconds, and ends the session with its newest token', async () => {
    const { sessions, another, account, state, stored } = await loggedIn()
    const sync = sessions.useBeaSession(
      account,
      async (connection) => {
        for (;;) {
          await connection.folders('x', signal)
          await sleep(20)
        }
      },
      signal,
      background,
    )
    const ended = expect(sync).rejects.toMatchObject(over)
    await sleep(100)

    await another().logOut(account)

    await ended
    expect([state.logins, state.tokens.size, await stored()]).toEqual([1, 0, undefined])
  })

  it('waits for the lease of a process that died, and ends the session that this process had stored', async () => {
    const { sessions, account, state, store, time, stored } = await loggedIn()
    const until = new Date(time.now.getTime() + 20_000)
    await store.sessions.claim(ownerOf(account), { holder: 'dead', now: time.now, until })
    setTimeout(() => {
      time.now = new Date(time.now.getTime() + 20_001)
    }, 200)

    await sessions.logOut(account)

    expect([state.logouts, state.tokens.size, await stored()]).toEqual([1, 0, undefined])
  })

  it('is completed in the background if its process died before it ended the session', async () => {
    const { account, state, store, sync, stored } = await loggedIn()
    await store.accounts.change(account.workspace_id, account.id, (current) => ({
      ...current,
      logged_out: '2026-03-16T08:00:00.000Z dead',
    }))

    await expect(sync()).rejects.toMatchObject(over)

    expect([state.tokens.size, await stored()]).toEqual([0, undefined])
  })

  it.each([
    ['that is running', 'late'],
    ['that was ordered earlier and still waits', 'early'],
  ])('does not stop a send %s, and leaves no session after it', async (_, when) => {
    const { sessions, another, account, state, stored, time } = await loggedIn()
    const orderedAt = time.now.toISOString()
    time.now = new Date(time.now.getTime() + 1_000)
    const send = () =>
      sessions.useBeaSession(
        account,
        async (connection) => {
          await connection.folders('x', signal)
          if (when === 'late') await sleep(6_000)
          return connection.send('x', {} as never, async () => {}, signal)
        },
        signal,
        { mayLogIn: true, orderedAt },
      )
    const sending = when === 'late' ? send() : undefined
    await sleep(50)

    await another().logOut(account)
    const outcome = await (sending ?? send())

    expect(outcome).toEqual({ outcome: 'sent', message_id: '7' })
    expect([state.tokens.size, await stored()]).toEqual([0, undefined])
    const again = sessions.useBeaSession(account, async () => 'in', signal, background)
    await expect(again).rejects.toMatchObject(over)
  })

  it('stops a send that was ordered after it', async () => {
    const { sessions, account, time, state } = await loggedIn()
    await sessions.logOut(account)
    const orderedAt = new Date(time.now.getTime() + 1).toISOString()

    const send = sessions.useBeaSession(account, async () => 'sent', signal, { mayLogIn: true, orderedAt })

    await expect(send).rejects.toMatchObject(over)
    expect(state.logins).toBe(1)
  })
})

describe('an account that is disconnected', () => {
  it('while its session is used leaves no session at the gateway', async () => {
    const { sessions, another, account, state, store } = await loggedIn()
    const sync = sessions.useBeaSession(
      account,
      async (connection) => {
        for (;;) {
          await connection.folders('x', signal)
          await sleep(20)
        }
      },
      signal,
      background,
    )
    const ended = expect(sync).rejects.toMatchObject(over)
    await sleep(100)

    await store.accounts.disconnect(account.workspace_id, account.id, '2026-03-16T08:00:00.000Z')
    await another().end(account)

    await ended
    expect([state.tokens.size, await store.sessions.find(ownerOf(account))]).toEqual([0, undefined])
  })

  it('and connected again keeps the session of its new login, even if the end of the old one still waits', async () => {
    const { sessions, another, account, state, store, stored } = await loggedIn()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const user = sessions.useBeaSession(account, () => released, signal)
    await sleep(20)
    const disconnected_at = '2026-03-16T08:00:00.000Z'
    await store.accounts.disconnect(account.workspace_id, account.id, disconnected_at)
    const ending = another().end({ ...account, disconnected_at })
    await store.accounts.add(plain(account), null)

    release()
    await Promise.all([user, ending])

    expect([state.tokens.size, (await stored()) !== undefined]).toEqual([1, true])
  })
})
