import { entity, json, listKey, number, text } from '../entity.ts'

/** The rights that a user was given at an account of beA (B8). */
export const beaPermissionEntity = entity(
  'beapermission',
  listKey('record', '${workspace_id}#bea_permissions#${account_id}', '${user_id}'),
  {
    workspace_id: text,
    account_id: text,
    user_id: text,
    /** The time at which each right ends, or null. */
    rights: json,
    version: number,
  },
)
