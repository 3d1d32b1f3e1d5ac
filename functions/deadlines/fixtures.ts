import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aDeadline: Fixture = async ({ makeDeadline }) => ({ params: { id: await makeDeadline() } })

/** What the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  createDeadline: async ({ makeCase }) => ({ body: { case_id: await makeCase() } }),
  getDeadline: aDeadline,
  updateDeadline: aDeadline,
  strikeDeadline: aDeadline,
  completeDeadline: aDeadline,
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
