import { aConfig, aRun, aToken } from '#test/support/exports.ts'
import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

export const fixtures: Fixtures<typeof endpoints> = {
  executeExport: async ({ firm }) => ({ params: { id: (await aConfig(firm)).id } }),
  downloadExportRun: async ({ firm }) => {
    const { id } = await aConfig(firm, { schedule: { frequency: 'daily', time: '06:00' } })
    return { params: { id, run_id: (await aRun(firm, id)).id } }
  },
  retrieveExport: async ({ firm }) => {
    const { id } = await aConfig(firm)
    return { params: { id }, credential: (await aToken(firm, id)).token }
  },
}
