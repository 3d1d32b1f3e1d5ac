import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** The certificates of a signing key. The key has no workspace: all workspaces of a stage seal with it. */
export function signingCertificateEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'signingcertificate', version: '1' },
      attributes: {
        /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
        public_key_sha256: { type: 'string', required: true },
        /** DER in base64; the key's own first, then those that lead from it to a root. */
        chain: { type: 'list', items: { type: 'string' }, required: true },
        /** `self_signed`: made with the key itself, until an authority's is imported. */
        origin: { type: ['self_signed', 'imported'] as const, required: true },
        stored_at: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['public_key_sha256'],
            template: 'signing_certificate#${public_key_sha256}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
