import { entity, recordKey, text } from '../entity.ts'

/** Where a magic link leads (S5). Who opens it shows the token alone; the key has no workspace. */
export const signingLink = entity('signinglink', recordKey('signing_link#${token_sha256}'), {
  /** SHA-256 of the token, hexadecimal. */
  token_sha256: text,
  workspace_id: text,
  envelope_id: text,
  signer_id: text,
})
