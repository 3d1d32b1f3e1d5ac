import type { Clock } from '#kernel/clock.ts'
import type { BeaAccess } from '../ports.ts'
import type { BeaGrants, BeaPermissionStore } from './permission-ports.ts'
import { type BeaRight, beaRights } from './right-schema.ts'
import { withImplied } from './rights.ts'

/**
 * The rights of users at accounts (B8). The user who connected an account has all rights to it. Others have the rights
 * that they were given.
 */
export function beaAccess(deps: { permissions: Pick<BeaPermissionStore, 'find'>; clock: Clock }): BeaAccess {
  const { permissions, clock } = deps
  return {
    rightsOf: async ({ workspace_id, user_id }, account) => {
      if (account.user_id === user_id) return new Set(beaRights)
      const given = await permissions.find(workspace_id, account.id, user_id)
      return withImplied(rightsInForce(given, clock.now()))
    },
  }
}

/** The rights that have not ended. */
export function rightsInForce(given: BeaGrants['rights'], now: Date): BeaRight[] {
  return beaRights.filter((right) => {
    const validUntil = given[right]
    return validUntil !== undefined && (validUntil === null || validUntil > now.toISOString())
  })
}
