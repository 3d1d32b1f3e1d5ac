import { entity, json, listKey, nullable, text } from '../entity.ts'

/** An entry of a case's timeline, written in the transaction of the change that it describes (C6). */
export const timelineEntry = entity(
  'timeline',
  listKey('newest', '${workspace_id}#timeline#${case_id}', '${id}'),
  {
    type: text,
    occurred_at: text,
    actor: json,
    summary: text,
    ref: nullable(json),
  },
)
