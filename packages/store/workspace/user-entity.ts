import { boolean, entity, listKey, nullable, number, text } from '../entity.ts'

/** A user of a workspace, in the order in which they joined. */
export const userEntity = entity('user', listKey('newest', '${workspace_id}#users', '${id}'), {
  name: text,
  email: text,
  signature_html: nullable(text),
  active: boolean,
  created_at: text,
  version: number,
})
