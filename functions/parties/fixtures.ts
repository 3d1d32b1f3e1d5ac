import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aParty: Fixture = async ({ makeParty }) => ({ params: { id: await makeParty() } })

/** The data that the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  getParty: aParty,
  listPartyCases: aParty,
  updateParty: aParty,
  deleteParty: aParty,
}
