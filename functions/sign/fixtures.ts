import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** Sends an envelope, and creates a link for its first signer. */
async function link(
  { firm, makeCase, makeDocument }: Given,
  {
    names = ['Anna Meier', 'Emre Çelik'],
    access_code = null,
  }: { names?: string[]; access_code?: string | null } = {},
) {
  const signers = names.map((name) => ({ name, email: 'a@example.com', access_code }))
  const body = { title: `Vollmacht ${firm.workspace.id}`, document_ids: [await makeDocument()], signers }
  const { owner } = firm
  const created = await owner('POST', `/api/v1/cases/${await makeCase()}/signing-envelopes`, { body })
  const path = `/api/v1/signing/envelopes/${created.body.id}`
  await owner('POST', `${path}/send`, { body: { send_emails: false } })
  const { url } = (await owner('POST', `${path}/signers/${created.body.signers[0].id}/link`)).body
  const token: string = url.split('/sign/')[1]
  return { token, sigdoc_id: created.body.documents[0].id as string }
}

async function opened(given: Given, names?: string[]) {
  const made = await link(given, names && { names })
  const { baseUrl } = given.firm
  await fetch(`${baseUrl}/sign/${made.token}/open`, { method: 'POST', redirect: 'manual' })
  return made
}

/** A form of a link. It answers with a redirect, which shows only the token. */
const aForm =
  (make: (given: Given) => Promise<{ token: string }>): Fixture =>
  async (given) => {
    const { token } = await make(given)
    return { params: { token }, credential: token, shows: token }
  }

/** For endpoints that do not look up the token. */
const anyToken: Fixture = async () => ({ params: { token: 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w' } })

export const fixtures: Fixtures<typeof endpoints> = {
  getSignerPage: async (given) => {
    const { token } = await link(given)
    return { params: { token }, credential: token, shows: given.firm.workspace.id }
  },
  enterAccessCode: aForm((given) => link(given, { access_code: 'Ahorn-27' })),
  openForSigning: aForm((given) => link(given)),
  signEnvelope: aForm((given) => opened(given)),
  declineEnvelope: aForm((given) => opened(given)),
  leaveAccessForm: anyToken,
  leaveOpenForm: anyToken,
  leaveSignForm: anyToken,
  leaveDeclineForm: anyToken,
  readDocumentToSign: async (given) => {
    const { token, sigdoc_id } = await opened(given)
    return { params: { token, sigdoc_id }, credential: token }
  },
  readSealedCopy: async (given) => {
    const { token, sigdoc_id } = await opened(given, ['Anna Meier'])
    const page = `${given.firm.baseUrl}/sign/${token}`
    const form = new URLSearchParams({ name: 'Anna Meier', consent: 'yes' })
    await fetch(`${page}/sign`, { method: 'POST', body: form, redirect: 'manual' })
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const html = await (await fetch(page, { headers: { Accept: 'text/html' } })).text()
      if (html.includes(`/copies/${sigdoc_id}`)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return { params: { token, sigdoc_id }, credential: token }
  },
}
