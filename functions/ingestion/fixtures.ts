import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** What the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  pushDocument: async ({ firm: { workspace, owner } }) => ({
    params: { tenant_id: workspace.id },
    files: { file: { bytes: '%PDF-1.7\n%%EOF', filename: 'Ladung.pdf' } },
    credential: (await owner('GET', '/api/v1/workspace/webhooks')).body.token,
  }),
}
