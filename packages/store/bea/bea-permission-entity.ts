import type { BeaGrants } from '#bea/rights/permission-ports.ts'
import { entity, jsonOf, listKey, number } from '../entity.ts'

/** The rights that a user was given at an account of beA (B8). */
export const beaPermissionEntity = entity(
  'beapermission',
  listKey('record', '${workspace_id}#bea_permissions#${account_id}', '${user_id}'),
  {
    /** The time at which each right ends, or null. */
    rights: jsonOf<BeaGrants['rights']>(),
    version: number,
  },
)
