import { addressesOf, RefusedAddress } from '#guarded-http/address.ts'
import { inTime } from '#kernel/in-time.ts'
import { stageSecrets } from '#secrets/stage-secrets.ts'
import { deliveryStore } from '#store/webhooks/delivery-store.ts'
import { dispatchStore } from '#store/webhooks/dispatch-store.ts'
import { endpointStore } from '#store/webhooks/endpoint-store.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { attemptMilliseconds, type Poster } from '#webhooks/deliveries/attempting.ts'
import { requestsAtOnce } from '#webhooks/deliveries/delivering.ts'
import { signingSecrets } from '#webhooks/deliveries/secrets.ts'
import { endpointUrlCheck } from '#webhooks/endpoint-url.ts'
import type { announcingFoundation } from './announcing.ts'

/** The parts that functions share if they manage endpoints of webhooks or send to them. */
export function webhookFoundation(base: ReturnType<typeof announcingFoundation>) {
  const allowLoopback = process.env.WEBHOOKS_ALLOW_LOOPBACK === 'true'
  const secrets = stageSecrets()
  return {
    endpoints: endpointStore(base),
    dispatches: dispatchStore(base.db),
    deliveries: deliveryStore(base),
    events: eventLog({ ...base, shownAfterMilliseconds: ageOfShownEvents() }),
    secrets,
    signing: signingSecrets({ secrets, clock: base.clock }),
    ...guardedAddresses(allowLoopback),
    send: base.sendDelivery,
  }
}

/** Checks addresses, and sends to them. @param allowLoopback for `npm start`: also allows this machine, and http */
export function guardedAddresses(allowLoopback: boolean) {
  return {
    checkUrl: endpointUrlCheck({
      mayBeHttp: allowLoopback,
      isHostAllowed: (host) => isHostAllowed(host, allowLoopback),
    }),
    posterTo: (url: string) => posterTo(url, allowLoopback),
  }
}

/** The age from which events are shown. Tests set it, so that they need not wait. */
function ageOfShownEvents(): number | undefined {
  const { WEBHOOKS_SHOWN_AFTER_MILLISECONDS: age } = process.env
  return age === undefined ? undefined : Number(age)
}

/** A host name counts as unknown if its name servers do not answer in this time. */
const lookUpMilliseconds = 3_000

function isHostAllowed(host: string, allowLoopback: boolean): Promise<boolean> {
  const checked = addressesOf(host, { allowLoopback }).then(
    () => true,
    // The name is unknown or could not be looked up: it is checked again before each send.
    (error: unknown) => !(error instanceof RefusedAddress),
  )
  return inTime(lookUpMilliseconds, checked, () => true)
}

/** The first request loads the HTTP client, because most API calls do not need it. */
function posterTo(url: string, allowLoopback: boolean): Poster {
  const options = { milliseconds: attemptMilliseconds, connections: requestsAtOnce, allowLoopback }
  const load = async () => {
    const { guardedPoster, TimeLimitExceeded } = await import('#guarded-http/guarded-post.ts')
    return { ...guardedPoster(url, options), TimeLimitExceeded }
  }
  let loaded: ReturnType<typeof load> | undefined
  return {
    post: async (body, headers) => {
      loaded ??= load()
      const { post, TimeLimitExceeded } = await loaded
      try {
        return await post(body, headers)
      } catch (error) {
        if (error instanceof RefusedAddress) return { error: 'address_not_allowed' }
        return { error: error instanceof TimeLimitExceeded ? 'timeout' : 'connection_failed' }
      }
    },
    close: () =>
      void loaded?.then(
        ({ close }) => close(),
        () => {},
      ),
  }
}
