import { entity, listKey, text } from '../entity.ts'

/** An account that the schedule synchronises. The sweeper lists these items of all workspaces, so the key has no workspace. */
export const scheduledBeaSync = entity(
  'scheduledbeasync',
  listKey('oldest', 'bea_syncs#${shard}', '${account_id}'),
  {
    workspace_id: text,
    due_at: text,
  },
)
