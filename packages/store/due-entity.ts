import { listKey, text } from './entity.ts'

/**
 * The attributes of an item with the time when something is due. One index holds the items of all workspaces, so the
 * key has no workspace.
 */
export const dueAttributes = {
  shard: text,
  /** `<due_at>#<id>`: sorts by time. */
  place: text,
  workspace_id: text,
} as const

/** The keys of such items. @param partition such as `envelopes#due` */
export function dueKeys<const Partition extends string>(partition: Partition) {
  return listKey('longestDue', `${partition}#\${shard}`, '${place}')
}
