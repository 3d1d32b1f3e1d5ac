import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aMail: Fixture = async ({ firm }) => {
  const body = { to: ['anna.meier@example.com'], subject: 'Klageentwurf', body_html: '<p>Anbei.</p>' }
  return { params: { id: (await firm.owner('POST', '/api/v1/email/outbound/send', { body })).body.id } }
}

/** Sends a document as a link, and returns the ids of the document, the mail and the link. */
async function share({ firm, makeDocument }: Given) {
  const document_id = await makeDocument()
  const body = {
    to: ['anna.meier@example.com'],
    subject: 'Akte',
    attachments: [document_id],
    attachments_as: 'links',
  }
  const { id } = (await firm.owner('POST', '/api/v1/email/outbound/send', { body })).body
  const { data } = (await firm.owner('GET', `/api/v1/correspondence/${id}/shared-links`)).body
  return { id, document_id, link_id: data[0].id }
}

const ofMail: Fixture = async (given) => {
  const { id, link_id } = await share(given)
  return { params: { id, link_id }, shows: link_id }
}

const ofDocument: Fixture = async (given) => {
  const { document_id, link_id } = await share(given)
  return { params: { id: document_id, link_id }, shows: link_id }
}

export const fixtures: Fixtures<typeof endpoints> = {
  getCorrespondence: aMail,
  getRawCorrespondence: aMail,
  listMailLinks: ofMail,
  deleteMailLink: ofMail,
  listDocumentLinks: ofDocument,
  deleteDocumentLink: ofDocument,
}
