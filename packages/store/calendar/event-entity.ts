import { entity, number, recordKey, text } from '../entity.ts'

/** A calendar event; a deleted one stays for the audit (G13). Deadlines have an entity of their own. */
export const eventEntity = entity('event', recordKey('${workspace_id}#event#${id}'), {
  /** The whole event as JSON. A feed reads thousands of events, and one text costs a fifth of separate attributes. */
  record: text,
  version: number,
})
