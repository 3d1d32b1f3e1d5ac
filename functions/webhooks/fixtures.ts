import { setTimeout as sleep } from 'node:timers/promises'
import type { Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

export const fixtures: Fixtures<typeof endpoints> = {
  listWebhookEvents: async (given) => {
    await shownEvent(given)
    return {}
  },

  getWebhookEndpoint: ofHook,
  updateWebhookEndpoint: ofHook,
  deleteWebhookEndpoint: ofHook,
  rotateWebhookSecret: ofHook,
  testWebhookEndpoint: ofHook,
  listWebhookDeliveries: ofHook,

  replayWebhookEvents: async (given) => {
    await shownEvent(given)
    return ofHook(given)
  },

  /** Waits until an event was sent. */
  resendWebhookDelivery: async (given) => {
    const { params } = await ofHook(given)
    const { firm, makeParty } = given
    await makeParty()
    const path = `/api/v1/webhooks/endpoints/${params.id}/deliveries`
    for (;;) {
      const [delivery] = (await firm.owner('GET', path)).body.data
      if (delivery !== undefined) return { params: { ...params, delivery_id: delivery.id } }
      await sleep(200)
    }
  },
}

/** Waits until the log shows an event. */
async function shownEvent({ firm: { owner }, makeCase }: Given): Promise<void> {
  await makeCase()
  for (let isShown = false; !isShown; await sleep(200))
    isShown = (await owner('GET', '/api/v1/webhooks/events')).body.data.length > 0
}

async function ofHook({ firm: { owner }, caldavUrl: url }: Given): Promise<{ params: { id: string } }> {
  const { body } = await owner('POST', '/api/v1/webhooks/endpoints', { body: { url } })
  return { params: { id: body.id } }
}
