import { entity, oneOf, recordKey, text } from '../entity.ts'

/** The certificates of a signing key. The key has no workspace: all workspaces of a stage seal with it. */
export const signingCertificateEntity = entity(
  'signingcertificate',
  recordKey('signing_certificate#${public_key_sha256}'),
  {
    /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
    public_key_sha256: text,
    /** DER in base64: the key's own certificate first, then its chain to a root. */
    chain: { type: 'list', items: { type: 'string' }, required: true },
    /** `self_signed`: made with the key itself, until an authority's is imported. */
    origin: oneOf(['self_signed', 'imported']),
    stored_at: text,
  },
)
