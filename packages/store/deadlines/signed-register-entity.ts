import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** That somebody signed the register of a day: a version of it, which is never written again (F20). */
export function signedRegister(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'signed_register', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        day: { type: 'string', required: true },
        /** The number of the version with leading zeros. */
        position: { type: 'string', required: true },
        /** The signature as it is answered, word for word. */
        signature: { type: 'any', required: true },
        /** Names the items that hold the register as it was. */
        content_id: { type: 'string', required: true },
        parts: { type: 'number', required: true },
      },
      indexes: {
        versions: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'day'],
            template: '${workspace_id}#signed_register#${day}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['position'], template: '${position}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A piece of a part of a signed register, compressed: an item holds at most 400 KB. */
export function signedRegisterPiece(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'signed_register_piece', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        content_id: { type: 'string', required: true },
        /** Number of the part and of the piece in it, with leading zeros. */
        position: { type: 'string', required: true },
        base64: { type: 'string', required: true },
      },
      indexes: {
        pieces: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'content_id'],
            template: '${workspace_id}#signed_register_content#${content_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['position'], template: '${position}', casing: 'none' },
        },
      },
    },
    db,
  )
}
