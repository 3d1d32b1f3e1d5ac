import { makeDueCase } from '#test/support/due-case.ts'
import type { Firm } from '#test/support/firm.ts'
import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import { untilDone } from '#test/support/run-disposals.ts'
import type * as certificates from '../documents-files/certificate-endpoints.ts'
import type * as endpoints from './endpoints.ts'

const aCase: Fixture = async ({ makeCase }) => ({ params: { id: await makeCase() } })

export const fixtures: Fixtures<typeof endpoints & typeof certificates> = {
  getDisposalCertificate: async (given) => {
    const id = await keptProposal(given)
    await given.firm.owner('POST', `/api/v1/disposals/${id}/approve`)
    return { params: { id: (await untilDone(given.firm, id)).id } }
  },
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
  createCaseHold: aCase,
  listCaseHolds: aCase,
  liftCaseHold: async ({ makeCase, firm: { owner } }) => {
    const id = await makeCase()
    const hold = await owner('POST', `/api/v1/cases/${id}/holds`, { body: { reason: 'Regress' } })
    return { params: { id, hold_id: hold.body.id } }
  },
  proposeDisposal: async ({ firm }) => ({ body: { case_ids: [await makeDueCase(firm)] } }),
  getDisposal: async (given) => ({ params: { id: await proposal(given) } }),
  approveDisposal: async (given) => ({ params: { id: await keptProposal(given) } }),
  withdrawDisposal: async (given) => ({ params: { id: await proposal(given) } }),
  listDisposals: async (given) => {
    await proposal(given)
    return {}
  },
  deleteCaseLink: async ({ makeCase, firm: { owner } }) => {
    const id = await makeCase()
    const link = await owner('POST', `/api/v1/cases/${id}/links`, { body: { case_id: await makeCase() } })
    return { params: { id, link_id: link.body.id } }
  },
}

/** A disposal that a colleague has proposed and the owner may approve. */
async function proposal({ firm }: Given): Promise<string> {
  return proposalOf(firm, await makeDueCase(firm))
}

/**
 * The same for a case that was reopened since, and is kept. A disposal that removes a case also removes the firm's
 * reports on parties, which tests of other endpoints read.
 */
async function keptProposal({ firm }: Given): Promise<string> {
  const case_id = await makeDueCase(firm)
  const id = await proposalOf(firm, case_id)
  await firm.owner('PUT', `/api/v1/cases/${case_id}`, { body: { status: 'active' } })
  return id
}

async function proposalOf(firm: Firm, case_id: string): Promise<string> {
  const { api } = await firm.colleague()
  return (await api('POST', '/api/v1/disposals', { body: { case_ids: [case_id] } })).body.id
}
