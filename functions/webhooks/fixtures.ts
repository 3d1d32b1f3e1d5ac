import { setTimeout as sleep } from 'node:timers/promises'
import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

/** The data that the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  /** The log has an event, and somebody has read it. */
  listWebhookEvents: async ({ firm: { owner }, makeParty }) => {
    await makeParty()
    for (let isShown = false; !isShown; await sleep(200))
      isShown = (await owner('GET', '/api/v1/webhooks/events')).body.data.length > 0
    return {}
  },
}
