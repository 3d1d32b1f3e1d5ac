import { entity, number, recordKey, text } from '../entity.ts'

/** How far the log of events of a firm has been shown (`event-log.ts`). */
export const eventLogEnd = entity('webhooklogend', recordKey('${workspace_id}#webhook_log_end'), {
  /** The place of the last event that was shown. */
  last: text,
  /** Before this place everything was shown. */
  complete_to: text,
  /** The last digits of the places from there on that were shown, one after the other. */
  shown: text,
  version: number,
})
