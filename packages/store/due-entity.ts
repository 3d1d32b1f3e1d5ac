import { listKey, text } from './entity.ts'

/**
 * The attributes of an item with the time when something is due. One index holds the items of all workspaces, so the
 * key has no workspace.
 */
export const dueAttributes = { workspace_id: text } as const

/** The keys of such items: `place` is `<due_at>#<id>`, so they are sorted by time. @param partition such as `envelopes#due` */
export function dueKeys<const Partition extends string>(partition: Partition) {
  return listKey('longestDue', `${partition}#\${shard}`, '${place}')
}
