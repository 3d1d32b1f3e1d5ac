import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { api, codeOf } from '#test/support/api.ts'
import { aConfig, aToken, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const anyone = api(sharedService().baseUrl, undefined)

type Body = Record<string, unknown>

describe('a token', () => {
  it('has 256 bits, and is listed with its creator but without its value, until it is deleted', async () => {
    const { id } = await aConfig(firm)
    const path = `${configsPath}/${id}/tokens`
    const [first, second] = [await aToken(firm, id), await aToken(firm, id)]

    const { body: listed } = await firm.owner('GET', path)
    const deleted = await firm.owner('DELETE', `${path}/${first.id}`)
    const again = await firm.owner('DELETE', `${path}/${first.id}`)

    expect(Buffer.from(first.token, 'base64url')).toHaveLength(32)
    expect(listed.data.map((one: Body) => one.id)).toEqual([second.id, first.id])
    expect(listed.data[1]).toEqual({
      id: first.id,
      created_by: firm.ownerUser.id,
      created_at: expect.any(String),
      expires_at: first.expires_at,
      last_used_at: null,
    })
    expect(JSON.stringify(listed)).not.toContain(first.token)
    expect([deleted.status, codeOf(again)]).toEqual([204, [404, 'EXPORT_TOKEN_NOT_FOUND']])
    expect((await firm.owner('GET', path)).body.data.map((one: Body) => one.id)).toEqual([second.id])
  })

  it.each([1, 8_760])('lives for %i hours', async (expires_in_hours) => {
    const { id } = await aConfig(firm)
    const before = epochMilliseconds()

    const { body } = await firm.owner('POST', `${configsPath}/${id}/generate-token`, {
      body: { expires_in_hours },
    })

    const lives = Date.parse(body.expires_at) - before
    expect(Math.round(lives / 3_600_000)).toBe(expires_in_hours)
  })

  it.each([0, -1, 8_761, 1.5, '24', null, undefined, 1e99])('cannot live for %j hours', async (hours) => {
    const { id } = await aConfig(firm)
    const body = { expires_in_hours: hours }

    const answer = await firm.owner('POST', `${configsPath}/${id}/generate-token`, { body })

    expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('of another configuration cannot be deleted through this one', async () => {
    const [one, other] = [await aConfig(firm), await aConfig(firm)]
    const token = await aToken(firm, one.id)

    const answer = await firm.owner('DELETE', `${configsPath}/${other.id}/tokens/${token.id}`)

    expect(codeOf(answer)).toEqual([404, 'EXPORT_TOKEN_NOT_FOUND'])
  })
})

describe('the access of a token', () => {
  const aMaker = async () => {
    const { user, api, keyId } = await firm.colleague()
    const { id } = await aConfig(firm)
    const { body } = await api('POST', `${configsPath}/${id}/generate-token`, {
      body: { expires_in_hours: 24 },
    })
    return {
      user,
      path: `${configsPath}/${id}`,
      addKey: (...scopes: string[]) =>
        firm.owner('POST', '/api/v1/api-keys', { body: { user_id: user.id, name: 'Zweiter', scopes } }),
      revoke: (key = keyId) => firm.owner('DELETE', `/api/v1/api-keys/${key}`),
      activate: (active: boolean) => firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active } }),
      retrieve: async () => {
        const answer = await anyone('GET', `${configsPath}/${id}/retrieve?token=${body.token}`)
        return answer.status === 200 ? 200 : answer.body.error.code
      },
    }
  }

  it('ends with the deactivation of its maker, and is back with them', async () => {
    const { activate, retrieve } = await aMaker()

    const before = await retrieve()
    await activate(false)
    const meanwhile = await retrieve()
    await activate(true)

    expect([before, meanwhile, await retrieve()]).toEqual([200, 'EXPORT_TOKEN_INVALID', 200])
  })

  it('is nothing once its maker holds no key that may read exports, whatever other users hold', async () => {
    const { addKey, revoke, retrieve } = await aMaker()
    const reading = (await addKey('reports:read')).body
    await addKey('reports:write', 'cases:read')

    await revoke()
    const withAnotherKey = await retrieve()
    await revoke(reading.id)

    expect([withAnotherKey, await retrieve()]).toEqual([200, 'EXPORT_TOKEN_INVALID'])
  })

  it.each([
    ['reports:write'],
    ['reports:read'],
  ] as const)('is not for a key with %s alone to give', async (scope) => {
    const { path } = await aMaker()
    const api = await firm.withScopes(scope)

    const answer = await api('POST', `${path}/generate-token`, { body: { expires_in_hours: 1 } })

    expect(codeOf(answer)).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })
})
