import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, json, number, optional, recordKey, text } from '../entity.ts'

/** The manifest of the index of a firm: `SearchManifest`. */
export const searchIndexEntity = entity('searchindex', recordKey('${workspace_id}#search_index'), {
  /** Counts the batches; the entries of a batch have this number. */
  sequence: number,
  segments: json,
  /** Compressed JSON in base64. */
  deleted: optional(text),
  deleted_since: optional(text),
  purged: optional(number),
  garbage: json,
  writing: optional(text),
  rebuild: optional(json),
  damage: optional(json),
  indexed_at: optional(text),
  /** When the worker has work again without a new mark. */
  due_at: optional(text),
  version: number,
})

/**
 * The present writer of a firm's index, and until when. Without it nothing would be lost, but much would be done twice.
 */
export const searchLeaseEntity = entity('searchlease', recordKey('${workspace_id}#search_lease'), {
  writer: text,
  until: text,
})

/** When the worker has something to do for the index of a firm without a new mark. */
export const dueIndexWork = entity('searchwork', dueKeys('search#due'), dueAttributes)
