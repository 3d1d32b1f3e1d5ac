import { entity, listKey, text } from '../entity.ts'

/**
 * Something that arrived and is not judged for good. The sweeper lists these items of all workspaces, so the key has no
 * workspace.
 */
export const arrivalWatch = entity('arrivalwatch', listKey('oldest', 'arrivals#${shard}', '${id}'), {
  workspace_id: text,
  /** When its message was last sent. */
  sent_at: text,
})
