import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { SessionOwner, StoredSession } from '#bea/sessions/session-ports.ts'
import { newId } from '#kernel/id.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaLoginStore, beaSessionStore } from '#store/bea/bea-session-store.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { faultyStore } from '#test/support/faulty-store.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 16, 8, 0, seconds))
const session: StoredSession = {
  sealed: 'sealed',
  since: at(0).toISOString(),
  last_used_at: at(1).toISOString(),
}
const anOwner = (): SessionOwner => ({ workspace_id: newId('workspace'), account_id: newId('beaAccount') })

describe('the lease of a session', () => {
  it('is had by one of twenty who claim it at once', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]
    const holders = Array.from({ length: 20 }, (_, number) => `holder ${number}`)

    const claims = await Promise.all(
      holders.map((holder) => store.claim(owner, { holder, now: at(0), until: at(20) })),
    )

    expect(claims.filter((claim) => claim !== undefined)).toEqual([{ stored: null }])
  })

  it('is had by the one who claimed it where the answer of the database was lost', async () => {
    const connection = await faultyStore(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', connection.url)
    const store = beaSessionStore({ ...db, client: createClient() })
    let calls = 0
    connection.fault = () => {
      calls += 1
      return calls === 1 ? 'lose the answer' : 'none'
    }
    const claims: unknown[] = []

    for (const yields of [false, true]) {
      calls = 0
      claims.push(await store.claim(anOwner(), { holder: 'first', now: at(0), until: at(20), yields }))
    }

    expect(claims).toEqual([{ stored: null }, { stored: null }])
    connection.close()
    vi.unstubAllEnvs()
  })

  it('ends by itself, and its holder can then store nothing', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]
    await store.claim(owner, { holder: 'dead', now: at(0), until: at(20) })

    const early = await store.claim(owner, { holder: 'next', now: at(19), until: at(39) })
    const late = await store.claim(owner, { holder: 'next', now: at(20), until: at(40) })

    expect([early, late]).toEqual([undefined, { stored: null }])
    expect(await store.keep(owner, { holder: 'dead', until: null, session })).toBe(false)
    expect(await store.find(owner)).toBeUndefined()
    expect(await store.keep(owner, { holder: 'next', until: at(50), session })).toBe(true)
    expect(await store.find(owner)).toEqual(session)
  })

  it('is given back with the session, which the next holder gets', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]
    await store.claim(owner, { holder: 'first', now: at(0), until: at(20) })

    await store.keep(owner, { holder: 'first', until: null, session })
    const next = await store.claim(owner, { holder: 'second', now: at(1), until: at(21) })
    await store.keep(owner, { holder: 'second', until: null })
    const kept = await store.find(owner)
    await store.claim(owner, { holder: 'third', now: at(2), until: at(22) })
    await store.keep(owner, { holder: 'third', until: null, session: null })

    expect(next).toEqual({ stored: session })
    expect(kept).toEqual(session)
    expect(await store.find(owner)).toBeUndefined()
  })

  it('is left by one who yields to those who want it, until they do no more', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]
    const claim = (holder: string, seconds: number, yields: boolean) =>
      store.claim(owner, { holder, now: at(seconds), until: at(seconds + 20), yields })
    await claim('sync', 0, true)

    await store.want(owner, at(3))
    const wanted = [await store.isWanted(owner, at(2)), await store.isWanted(owner, at(3))]
    await store.keep(owner, { holder: 'sync', until: null, session })
    const yielding = await claim('sync', 2, true)
    const waiting = await claim('user', 2, false)
    const beside = await claim('sync', 3, true)
    await store.keep(owner, { holder: 'user', until: null })
    const after = await claim('sync', 3, true)

    expect(wanted).toEqual([true, false])
    expect([yielding, waiting, beside, after]).toEqual([
      undefined,
      { stored: session },
      undefined,
      { stored: session },
    ])
  })

  it('is wanted by nobody, and stays away, where the session was removed', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]

    await store.want(owner, at(3))

    expect(await store.isWanted(owner, at(2))).toBe(false)
  })

  it('is lost when the session is removed', async () => {
    const [owner, store] = [anOwner(), beaSessionStore(db)]
    await store.claim(owner, { holder: 'first', now: at(0), until: at(20) })

    await store.remove(owner)

    expect(await store.keep(owner, { holder: 'first', until: at(30), session })).toBe(false)
    expect(await store.find(owner)).toBeUndefined()
  })
})

describe('a new session', () => {
  it('is stored for a connected account only', async () => {
    const account = aBeaAccount()
    const owner = { workspace_id: account.workspace_id, account_id: account.id }
    const [store, accounts] = [beaSessionStore(db), beaAccountStore(db)]
    await accounts.add(plain(account), null)
    await store.claim(owner, { holder: 'me', now: at(0), until: at(20) })

    const begun = await store.begin(owner, { holder: 'me', until: at(20), session, loggedOut: null })
    await accounts.disconnect(account.workspace_id, account.id, at(2).toISOString())
    const again = await store.begin(owner, {
      holder: 'me',
      until: at(20),
      session: { ...session, sealed: 'new' },
      loggedOut: null,
    })

    expect([begun, again]).toEqual([true, false])
    expect(await store.find(owner)).toEqual(session)
  })
})

describe('a new session of an account that somebody has logged out of', () => {
  async function loggedOut() {
    const account = aBeaAccount()
    const { workspace_id, id } = account
    const owner = { workspace_id, account_id: id }
    const [store, accounts] = [beaSessionStore(db), beaAccountStore(db)]
    await accounts.add(plain(account), null)
    await accounts.change(workspace_id, id, (current) => ({ ...current, logged_out: 'first' }))
    await store.claim(owner, { holder: 'me', now: at(0), until: at(20) })
    const begin = (loggedOut: string | null) =>
      store.begin(owner, { holder: 'me', until: at(20), session, loggedOut })
    return { account, owner, store, accounts, begin, read: () => accounts.find(workspace_id, id) }
  }

  it.each([
    ['that knows of none', null],
    ['that knows of an earlier one', 'earlier'],
  ])('is not stored by a login %s', async (_, known) => {
    const { begin, read, store, owner } = await loggedOut()
    expect(await begin(known)).toBe(false)
    expect([await store.find(owner), (await read())?.logged_out]).toEqual([undefined, 'first'])
  })

  it('is stored by one that knows of it and ends it; a change of the account meanwhile does not bring it back', async () => {
    const { begin, read, accounts, account } = await loggedOut()
    const changing = accounts.change(account.workspace_id, account.id, (current) => ({
      ...current,
      label: `${current.label} neu`,
    }))
    const begun = await begin('first')
    await changing
    expect([begun, (await read())?.logged_out, (await read())?.label]).toEqual([
      true,
      null,
      `${account.label} neu`,
    ])
  })
})

describe('a login with a card', () => {
  const aLogin = () => ({
    workspace_id: newId('workspace'),
    id: newId('beaLogin'),
    account_id: newId('beaAccount'),
    user_id: newId('user'),
    step: 'sign' as const,
    sealed: 'sealed',
    expires_at: at(300).toISOString(),
  })

  it('is taken once, also by twenty at once', async () => {
    const [login, store] = [aLogin(), beaLoginStore(db)]
    await store.put(plain(login))

    const taken = await Promise.all(Array.from({ length: 20 }, () => store.take(login, at(1))))

    expect(taken.filter((one) => one !== undefined)).toEqual([login])
  })

  it('is not taken by another user or workspace, at another step, or after its time', async () => {
    const [login, store] = [aLogin(), beaLoginStore(db)]
    await store.put(plain(login))

    const taken = await Promise.all([
      store.take({ ...login, user_id: newId('user') }, at(1)),
      store.take({ ...login, workspace_id: newId('workspace') }, at(1)),
      store.take({ ...login, step: 'decrypt' }, at(1)),
      store.take(login, at(300)),
    ])

    expect(taken).toEqual([undefined, undefined, undefined, undefined])
    expect(await store.take(login, at(299))).toEqual(login)
  })
})
