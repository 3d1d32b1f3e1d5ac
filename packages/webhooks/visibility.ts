import type { Actor } from '#kernel/actor.ts'
import type { Scope } from '#kernel/scope.ts'
import { type BeaNeed, type EventType, type NewEvent, needsBeaRight, readersOf } from './catalogue-schema.ts'

/** The facts that decide what a key may see: its scopes, and whether its user has a right at a beA account (B8). */
export type EventReader = { scopes: readonly Scope[]; hasBeaRight: (need: BeaNeed) => boolean }

/** The rights of a user at accounts of beA. */
export type BeaRightsOf = (actor: Actor) => Promise<EventReader['hasBeaRight']>

/** Whether a key with these scopes may see events of this type, as far as the type decides it (E10). */
export function maySeeType(type: EventType, scopes: readonly Scope[]): boolean {
  return readersOf(type).some((scope) => scopes.includes(scope))
}

/**
 * Whether a key may see an event. It needs a scope of the resource. For beA its user also needs the right at the account
 * (B8); confidential messages have a right of their own. Nobody sees a beA event that does not name its account.
 */
export function maySee({ type, needs }: Pick<NewEvent, 'type' | 'needs'>, reader: EventReader): boolean {
  return maySeeType(type, reader.scopes) && isWithin({ type, needs }, reader.hasBeaRight)
}

/** Whether the user's rights at beA accounts are enough to see an event. Events of other resources need no such right. */
export function isWithin(
  { type, needs }: Pick<NewEvent, 'type' | 'needs'>,
  hasBeaRight: EventReader['hasBeaRight'],
): boolean {
  return needs === undefined ? !needsBeaRight(type) : hasBeaRight(needs)
}

/** The events that a key may see. @param types the rights at accounts are read only if one of these types needs them */
export async function readerWith(
  { actor, types }: { actor: Actor; types: readonly EventType[] },
  beaRightsOf: BeaRightsOf,
): Promise<EventReader> {
  const hasBeaRight = types.some(needsBeaRight) ? await beaRightsOf(actor) : () => false
  return { scopes: actor.scopes, hasBeaRight }
}
