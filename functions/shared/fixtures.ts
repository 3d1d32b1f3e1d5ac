import type { Fixtures, Given, Prepared } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** Sends a document as a link, and reads the token of the address in the mail. */
async function share({ firm, makeDocument }: Given): Promise<{ token: string; document_id: string }> {
  const document_id = await makeDocument()
  const body = {
    to: ['anna.meier@example.com'],
    subject: 'Akte',
    attachments: [document_id],
    attachments_as: 'links',
  }
  const sent = await firm.owner('POST', '/api/v1/email/outbound/send', { body })
  const mail = await firm.owner('GET', `/api/v1/correspondence/${sent.body.id}`)
  const [, token = ''] = /\/shared\/([\w-]+)/.exec(mail.body.body_html) ?? []
  return { token, document_id }
}

/** What the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  getSharedPage: async (given): Promise<Prepared> => {
    const { token, document_id } = await share(given)
    return { params: { token }, credential: token, shows: document_id }
  },
  downloadSharedDocument: async (given): Promise<Prepared> => {
    const { token, document_id } = await share(given)
    return { params: { token, document_id }, credential: token }
  },
}
