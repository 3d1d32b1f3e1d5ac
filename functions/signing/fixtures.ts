import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const anna = { name: 'Anna Meier', email: 'anna.meier@example.com' }

/** Creates an envelope with one document and one signer; returns its id and the signer's id. */
const makeEnvelope = async ({
  firm,
  makeCase,
  makeDocument,
}: Given): Promise<{ id: string; signer_id: string }> => {
  const body = { title: 'Vollmacht', document_ids: [await makeDocument()], signers: [anna] }
  const path = `/api/v1/cases/${await makeCase()}/signing-envelopes`
  const { id, signers } = (await firm.owner('POST', path, { body })).body
  return { id, signer_id: signers[0].id }
}

const aDraft: Fixture = async (given) => ({ params: { id: (await makeEnvelope(given)).id } })

/** Creates an envelope and sends it without mails. */
const makeSent = async (given: Given) => {
  const params = await makeEnvelope(given)
  const path = `/api/v1/signing/envelopes/${params.id}/send`
  await given.firm.owner('POST', path, { body: { send_emails: false } })
  return params
}

const aSentEnvelope: Fixture = async (given) => ({ params: { id: (await makeSent(given)).id } })

export const fixtures: Fixtures<typeof endpoints> = {
  listSignedDocuments: async ({ makeCase }) => ({ params: { id: await makeCase() } }),
  createEnvelope: async ({ makeCase, makeDocument }) => ({
    params: { id: await makeCase() },
    body: { document_ids: [await makeDocument()] },
  }),
  promoteToEnvelope: async ({ makeCase, makeDocument }) => ({
    body: { case_id: await makeCase(), document_ids: [await makeDocument()] },
  }),
  getEnvelope: aDraft,
  updateEnvelope: aDraft,
  addEnvelopeSigners: aDraft,
  removeEnvelopeSigner: async (given) => ({ params: await makeEnvelope(given) }),
  sendEnvelope: aDraft,
  remindSigners: aSentEnvelope,
  voidEnvelope: aSentEnvelope,
  createSigningLink: async (given) => ({ params: await makeSent(given) }),
  getEnvelopeAudit: aDraft,
}
