import { boolean, entity, listKey, number, optionalText, text } from '../entity.ts'

/** A user of a workspace, in the order in which they joined. */
export const userEntity = entity('user', listKey('newest', '${workspace_id}#users', '${id}'), {
  workspace_id: text,
  /** Sorts by age. */
  id: text,
  name: text,
  email: text,
  signature_html: optionalText,
  active: boolean,
  created_at: text,
  version: number,
})
