import { aConfig, aToken } from '#test/support/exports.ts'
import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const ofAConfig: Fixture = async ({ firm }) => ({ params: { id: (await aConfig(firm)).id } })

export const fixtures: Fixtures<typeof endpoints> = {
  getExportConfig: ofAConfig,
  updateExportConfig: ofAConfig,
  deleteExportConfig: ofAConfig,
  previewExport: ofAConfig,
  generateExportToken: ofAConfig,
  listExportRuns: ofAConfig,
  listExportTokens: ofAConfig,
  revokeExportToken: async ({ firm }) => {
    const { id } = await aConfig(firm)
    return { params: { id, token_id: (await aToken(firm, id)).id } }
  },
}
