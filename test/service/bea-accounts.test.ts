import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { beaGiven } from '#test/support/bea-given.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

const accounts = '/api/v1/bea/accounts'
const permissions = '/api/v1/bea/permissions'

let firm: Firm
let accountId: string
beforeAll(async () => {
  firm = await newFirm()
  accountId = await beaGiven(firm).logIn(0)
})

describe('accounts of beA', () => {
  it('of a wrong certificate are 422, with a message that helps', async () => {
    const { owner } = await newFirm()
    const [lawyer] = beaGiven(firm).certificates
    const { certificate_base64 = '', passphrase = '' } = lawyer ?? {}
    const inputs = [
      { certificate_base64: '', passphrase },
      { certificate_base64, passphrase: '' },
      { certificate_base64, passphrase: 'falsch' },
      { certificate_base64: certificate_base64.slice(0, 400), passphrase },
      { certificate_base64: btoa('-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----'), passphrase },
      { certificate_base64: btoa('kein Zertifikat'), passphrase },
    ]

    for (const input of inputs) {
      const { status, body } = await owner('POST', accounts, { body: { label: 'Vogt', ...input } })

      expect([status, body.error.code]).toEqual([422, 'BEA_CERTIFICATE_INVALID'])
      expect(body.error.message.length).toBeGreaterThan(20)
    }
    expect((await owner('GET', accounts)).body.data).toEqual([])
  })

  it('are not connected twice, also by two at once', async () => {
    const { owner } = await newFirm()
    const [lawyer] = beaGiven(firm).certificates
    const { certificate_base64 = '', passphrase = '', label = '' } = lawyer ?? {}
    const body = { certificate_base64, passphrase, label }

    const statuses = await Promise.all(
      [1, 2].map(async () => (await owner('POST', accounts, { body })).status),
    )

    expect(statuses.toSorted()).toEqual([201, 409])
  })

  it('are uploaded as a file of at most 1 MiB', async () => {
    const { owner } = await newFirm()
    const raw = (bytes: Uint8Array<ArrayBuffer>) =>
      form({ file: { bytes } }, { label: 'Vogt', passphrase: 'x' })

    const large = await owner('POST', `${accounts}/upload`, { raw: raw(new Uint8Array(1024 * 1024 + 1)) })
    const none = await owner('POST', `${accounts}/upload`, {
      raw: form({}, { label: 'Vogt', passphrase: 'x' }),
    })

    expect([large.status, large.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect([none.status, none.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('keep the data of EDA, which null clears', async () => {
    const path = `${accounts}/${accountId}/eda-mahn`
    const eda = { pvkezi: '07213460', ausbaugrad: 127 }

    const set = await firm.owner('PATCH', path, { body: eda })
    const wrong = await firm.owner('PATCH', path, { body: { ...eda, ausbaugrad: 128 } })
    const cleared = await firm.owner('PATCH', path, { body: null })

    expect([set.body.eda_mahn, wrong.status, cleared.body.eda_mahn]).toEqual([eda, 400, null])
  })
})

describe('rights at an account (B8)', () => {
  it('are needed by everybody but who connected it, and end when they say', async () => {
    const { user, api } = await firm.colleague()
    const search = `/api/v1/bea/directory/search?q=Demir&account_id=${accountId}`
    const give = (valid_until: string | null) =>
      firm.owner('POST', permissions, {
        body: { account_id: accountId, user_id: user.id, rights: ['03'], valid_until },
      })

    const before = await api('GET', search)
    await give(new Date(epochMilliseconds() + 3_600_000).toISOString())
    const given = await api('GET', search)
    const end = epochMilliseconds() + 5_000
    await give(new Date(end).toISOString())
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - epochMilliseconds()) + 100))
    const ended = await api('GET', search)
    await give(null)
    const again = await api('GET', search)
    await firm.owner('DELETE', permissions, { body: { account_id: accountId, user_id: user.id } })
    const revoked = await api('GET', search)

    expect([before, given, ended, again, revoked].map(({ status }) => status)).toEqual([
      403, 200, 403, 200, 403,
    ])
    expect(before.body.error.code).toBe('BEA_RIGHT_MISSING')
    expect(Object.keys(given.body.results[0]).toSorted()).toEqual([
      'bea_id',
      'city',
      'firm',
      'name',
      'postfach_active',
    ])
  })

  it('are listed with those of the network', async () => {
    const { user } = await firm.colleague()
    const body = { account_id: accountId, user_id: user.id, rights: ['06', '03'], valid_until: null }

    const added = await firm.owner('POST', permissions, { body })
    const { data } = (await firm.owner('GET', `${accounts}/${accountId}/permissions`)).body

    expect([added.status, added.body]).toEqual([201, { ...body, rights: ['03', '06'] }])
    expect(data[0]).toMatchObject({ user_id: firm.ownerUser.id, source: 'local' })
    expect(data[0].rights).toHaveLength(30)
    expect(data).toContainEqual({
      user_id: user.id,
      name: user.name,
      rights: ['03', '06'],
      source: 'local',
      valid_until: null,
    })
  })
})
