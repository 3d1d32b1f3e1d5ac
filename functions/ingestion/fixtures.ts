import { form } from '#test/support/documents.ts'
import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** What the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  pushDocument: async ({ firm: { workspace, owner } }) => ({
    params: { tenant_id: workspace.id },
    files: { file: { bytes: '%PDF-1.7\n%%EOF', filename: 'Ladung.pdf' } },
    credential: (await owner('GET', '/api/v1/workspace/webhooks')).body.token,
  }),
  announcePushedUpload: async ({ firm: { workspace } }) => ({ credential: workspace.webhook_token }),
  completePushedUpload: async ({ firm: { workspace, owner } }) => ({
    params: {
      document_id: (
        await owner('POST', `/webhooks/inbox/${workspace.id}`, {
          raw: form({ file: { bytes: '%PDF-1.7\n%%EOF', filename: 'Ladung.pdf' } }),
          headers: { 'X-Service-Token': workspace.webhook_token },
        })
      ).body.document_id,
    },
    credential: workspace.webhook_token,
  }),
}
