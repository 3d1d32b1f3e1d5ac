/**
 * The attributes of an item that says when something is due. It is listed with those of all workspaces, so its key has no
 * workspace.
 */
export const dueAttributes = {
  shard: { type: 'string', required: true },
  /** `<due_at>#<id>`: sorts by time. */
  place: { type: 'string', required: true },
  workspace_id: { type: 'string', required: true },
} as const

/** The keys of such items. @param partition such as `envelopes#due` */
export function dueKeys<const Partition extends string>(partition: Partition) {
  return {
    longestDue: {
      pk: { field: 'pk', composite: ['shard'], template: `${partition}#\${shard}`, casing: 'none' },
      sk: { field: 'sk', composite: ['place'], template: '${place}', casing: 'none' },
    },
  } as const
}
