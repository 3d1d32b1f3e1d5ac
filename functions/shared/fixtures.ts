import { aReportToken } from '#test/support/access-reports.ts'
import type { Fixtures, Given, Prepared } from '#test/support/fixture.ts'
import { newAddress, sentTo } from '#test/support/sent-mail.ts'
import type * as endpoints from './endpoints.ts'

/** Sends a document as a link, and reads the token of the address in the mail. */
async function share({ firm, makeDocument }: Given): Promise<{ token: string; document_id: string }> {
  const document_id = await makeDocument()
  const to = newAddress()
  const body = {
    to: [to],
    subject: 'Akte',
    attachments: [document_id],
    attachments_as: 'links',
  }
  await firm.owner('POST', '/api/v1/email/outbound/send', { body })
  const [message] = await sentTo(to)
  const [, token = ''] = /\/shared\/([\w-]+)/.exec(message?.mail.html ?? '') ?? []
  return { token, document_id }
}

export const fixtures: Fixtures<typeof endpoints> = {
  getSharedPage: async (given): Promise<Prepared> => {
    const { token, document_id } = await share(given)
    return { params: { token }, credential: token, shows: document_id }
  },
  downloadSharedDocument: async (given): Promise<Prepared> => {
    const { token, document_id } = await share(given)
    return { params: { token, document_id }, credential: token }
  },
  downloadAccessReport: async ({ firm, makeParty }): Promise<Prepared> => {
    const party = await makeParty()
    const token = await aReportToken(firm, party)
    // The key of the file has the id.
    return { params: { token }, credential: token, shows: party }
  },
}
