import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aDeadline: Fixture = async ({ makeDeadline }) => ({ params: { id: await makeDeadline() } })

/** A deadline that a colleague has completed, so that the owner may check the outgoing post. */
const aCompletedDeadline: Fixture = async ({ makeDeadline, firm }) => {
  const id = await makeDeadline()
  const { api } = await firm.colleague()
  const evidence = { type: 'note', text: 'Eingereicht.' }
  await api('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } })
  return { params: { id } }
}

/** A deadline whose extension was requested. */
const anExtension: Fixture = async (given) => {
  const { params = {} } = await aDeadline(given)
  const body = { requested_until: '2031-05-16' }
  await given.firm.owner('POST', `/api/v1/deadlines/${params.id}/extension`, { body })
  return { params, body: { until: '2031-05-20' } }
}

export const fixtures: Fixtures<typeof endpoints> = {
  createDeadline: async ({ makeCase }) => ({ body: { case_id: await makeCase() } }),
  getDeadline: aDeadline,
  updateDeadline: aDeadline,
  strikeDeadline: aDeadline,
  completeDeadline: async ({ makeDeadline, firm: { ownerUser } }) => ({
    params: { id: await makeDeadline() },
    body: { evidence: { type: 'note', text: 'Eingereicht.', checked_by: ownerUser.id } },
  }),
  controlDeadlineExit: aCompletedDeadline,
  reopenDeadline: aCompletedDeadline,
  signDeadlineRegister: () => ({ params: { date: '2024-03-18' } }),
  requestDeadlineExtension: aDeadline,
  grantDeadlineExtension: anExtension,
  refuseDeadlineExtension: async (given) => {
    const { params = {} } = await anExtension(given)
    return { params }
  },
  verifyDeadline: aDeadline,
  verifyFrist: aDeadline,
  delegateDeadline: async ({ makeDeadline, firm: { ownerUser } }) => ({
    params: { id: await makeDeadline() },
    body: { user_id: ownerUser.id },
  }),
  getDeadlineChain: aDeadline,
  getFristChain: aDeadline,
  getDeadlineHistory: aDeadline,
}
