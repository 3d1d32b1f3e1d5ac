import { describe, expect, it } from 'vitest'
import { beaAccountService } from '#bea/accounts/accounts.ts'
import { beaRights } from '#bea/rights/right-schema.ts'
import { beaLoginService } from '#bea/sessions/logins.ts'
import { sessionStates } from '#bea/sessions/session-states.ts'
import { beaSessions, sealedAs } from '#bea/sessions/session-use.ts'
import type { Actor } from '#kernel/actor.ts'
import { newId } from '#kernel/id.ts'
import type { PageOut } from '#kernel/page.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { beaInMemory } from '#test/support/bea-memory.ts'
import { plain } from '#test/support/store-changes.ts'
import { toyBeaGateway } from '#test/support/toy-bea-gateway.ts'

const pageOut: PageOut = async (_, items) => ({
  data: [...items],
  pagination: { cursor: null, has_more: false },
})

/** A firm whose lawyer has a card. */
async function prepare() {
  const store = beaInMemory()
  const toy = toyBeaGateway()
  const time = { now: new Date('2026-03-16T08:00:00.000Z') }
  const clock = { now: () => time.now }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const states = sessionStates({ ...store, clock })
  const sessions = beaSessions({ ...store, ...toy, clock, log })
  const inactive = new Set<string>()
  const users = { find: async (_: string, id: string) => ({ active: !inactive.has(id) }) }
  const deps = { ...store, ...toy, sessions, states, clock, pageOut, users }
  const [accounts, logins] = [beaAccountService(deps), beaLoginService(deps)]
  const actor: Actor = {
    workspace_id: newId('workspace'),
    user_id: newId('user'),
    user_name: 'Dr. Jana Vogt',
    key_id: newId('apiKey'),
    scopes: [],
  }
  const card = { certificate_base64: btoa('card'), passphrase: '', label: 'Karte' }
  const begin = async (account_id: string): Promise<string> => {
    const step = await logins.logInByCard(actor, { account_id })
    return 'login_id' in step ? step.login_id : ''
  }
  return { ...toy, store, time, accounts, logins, actor, card, begin, inactive }
}

const signatures = [{ id: 'c', data: 'challenge signed' }]
const keys = [{ id: 'k', data: 'key unwrapped' }]
const over = { code: 'BEA_NOT_AUTHENTICATED', kind: 'unauthenticated' }

describe('a login by card', () => {
  it('relays challenges and keys in three calls, and gives the SAFE-ID of the card', async () => {
    const { accounts, logins, actor, card, state } = await prepare()
    const account = await accounts.connect(actor, card)

    const nothing = { account_id: null, login_id: null, signatures: null, keys: null }
    const sign = await logins.logInByCard(actor, { ...nothing, account_id: account.id })
    const login_id = 'login_id' in sign ? sign.login_id : ''
    const decrypt = await logins.logInByCard(actor, { login_id, signatures })
    const session = await logins.logInByCard(actor, { ...nothing, login_id, keys })

    expect([account.kind, account.safe_id]).toEqual(['card', null])
    expect(sign).toEqual({ login_id, step: 'sign', challenges: [{ id: 'c', data: 'challenge' }] })
    expect(decrypt).toEqual({ login_id, step: 'decrypt', keys: [{ id: 'k', data: 'key' }] })
    expect(session).toEqual({
      account_id: account.id,
      status: 'active',
      since: '2026-03-16T08:00:00.000Z',
      expires_at: '2026-03-16T08:30:00.000Z',
    })
    expect((await accounts.get(actor, account.id)).safe_id).toBe(state.safeId)
  })

  it('takes each step once', async () => {
    const { accounts, logins, actor, card, begin } = await prepare()
    const login_id = await begin((await accounts.connect(actor, card)).id)

    await logins.logInByCard(actor, { login_id, signatures })

    await expect(logins.logInByCard(actor, { login_id, signatures })).rejects.toMatchObject(over)
    await logins.logInByCard(actor, { login_id, keys })
    await expect(logins.logInByCard(actor, { login_id, keys })).rejects.toMatchObject(over)
  })

  it('ends after five minutes, and only the user who began can continue it', async () => {
    const { accounts, logins, actor, card, begin, time } = await prepare()
    const { id } = await accounts.connect(actor, card)
    const login_id = await begin(id)
    const stranger = { ...actor, user_id: newId('user') }

    await expect(logins.logInByCard(stranger, { login_id, signatures })).rejects.toMatchObject(over)
    time.now = new Date('2026-03-16T08:05:00.000Z')
    await expect(logins.logInByCard(actor, { login_id, signatures })).rejects.toMatchObject(over)
  })

  it('is 422 with a wrong signature or key, and must begin again', async () => {
    const { accounts, logins, actor, card, begin } = await prepare()
    const { id } = await accounts.connect(actor, card)
    const wrong = { code: 'BEA_CERTIFICATE_INVALID', kind: 'unprocessable' }
    const first = await begin(id)

    const unsigned = logins.logInByCard(actor, { login_id: first, signatures: [{ id: 'c', data: 'x' }] })
    await expect(unsigned).rejects.toMatchObject(wrong)
    const second = await begin(id)
    await logins.logInByCard(actor, { login_id: second, signatures })
    const undecrypted = logins.logInByCard(actor, { login_id: second, keys: [{ id: 'k', data: 'x' }] })

    await expect(undecrypted).rejects.toMatchObject(wrong)
    expect((await logins.session(actor, id)).status).toBe('none')
  })

  it('is the only login for a card: a login with a stored key is 409', async () => {
    const { accounts, logins, actor, card } = await prepare()
    const { id } = await accounts.connect(actor, card)

    await expect(logins.logIn(actor, id)).rejects.toMatchObject({
      code: 'BEA_LOCAL_LOGIN_REQUIRED',
      kind: 'conflict',
    })
  })

  it('is 502 the first time if the login does not see its own postbox; the SAFE-ID stays unknown', async () => {
    const { accounts, logins, actor, card, begin, state } = await prepare()
    const { id } = await accounts.connect(actor, card)
    const login_id = await begin(id)
    await logins.logInByCard(actor, { login_id, signatures })
    state.safeId = 'DE.BRAK.99999999-2222-4333-8444-555555555555.abcd'

    const finishing = logins.logInByCard(actor, { login_id, keys })

    await expect(finishing).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect((await accounts.get(actor, id)).safe_id).toBeNull()
    expect([(await logins.session(actor, id)).status, state.tokens.size]).toEqual(['none', 0])
  })

  it('is 502 if the SAFE-ID is another than before, and stores nothing', async () => {
    const { accounts, logins, actor, card, begin, state } = await prepare()
    const { id } = await accounts.connect(actor, card)
    const first = await begin(id)
    await logins.logInByCard(actor, { login_id: first, signatures })
    await logins.logInByCard(actor, { login_id: first, keys })
    await logins.logOut(actor, id)
    state.safeId = 'DE.BRAK.99999999-2222-4333-8444-555555555555.abcd'

    const second = await begin(id)
    await logins.logInByCard(actor, { login_id: second, signatures })

    await expect(logins.logInByCard(actor, { login_id: second, keys })).rejects.toMatchObject({
      code: 'BEA_GATEWAY_ERROR',
    })
    expect((await logins.session(actor, id)).status).toBe('none')
  })
})

describe('a postbox', () => {
  const file = { certificate_base64: btoa('p12'), passphrase: 'geheim', label: 'Vogt' }

  it('is not connected if the gateway answers for another user: 502, and nothing is stored', async () => {
    const { accounts, actor, state } = await prepare()
    state.safeId = 'DE.BRAK.99999999-2222-4333-8444-555555555555.abcd'

    const connecting = accounts.connect(actor, file)

    await expect(connecting).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect((await accounts.list(actor, { limit: 50 })).data).toEqual([])
    expect([state.logins, state.tokens.size]).toEqual([1, 0])
  })

  it('is connected with one login and one logout, and its key is stored sealed, without the passphrase', async () => {
    const { accounts, actor, state, store } = await prepare()

    const account = await accounts.connect(actor, file)

    expect([state.logins, state.logouts, account.safe_id]).toEqual([1, 1, state.safeId])
    const key = store.sealedKeys.get(account.id) ?? ''
    expect(key).toContain('PRIVATE KEY')
    expect(key + JSON.stringify(await accounts.list(actor, { limit: 50 }))).not.toContain('geheim')
    expect(Object.keys(account).toSorted()).toEqual(
      [
        ...['id', 'label', 'kind', 'safe_id', 'owner_name', 'postbox_safe_id', 'login_account_id'],
        ...['certificate', 'status', 'last_sync', 'eda_mahn', 'created_at'],
      ].toSorted(),
    )
  })

  it('cannot be connected twice (409), and keeps its id and Kennziffer if it is disconnected and connected again', async () => {
    const { accounts, logins, actor } = await prepare()
    const first = await accounts.connect(actor, file)
    await logins.logIn(actor, first.id)
    const eda_mahn = { pvkezi: '07213460', ausbaugrad: 127 }
    await accounts.setEdaMahn(actor, first.id, eda_mahn)

    await expect(accounts.connect(actor, file)).rejects.toMatchObject({ code: 'BEA_ACCOUNT_EXISTS' })
    await accounts.disconnect(actor, first.id)
    await expect(accounts.get(actor, first.id)).rejects.toMatchObject({ code: 'BEA_ACCOUNT_NOT_FOUND' })
    const again = await accounts.connect(actor, file)

    expect([again.id, again.eda_mahn]).toEqual([first.id, eda_mahn])
    expect((await accounts.get(actor, first.id)).eda_mahn).toEqual(eda_mahn)
    expect((await logins.session(actor, first.id)).status).toBe('none')
  })

  it('loses its session at the gateway and its stored key when it is disconnected', async () => {
    const { accounts, logins, actor, state, store } = await prepare()
    const { id } = await accounts.connect(actor, file)
    await logins.logIn(actor, id)

    await accounts.disconnect(actor, id)

    expect([state.logouts, state.tokens.size, store.sealedKeys.size]).toEqual([2, 0, 0])
  })

  it('shows that its certificate has expired', async () => {
    const { accounts, actor, time } = await prepare()
    const { id } = await accounts.connect(actor, file)

    time.now = new Date('2028-01-01T00:00:00.000Z')

    expect((await accounts.get(actor, id)).status).toBe('certificate_expired')
  })

  it('of a Kanzlei is connected through a login that sees it, and uses the session of that login', async () => {
    const { accounts, logins, actor, state } = await prepare()
    const login = await accounts.connect(actor, file)
    state.postboxes.push({ postbox_safe_id: 'DE.BRAK.office', name: 'Kanzlei', folders: [] })
    const input = { login_account_id: login.id, postbox_safe_id: 'de.brak.OFFICE', label: 'Büro' }

    const office = await accounts.connectKanzlei(actor, input)

    expect(office).toMatchObject({ kind: 'kanzlei', safe_id: 'DE.BRAK.office', login_account_id: login.id })
    expect((await logins.session(actor, office.id)).status).toBe('active')
    await expect(
      accounts.connectKanzlei(actor, { ...input, postbox_safe_id: 'DE.BRAK.unseen' }),
    ).rejects.toMatchObject({ code: 'BEA_POSTBOX_NOT_FOUND' })
    await expect(accounts.connectKanzlei(actor, input)).rejects.toMatchObject({ code: 'BEA_ACCOUNT_EXISTS' })
  })

  describe.each([
    'person',
    'kanzlei',
  ])('of the kind %s, which another login sees and connects again', (kind) => {
    /** The lawyer has disconnected it; `connect` connects it with the login of the assistant. */
    async function takenOver() {
      const prepared = await prepare()
      const { accounts, actor, state, store } = prepared
      const ofLawyer = state.safeId
      const lawyer = await accounts.connect(actor, file)
      state.postboxes.push({ postbox_safe_id: 'DE.BRAK.office', name: 'Kanzlei', folders: [] })
      const input = { login_account_id: lawyer.id, postbox_safe_id: 'DE.BRAK.office', label: 'Büro' }
      const before = kind === 'person' ? lawyer : await accounts.connectKanzlei(actor, input)
      const assistant = { ...actor, user_id: newId('user') }
      const login = aBeaAccount({ workspace_id: actor.workspace_id, user_id: assistant.user_id })
      await store.accounts.add(plain(login), null)
      await accounts.disconnect(actor, before.id)
      const owner = { workspace_id: actor.workspace_id, account_id: login.id }
      const clock = { now: new Date('2026-03-16T08:00:00.000Z'), until: new Date('2026-03-16T08:00:20.000Z') }
      await store.sessions.claim(owner, { holder: 'test', ...clock })
      const token = 'of the assistant'
      state.tokens.add(token)
      state.postboxes.push({ postbox_safe_id: login.safe_id ?? '', name: 'Büro', folders: [] })
      const session = { token, session_key: 'session key', safe_id: login.safe_id }
      const sealed = await store.secrets.seal(JSON.stringify(session), sealedAs('session', owner))
      const at = '2026-03-16T08:00:00.000Z'
      await store.sessions.keep(owner, {
        holder: 'test',
        until: null,
        session: { sealed, since: at, last_used_at: at },
      })
      const connect = () =>
        accounts.connectKanzlei(assistant, {
          login_account_id: login.id,
          postbox_safe_id: kind === 'person' ? ofLawyer : 'DE.BRAK.office',
          label: 'Übernommen',
        })
      const userOf = async () => (await store.accounts.findEver(actor.workspace_id, before.id))?.user_id
      const grant = (valid_until: string | null) =>
        store.permissions.change(
          { workspace_id: actor.workspace_id, account_id: before.id, user_id: assistant.user_id },
          () => ({
            rights: Object.fromEntries(beaRights.map((right) => [right, valid_until])),
            answer: undefined,
          }),
        )
      return { ...prepared, assistant, before, connect, userOf, grant }
    }

    it('is refused: neither gets the messages or the login of the other', async () => {
      const { actor, connect, userOf, grant } = await takenOver()
      const refused = { code: 'BEA_RIGHT_MISSING', kind: 'forbidden' }

      await expect(connect()).rejects.toMatchObject(refused)
      await grant('2026-03-17T08:00:00.000Z')
      await expect(connect()).rejects.toMatchObject(refused)
      expect(await userOf()).toBe(actor.user_id)
    })

    it.each([
      'has been granted all rights',
      'follows a user who was deactivated',
    ])('belongs to the new user, who %s', async (why) => {
      const { actor, assistant, before, connect, userOf, grant, inactive } = await takenOver()
      await (why.startsWith('has') ? grant(null) : inactive.add(actor.user_id))

      const again = await connect()

      expect([again.id, again.kind]).toEqual([before.id, 'kanzlei'])
      expect(await userOf()).toBe(assistant.user_id)
    })
  })
})
