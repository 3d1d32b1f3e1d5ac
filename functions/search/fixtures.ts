import { setTimeout as sleep } from 'node:timers/promises'
import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

export const fixtures: Fixtures<typeof endpoints> = {
  /** A document that the example finds. */
  searchTexts: async ({ firm: { owner }, makeDocument }) => {
    await makeDocument()
    for (let isFound = false; !isFound; await sleep(200))
      isFound = (await owner('GET', '/api/v1/search?q=vertrag')).body.index.pending === 0
    return {}
  },
}
