import { needsBeaRight, type SentEvent } from '../catalogue-schema.ts'
import type { EndpointRecord, FollowedLog } from '../endpoint-ports.ts'
import { type EventReader, isWithin } from '../visibility.ts'

/** The rights of a user at the accounts of beA of a firm. */
export type UserBeaRights = (user: {
  workspace_id: string
  user_id: string
}) => Promise<EventReader['hasBeaRight']>

/**
 * Returns the events that an endpoint may get: beA events only if the user who has set its address may see them (B8). The rights of this user are read once, and only if an event needs one. If an earlier release has stored an
 * event without `needs`, the log gives its `needs`.
 */
export function seenBy(
  { workspace_id, acts_for }: Pick<EndpointRecord, 'workspace_id' | 'acts_for'>,
  { beaRightsOf, events }: { beaRightsOf: UserBeaRights; events: Pick<FollowedLog, 'needsOf'> },
): <One extends { event: SentEvent }>(all: readonly One[]) => Promise<readonly One[]> {
  let rights: ReturnType<UserBeaRights> | undefined
  return async (all) => {
    if (acts_for === null || !all.some(({ event }) => needsBeaRight(event.type))) return all
    rights ??= beaRightsOf({ workspace_id, user_id: acts_for })
    const bare = all.filter(({ event }) => needsBeaRight(event.type) && event.needs === undefined)
    const ids = bare.map(({ event }) => event.id)
    const [hasBeaRight, logged] = await Promise.all([rights, events.needsOf(workspace_id, ids)])
    const needsOf = ({ id, needs = logged.get(id) }: SentEvent) => needs
    return all.filter(({ event }) => isWithin({ type: event.type, needs: needsOf(event) }, hasBeaRight))
  }
}
