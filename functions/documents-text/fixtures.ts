import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

export const fixtures: Fixtures<typeof endpoints> = {
  extractDocument: async ({ makeDocument }) => ({ params: { id: await makeDocument() } }),
}
