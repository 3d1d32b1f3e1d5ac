import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aParty: Fixture = async ({ makeParty }) => ({ params: { id: await makeParty() } })

export const fixtures: Fixtures<typeof endpoints> = {
  getParty: aParty,
  listPartyCases: aParty,
  updateParty: aParty,
  deleteParty: aParty,
  eraseParty: aParty,
  requestAccessReport: aParty,
  getAccessReport: async ({ firm, makeParty }) => {
    const id = await makeParty()
    const { body } = await firm.owner('POST', `/api/v1/parties/${id}/access-report`)
    return { params: { id, report_id: body.id } }
  },
}
