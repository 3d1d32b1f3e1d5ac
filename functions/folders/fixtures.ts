import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aFolder: Fixture = async ({ makeFolder }) => ({ params: { id: await makeFolder() } })

export const fixtures: Fixtures<typeof endpoints> = {
  createFolder: async ({ makeCase }) => ({ body: { case_id: await makeCase() } }),
  listFolders: async ({ makeCase }) => ({ query: { case_id: await makeCase() } }),
  updateFolder: aFolder,
  deleteFolder: aFolder,
}
