import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The documents of a mail that were sent as a link (M3). Who opens it shows the token alone; the key has no workspace. */
export function sharedLink(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sharedlink', version: '1' },
      attributes: {
        /** SHA-256 of the token, hexadecimal. */
        token_sha256: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        correspondence_id: { type: 'string', required: true },
        case_id: { type: 'string' },
        documents: { type: 'any', required: true },
        expires_at: { type: 'string', required: true },
        id: { type: 'string' },
        revoked_at: { type: 'string' },
        version: { type: 'number' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['token_sha256'],
            template: 'shared_link#${token_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A link among those of its mail, and of each of its documents. Sorts by age. It may be there without its link. */
export function sharedLinkOf(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sharedlinkof', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** The id of the mail or the document. */
        of_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        token_sha256: { type: 'string', required: true },
        ttl: { type: 'number', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'of_id'],
            template: '${workspace_id}#shared_links#${of_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** That a document was opened by a link in an hour. */
export function sharedLinkOpening(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sharedlinkopening', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        token_sha256: { type: 'string', required: true },
        document_id: { type: 'string', required: true },
        /** `2026-11-23T09`, in UTC. */
        hour: { type: 'string', required: true },
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'token_sha256'],
            template: '${workspace_id}#shared_link_openings#${token_sha256}',
            casing: 'none',
          },
          sk: {
            field: 'sk',
            composite: ['document_id', 'hour'],
            template: '${document_id}#${hour}',
            casing: 'none',
          },
        },
      },
    },
    db,
  )
}
