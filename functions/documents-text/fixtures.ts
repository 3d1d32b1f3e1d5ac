import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** The data that the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  extractDocument: async ({ makeDocument }) => ({ params: { id: await makeDocument() } }),
}
