import { describe, expect, it } from 'vitest'
import { aBeaAccountOf } from '#test/support/bea-records.ts'
import { unknownSend } from '#test/support/bea-sends.ts'
import { newFirm } from '#test/support/firm.ts'

/** After an account is disconnected, its drafts and the rights to them, over HTTP. */

const path = '/api/v1/bea/drafts'

/** A firm with a draft of an account that is then disconnected, and a colleague. */
async function prepare() {
  const firm = await newFirm()
  const account = await aBeaAccountOf(firm)
  const body = {
    account_id: account.id,
    to: [{ name: 'Demir', bea_id: 'DE.BRAK.x' }],
    subject: 'Vergleich',
    body: 'Unser Angebot.',
  }
  const draft = (await firm.owner('POST', path, { body })).body
  const disconnect = () => firm.owner('DELETE', `/api/v1/bea/accounts/${account.id}`)
  const right = (method: string, user_id: string, rights: string[]) =>
    firm.owner(method, '/api/v1/bea/permissions', { body: { account_id: account.id, user_id, rights } })
  return { ...firm, account, draft, input: body, disconnect, right, colleague: await firm.colleague() }
}

describe('a draft of a disconnected account', () => {
  it('is read, listed and deleted, but neither changed nor sent', async () => {
    const { owner, draft, input, disconnect, account } = await prepare()
    await disconnect()

    const shown = await owner('GET', `${path}/${draft.id}`)
    const lists = await Promise.all([owner('GET', path), owner('GET', `${path}?account_id=${account.id}`)])
    const refused = [
      await owner('PUT', `${path}/${draft.id}`, { body: { ...input, subject: 'Anders' } }),
      await owner('POST', `${path}/${draft.id}/send`, { body: {} }),
      await owner('POST', path, { body: input }),
    ]

    expect(shown.body).toEqual(draft)
    for (const { body } of lists) expect(body.data.map(({ id }: { id: string }) => id)).toEqual([draft.id])
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(3).fill([404, 'BEA_ACCOUNT_NOT_FOUND']),
    )
    expect((await owner('GET', `${path}/${draft.id}`)).body).toEqual(draft)
    // Otherwise the draft would keep its case from disposal for ever.
    expect((await owner('DELETE', `${path}/${draft.id}`)).status).toBe(204)
    expect((await owner('GET', `${path}/${draft.id}`)).status).toBe(404)
  })

  it('gives no right to a colleague who was deactivated, and takes those given before', async () => {
    const { owner, right, colleague } = await prepare()
    const { id } = colleague.user
    await right('POST', id, ['03'])
    await owner('PATCH', `/api/v1/users/${id}`, { body: { active: false } })

    const given = await right('POST', id, ['05'])
    const taken = await right('DELETE', id, ['03'])

    expect([given.status, given.body.error?.code, taken.status]).toEqual([404, 'USER_NOT_FOUND', 204])
    expect(given.body.error.message).toContain('deactivated')
  })

  it('is shown to a colleague as the right 03 says, which is given and taken after the end too', async () => {
    const { draft, disconnect, right, colleague } = await prepare()
    await disconnect()
    const read = async () => (await colleague.api('GET', `${path}/${draft.id}`)).status
    const listed = async () => (await colleague.api('GET', path)).body.data.length

    const before = [await read(), await listed()]
    await right('POST', colleague.user.id, ['03'])
    const given = [await read(), await listed()]
    await right('DELETE', colleague.user.id, ['03'])
    const taken = [await read(), await listed()]

    expect([before, given, taken]).toEqual([
      [403, 0],
      [200, 1],
      [403, 0],
    ])
  })

  it('with an unknown outcome is settled by a user with the right 05, in the state that If-Match names', async () => {
    const { owner, workspace, draft, disconnect, colleague, right } = await prepare()
    await unknownSend(workspace.id, draft.id)
    await disconnect()
    await right('POST', colleague.user.id, ['03'])
    const resolve = `${path}/${draft.id}/resolve`
    const body = { outcome: 'sent' }

    const without = await colleague.api('POST', resolve, { body })
    const settling = (etag: string) => owner('POST', resolve, { body, headers: { 'If-Match': etag } })
    const unseen = await settling('"before"')
    const seen = await owner('GET', `${path}/${draft.id}`)
    const settled = await settling(seen.headers.get('etag') ?? '')

    expect([without.status, unseen.status, settled.status, settled.body.status]).toEqual([
      403,
      412,
      200,
      'sent',
    ])
  })

  it('is of another workspace for everybody else: 404', async () => {
    const { draft, disconnect } = await prepare()
    await disconnect()
    const stranger = await newFirm()

    const { status, body } = await stranger.owner('GET', `${path}/${draft.id}`)

    expect([status, body.error.code]).toEqual([404, 'DRAFT_NOT_FOUND'])
    expect((await stranger.owner('GET', path)).body.data).toEqual([])
  })
})
