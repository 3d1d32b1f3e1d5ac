import { boolean, entity, listKey, nullableText, number, text } from '../entity.ts'

/** A user of a workspace, in the order in which they joined. */
export const userEntity = entity('user', listKey('newest', '${workspace_id}#users', '${id}'), {
  workspace_id: text,
  /** Sorts by age. */
  id: text,
  name: text,
  email: text,
  signature_html: nullableText,
  active: boolean,
  created_at: text,
  version: number,
})
