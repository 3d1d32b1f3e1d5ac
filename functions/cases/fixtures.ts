import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aCase: Fixture = async ({ makeCase }) => ({ params: { id: await makeCase() } })

/** The data that the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  getCase: aCase,
  updateCase: aCase,
  deleteCase: aCase,
  getCaseTimeline: aCase,
  listCaseParties: aCase,
  addCaseParties: aCase,
  replaceCaseParties: aCase,
  listCaseStaff: aCase,
  addCaseStaff: async ({ makeCase, firm: { ownerUser } }) => ({
    params: { id: await makeCase() },
    body: { staff: [{ id: ownerUser.id, role: 'lead_attorney' }] },
  }),
  removeCaseStaff: async ({ makeCase, firm: { ownerUser } }) => ({
    params: { id: await makeCase() },
    body: { staff_ids: [ownerUser.id] },
  }),
  listCaseLinks: aCase,
  createCaseLink: async ({ makeCase }) => ({
    params: { id: await makeCase() },
    body: { case_id: await makeCase() },
  }),
  deleteCaseLink: async ({ makeCase, firm: { owner } }) => {
    const id = await makeCase()
    const link = await owner('POST', `/api/v1/cases/${id}/links`, { body: { case_id: await makeCase() } })
    return { params: { id, link_id: link.body.id } }
  },
}
