import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** A lawyer whose account and session are kept, one who is connected and disconnected, and one with a card. */
const [lasting, changing, card] = [0, 1, 2]

const anAccount: Fixture = async ({ bea }) => ({ params: { account_id: await bea.connect(lasting) } })
const withSession: Fixture = async ({ bea }) => ({ params: { account_id: await bea.logIn(lasting) } })

async function certificateOf({ bea }: Given, lawyer: number) {
  await bea.free(lawyer)
  const { label = '', certificate_base64 = '', passphrase = '' } = bea.certificates[lawyer] ?? {}
  return { label, certificate_base64, passphrase }
}

const aColleague: Fixture = async ({ bea, firm }) => ({
  body: { account_id: await bea.connect(lasting), user_id: (await firm.colleague()).user.id },
})

export const fixtures: Fixtures<typeof endpoints> = {
  connectBeaAccount: async (given) => ({ body: await certificateOf(given, changing) }),
  uploadBeaAccount: async (given) => {
    const { label, certificate_base64, passphrase } = await certificateOf(given, card)
    const bytes = Buffer.from(certificate_base64, 'base64')
    return { body: { label, passphrase }, files: { certificate: { bytes } } }
  },
  connectBeaKanzlei: async ({ bea, firm: { owner } }) => {
    const login_account_id = await bea.logIn(lasting)
    const path = `/api/v1/bea/accounts/${login_account_id}/administered-postboxes`
    const { data } = (await owner('GET', path)).body
    const { postbox_safe_id } = data.find((one: { own: boolean }) => !one.own)
    await bea.free({ safe_id: postbox_safe_id })
    return { body: { login_account_id, postbox_safe_id } }
  },
  getBeaAccount: anAccount,
  updateBeaEdaMahn: anAccount,
  disconnectBeaAccount: async ({ bea }) => ({ params: { account_id: await bea.connect(changing) } }),
  logInToBea: async ({ bea }) => ({ body: { account_id: await bea.connect(lasting) } }),
  logInToBeaLocally: async ({ bea }) => ({ body: { account_id: await bea.connect(lasting) } }),
  logOutOfBea: async ({ bea }) => ({ params: { account_id: await bea.logIn(changing) } }),
  getBeaSession: anAccount,
  listBeaFolders: withSession,
  listAdministeredBeaPostboxes: withSession,
  searchBeaDirectory: async ({ bea }) => {
    await bea.logIn(lasting)
    return {}
  },
  listBeaPermissions: withSession,
  grantBeaPermission: aColleague,
  revokeBeaPermission: aColleague,
}
