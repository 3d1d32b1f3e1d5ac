import { auditEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type { LogOf } from '#kernel/log.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { SecretBox } from '#kernel/secret-box.ts'
import { attemptDelivery, type Poster } from './deliveries/attempting.ts'
import type { DeliveryOrder } from './deliveries/queue.ts'
import { type SigningSecrets, secretContext } from './deliveries/secrets.ts'
import { newWebhookSecret } from './deliveries/signature.ts'
import type { DispatchStore, EndpointRecord, EndpointStore } from './endpoint-ports.ts'
import type {
  CreatedWebhookEndpoint,
  RotatedSecret,
  RotateSecretInput,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookEndpointInput,
  WebhookTestResult,
} from './endpoint-schema.ts'

export type EndpointService = ReturnType<typeof endpointService>

/** An order to follow the log comes after each of these pauses: see `wake`. */
const wakingSeconds = [0, 3, 6, 9]

/** If the process of a test dies, the next test may begin after this time. */
const testMilliseconds = 20_000

/** The endpoints of a firm (E3). */
export function endpointService(deps: {
  endpoints: EndpointStore
  dispatches: Pick<DispatchStore, 'beginTest' | 'endTest'>
  secrets: SecretBox
  signing: SigningSecrets
  /** @throws Failure URL_NOT_ALLOWED */
  checkUrl: (url: string) => Promise<void>
  posterTo: (url: string) => Poster
  send: (order: DeliveryOrder, options?: { delaySeconds?: number }) => Promise<void>
  pageOut: PageOut
  clock: Clock
  log: LogOf<'error'>
}) {
  const { endpoints, dispatches, secrets, signing, checkUrl, posterTo, send, pageOut, clock, log } = deps

  const found = async ({ workspace_id }: Actor, id: string): Promise<EndpointRecord> =>
    required(await endpoints.find(workspace_id, id), 'WEBHOOK_ENDPOINT_NOT_FOUND')

  /**
   * Asks the worker, now and again within some seconds, to follow the log for an endpoint that has become active or has a
   * new address. Meanwhile other functions may still believe that the firm has no endpoint: they keep what they read for
   * a few seconds (`event-hints.ts`). If an order is lost, the sweep finds the endpoint within a minute.
   */
  const wake = async (workspace_id: string, endpoint_id: string): Promise<void> => {
    const order = { workspace_id, endpoint_ids: [endpoint_id], follow: true }
    await Promise.all(wakingSeconds.map((delaySeconds) => send(order, { delaySeconds }))).catch(
      (error: unknown) => log.error('an endpoint was not woken', { endpoint_id, error: String(error) }),
    )
  }

  return {
    async list({ workspace_id }: Actor, request: PageRequest): Promise<Page<WebhookEndpoint>> {
      const all = await endpoints.list(workspace_id)
      const newestFirst = all.toReversed().map(shown)
      return pageOut([workspace_id, 'webhook_endpoints'], newestFirst, request, ({ id }) => id)
    },

    /** @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<WebhookEndpoint> {
      return shown(await found(actor, id))
    },

    /** @throws Failure URL_NOT_ALLOWED, WEBHOOK_ENDPOINT_LIMIT */
    async create(
      actor: Actor,
      { url, description, event_types }: WebhookEndpointInput,
    ): Promise<Answered<CreatedWebhookEndpoint>> {
      await checkUrl(url)
      const { workspace_id } = actor
      const id = newId('webhookEndpoint')
      const secret = newWebhookSecret()
      const now = timestamp(clock)
      const record: EndpointRecord = {
        workspace_id,
        id,
        url,
        acts_for: actor.user_id,
        description,
        event_types,
        status: 'active',
        disabled_reason: null,
        lost_since: null,
        created_at: now,
        updated_at: now,
        sealed_secret: await secrets.seal(secret, secretContext({ workspace_id, id })),
        sealed_old_secret: null,
        old_secret_until: null,
        version: 1,
      }
      const audit = auditEvent(actor, 'endpoint.created', 'webhook_endpoint', id)
      const answer = await endpoints.add({ record, answer: { ...shown(record), secret }, audit })
      await wake(workspace_id, id)
      return answer
    },

    /** @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND, URL_NOT_ALLOWED */
    async update(
      actor: Actor,
      id: string,
      changes: WebhookEndpointChanges,
    ): Promise<Answered<WebhookEndpoint>> {
      const { workspace_id } = actor
      if (changes.url !== undefined) {
        await found(actor, id)
        await checkUrl(changes.url)
      }
      const answer = await endpoints.change(workspace_id, id, (before) => {
        const now = timestamp(clock)
        const status = changes.status ?? before.status
        const record: EndpointRecord = {
          ...before,
          url: changes.url ?? before.url,
          acts_for: changes.url === undefined ? before.acts_for : actor.user_id,
          description: changes.description === undefined ? before.description : changes.description,
          event_types: changes.event_types ?? before.event_types,
          status,
          disabled_reason: status === 'active' ? null : (before.disabled_reason ?? 'by_user'),
          lost_since: status === 'active' ? null : (before.lost_since ?? now),
          updated_at: now,
          version: before.version + 1,
        }
        return { record, answer: shown(record) }
      })
      // If the old address hung, what waits is sent to the new one now. Later attempts keep their times.
      if (changes.status === 'active' || changes.url !== undefined) await wake(workspace_id, id)
      return answer
    },

    /** @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
    async remove({ workspace_id }: Actor, id: string): Promise<void> {
      await endpoints.remove(workspace_id, id)
    },

    /**
     * Gives an endpoint a new secret. The old one stays valid for some hours; the one before that ends at once.
     *
     * @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND
     */
    async rotateSecret(
      { workspace_id }: Actor,
      id: string,
      { overlap_hours }: RotateSecretInput,
    ): Promise<Answered<RotatedSecret>> {
      const secret = newWebhookSecret()
      const sealed_secret = await secrets.seal(secret, secretContext({ workspace_id, id }))
      return endpoints.change(workspace_id, id, (before) => {
        const now = clock.now()
        const isKept = overlap_hours > 0
        const record: EndpointRecord = {
          ...before,
          sealed_secret,
          sealed_old_secret: isKept ? before.sealed_secret : null,
          old_secret_until: isKept ? new Date(now.getTime() + overlap_hours * 3_600_000).toISOString() : null,
          updated_at: now.toISOString(),
          version: before.version + 1,
        }
        return { record, answer: { secret } }
      })
    },

    /**
     * Sends `webhook.test` now, once. The result does not count for the health of the endpoint.
     *
     * @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND, WEBHOOK_TEST_RUNNING
     */
    async test(actor: Actor, id: string): Promise<Answered<WebhookTestResult>> {
      const endpoint = await found(actor, id)
      const key = { workspace_id: actor.workspace_id, endpoint_id: id }
      const [now, until] = [clock.now(), new Date(clock.now().getTime() + testMilliseconds)]
      if (!(await dispatches.beginTest(key, { now: now.toISOString(), until: until.toISOString() })))
        throw conflict(
          'WEBHOOK_TEST_RUNNING',
          'Another test of this endpoint is running: wait for its answer.',
        )
      const poster = posterTo(endpoint.url)
      try {
        const { attempt, isDelivered } = await attemptDelivery({ poster, clock }, await signing(endpoint), {
          id: newId('webhookEvent'),
          type: 'webhook.test',
          occurred_at: timestamp(clock),
          data: { id, case_id: null },
        })
        const { status_code, duration_ms, error } = attempt
        return unchanged({ delivered: isDelivered, status_code, duration_ms, error })
      } finally {
        poster.close()
        await dispatches.endTest(key)
      }
    },
  }
}

function shown(record: EndpointRecord): WebhookEndpoint {
  const { id, url, description, event_types, status, disabled_reason, created_at, updated_at } = record
  return { id, url, description, event_types, status, disabled_reason, created_at, updated_at }
}
