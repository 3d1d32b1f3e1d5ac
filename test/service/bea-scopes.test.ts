import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Scope } from '#kernel/scope.ts'
import { beaGiven } from '#test/support/bea-given.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { aBeaAccountOf } from '#test/support/bea-records.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** Every request that reaches beA requires a scope of beA (B3), and nobody can give rights to themselves (B8). */

const permissions = '/api/v1/bea/permissions'
const inbox = '/api/v1/inbox'

describe('beA messages in the inbox', () => {
  async function prepare() {
    const firm = await newFirm()
    const office = await beaOffice(firm)
    const message = await office.receive({ subject: 'Ladung zum Termin' })
    const { body } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })
    return { ...firm, ...office, message, case_id: body.id as string }
  }
  const shown = async (it: Firm, scopes: Scope[], query = '') =>
    (await (await it.withScopes(...scopes))('GET', `${inbox}${query}`)).body.data.map(
      ({ id }: { id: string }) => id,
    )

  it.each([
    [['inbox:read'], ''],
    [['inbox:read'], '?kind=bea'],
    [['inbox:read', 'bea:write'], ''],
    [['inbox:read', 'inbox:write', 'bea:admin', 'documents:read'], ''],
    [['inbox:read', 'inbox:write', 'contacts:read'], '?category=court'],
  ] as [Scope[], string][])('are not shown to a key with %j and the query "%s"', async (scopes, query) => {
    const it = await prepare()
    const without = await shown(it, scopes, query)
    const withIt = await shown(it, [...scopes, 'bea:read'])
    expect([without, withIt]).toEqual([[], [it.message]])
  })

  it.each([
    ['file', ['inbox:write']],
    ['file', ['inbox:write', 'bea:read']],
    ['dismiss', ['inbox:write', 'bea:write']],
    ['reopen', ['inbox:write', 'inbox:read', 'bea:admin']],
    ['dismiss', ['inbox:write', 'bea:read', 'bea:admin']],
  ] as [string, Scope[]][])('cannot be treated (%s) with a key with %j', async (act, scopes) => {
    const { owner, withScopes, message, case_id } = await prepare()
    const to = `${inbox}/${message}/${act}`
    const body = act === 'file' ? { case_id } : {}
    const refused = await (await withScopes(...scopes))('POST', to, { body })
    const before = (await owner('GET', `/api/v1/bea/messages/${message}`)).body
    const allowed = await (await withScopes('inbox:write', 'bea:read', 'bea:write'))('POST', to, { body })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect([before.case_id, allowed.status]).toEqual([null, 200])
  })

  it('that do not exist are not found, whatever the key may do', async () => {
    const { withScopes } = await prepare()
    const api = await withScopes('inbox:write')
    const { status } = await api('POST', `${inbox}/01993f5e-0000-7000-8000-000000000000/dismiss`)
    expect(status).toBe(404)
  })
})

describe('rights at a beA account', () => {
  let firm: Firm
  let colleague: Awaited<ReturnType<Firm['colleague']>>
  beforeAll(async () => {
    firm = await newFirm()
    colleague = await firm.colleague()
  })

  it.each([
    ['the right to read', ['06'], null],
    ['all rights', Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0')), null],
    ['a right for an hour', ['11'], new Date(epochMilliseconds() + 3_600_000).toISOString()],
  ])('are not given to oneself: %s', async (_, rights, valid_until) => {
    const { id: account_id } = await aBeaAccountOf(firm)
    const give = (api: typeof firm.owner, user_id: string) =>
      api('POST', permissions, { body: { account_id, user_id, rights, valid_until } })

    const own = await give(colleague.api, colleague.user.id)
    const ofTheOwner = await give(firm.owner, firm.ownerUser.id)
    const listed = await colleague.api('GET', `/api/v1/bea/messages?account_id=${account_id}`)
    const byAnother = await give(firm.owner, colleague.user.id)

    expect([own, ofTheOwner].map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([403, 'BEA_RIGHT_MISSING']),
    )
    expect(listed.body.data).toEqual([])
    expect(byAnother.status).toBe(201)
  })

  it('are not prolonged by who has them', async () => {
    const { id: account_id } = await aBeaAccountOf(firm)
    const give = (api: typeof firm.owner, valid_until: string | null) =>
      api('POST', permissions, {
        body: { account_id, user_id: colleague.user.id, rights: ['06'], valid_until },
      })
    await give(firm.owner, new Date(epochMilliseconds() + 60_000).toISOString())
    expect((await give(colleague.api, null)).status).toBe(403)
  })

  it('are not taken by connecting anew what the login of somebody else sees', async () => {
    const given = beaGiven(firm)
    const login_account_id = await given.logIn(0)
    const { data } = (
      await firm.owner('GET', `/api/v1/bea/accounts/${login_account_id}/administered-postboxes`)
    ).body
    const { postbox_safe_id } = data.find(({ own }: { own: boolean }) => !own)
    await given.free({ safe_id: postbox_safe_id })
    const body = { login_account_id, postbox_safe_id, label: 'Kanzleipostfach' }
    const connect = (api: typeof firm.owner) => api('POST', '/api/v1/bea/accounts/kanzlei', { body })

    const first = await connect(firm.owner)
    await colleague.api('DELETE', `/api/v1/bea/accounts/${first.body.id}`)
    const taken = await connect(colleague.api)
    const again = await connect(firm.owner)

    expect([taken.status, taken.body.error.code]).toEqual([403, 'BEA_RIGHT_MISSING'])
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id])
  })

  it('are not taken by connecting the certificate of a card anew, which is no secret', async () => {
    const given = beaGiven(firm)
    const id = await given.connect(2)
    const { label, certificate_base64, passphrase } = given.certificates[2] ?? {}
    await colleague.api('DELETE', `/api/v1/bea/accounts/${id}`)

    const { status, body } = await colleague.api('POST', '/api/v1/bea/accounts', {
      body: { label, certificate_base64, passphrase },
    })
    const draft = (api: typeof firm.owner) =>
      api('POST', '/api/v1/bea/drafts', { body: { account_id: id, subject: 'Vergleich' } })

    expect([status, body.id]).toEqual([201, id])
    expect([(await draft(colleague.api)).status, (await draft(firm.owner)).status]).toEqual([403, 201])
  })
})
