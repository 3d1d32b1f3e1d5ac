import { form } from '#test/support/documents.ts'
import type { Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const letter = { file: { bytes: '%PDF-1.7\n%%EOF', filename: 'Ladung.pdf' } }

/** The token of the workspace, which other tests rotate. */
const tokenOf = async ({ firm: { owner } }: Given): Promise<string> =>
  (await owner('GET', '/api/v1/workspace/webhooks')).body.token

export const fixtures: Fixtures<typeof endpoints> = {
  pushDocument: async (given) => ({
    params: { tenant_id: given.firm.workspace.id },
    files: letter,
    credential: await tokenOf(given),
  }),
  announcePushedUpload: async (given) => ({
    credential: await tokenOf(given),
    shows: given.firm.workspace.id,
  }),
  completePushedUpload: async (given) => {
    const { workspace, owner } = given.firm
    const token = await tokenOf(given)
    const { body } = await owner('POST', `/webhooks/inbox/${workspace.id}`, {
      raw: form(letter),
      headers: { 'X-Service-Token': token },
    })
    return { params: { document_id: body.document_id }, credential: token }
  },
}
