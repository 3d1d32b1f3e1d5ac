import { type Clock, timestamp } from '#kernel/clock.ts'
import { applyRule } from '#timeline/schema.ts'
import type { Dispatch, EndpointRecord, EndpointStore } from '../endpoint-ports.ts'

const hour = 3_600_000

/** After these times without a success, the admins get a notice (E5). */
const noticeMilliseconds = [48 * hour, 96 * hour]

/** After this time without a success, an endpoint is disabled (E5). */
const disableMilliseconds = 120 * hour

/** An endpoint about which the admins of its firm get a notice. `number`: from 1. */
export type HealthNotice = {
  workspace_id: string
  endpoint_id: string
  failing_since: string
  number: number
}

type Health = Pick<Dispatch, 'failing_since' | 'notices'>

/** The step that is due now for an endpoint whose deliveries all fail. */
export function healthDue({ failing_since, notices }: Health, now: Date): 'nothing' | 'notice' | 'disable' {
  if (failing_since === null) return 'nothing'
  const failing = now.getTime() - Date.parse(failing_since)
  if (failing >= disableMilliseconds) return 'disable'
  const next = noticeMilliseconds[notices]
  return next !== undefined && failing >= next ? 'notice' : 'nothing'
}

/** When the next of these steps is due; undefined if the endpoint does not fail. */
export function nextHealthMoment({ failing_since, notices }: Health): string | undefined {
  if (failing_since === null) return undefined
  const pause = noticeMilliseconds[notices] ?? disableMilliseconds
  return new Date(Date.parse(failing_since) + pause).toISOString()
}

/** After a success, or for another address: its failures do not count any more. */
export function forgetFailures(state: Health): void {
  state.failing_since = null
  state.notices = 0
}

/** When an endpoint is disabled if nothing succeeds. */
export function disabledAt(failingSince: string): string {
  return new Date(Date.parse(failingSince) + disableMilliseconds).toISOString()
}

/** Disables an endpoint, and writes `webhook.disabled` to the log of events. */
export function disabling({ endpoints, clock }: { endpoints: Pick<EndpointStore, 'change'>; clock: Clock }) {
  return (
    { workspace_id, id, url }: EndpointRecord,
    reason: 'gone' | 'failing',
    failingSince: string | null,
  ): Promise<EndpointRecord> =>
    applyRule(endpoints, workspace_id, id, (current) => {
      // If the address was changed meanwhile, these are failures of the old one.
      if (current.status !== 'active' || current.url !== url) return undefined
      const now = timestamp(clock)
      const record: EndpointRecord = {
        ...current,
        status: 'disabled',
        disabled_reason: reason,
        lost_since: failingSince ?? now,
        updated_at: now,
        version: current.version + 1,
      }
      return { record, events: [{ type: 'webhook.disabled', data: { id, case_id: null } }] }
    })
}
