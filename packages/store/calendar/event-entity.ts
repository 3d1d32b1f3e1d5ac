import { entity, number, recordKey, text } from '../entity.ts'

/** A calendar event; a deleted one stays for the audit (G13). Deadlines have an entity of their own. */
export const eventEntity = entity('event', recordKey('${workspace_id}#event#${id}'), {
  workspace_id: text,
  /** `evt_<uuid>` */
  id: text,
  /** The whole event as JSON: a feed reads thousands, and one text costs a fifth of as many attributes. */
  record: text,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
})
