import { entity, listKey, oneOf, optional, text } from '../entity.ts'

/**
 * A record that a disposal removes, by the name of its entity and its id. These items are written before anything is removed, the one of the case last, so a
 * removal that died goes on with them; they go when the disposal is done.
 */
export const disposalPart = entity(
  'disposalpart',
  listKey('all', '${workspace_id}#disposal_parts#${disposal_id}', '${case_id}#${kind}#${id}'),
  {
    /** The record with which it goes, whatever case it names itself. */
    goes_with: optional(text),
  },
)

/** A record of a disposed case that is kept for its own time: an issued invoice. */
export const keptPart = entity(
  'keptpart',
  listKey('soonest', '${workspace_id}#kept_parts#${disposal_id}', '${kept_until}#${kind}#${id}'),
  {
    /** The last day on which it must be kept. */
    kept_until: text,
    kind: oneOf(['invoice']),
    /** When it was removed. It stays listed until the lists of the whole firm have lost it too. */
    removed_at: optional(text),
  },
)

/** A case that a record has left. Its timeline quotes the record until that is removed. */
export const leftCase = entity(
  'leftcase',
  listKey('all', '${workspace_id}#left_cases#${id}', '${case_id}'),
  {},
)

/** A record of a case that was deleted or struck, and is in no list of the case since then. It goes with the case. */
export const removedInCase = entity(
  'removedincase',
  listKey('all', '${workspace_id}#removed_in_case#${case_id}', '${id}'),
  {},
)
