import type { RegisterSignature } from '#deadlines/register-schema.ts'
import { entity, jsonOf, listKey, number, text } from '../entity.ts'

/** That somebody signed the register of a day: a version of it, which is never written again (F20). */
export const signedRegister = entity(
  'signed_register',
  listKey('versions', '${workspace_id}#signed_register#${day}', '${position}'),
  {
    /** The signature as it is answered, word for word. */
    signature: jsonOf<RegisterSignature>(),
    /** Names the items that hold the register as it was. */
    content_id: text,
    parts: number,
  },
)

/** A piece of a part of a signed register, compressed: an item holds at most 400 KB. */
export const signedRegisterPiece = entity(
  'signed_register_piece',
  listKey('pieces', '${workspace_id}#signed_register_content#${content_id}', '${position}'),
  { base64: text },
)
