import { entity, recordKey, text } from '../entity.ts'

/** The target of a magic link (S5). To open it, only the token is needed, so the key has no workspace. */
export const signingLink = entity('signinglink', recordKey('signing_link#${token_sha256}'), {
  workspace_id: text,
  envelope_id: text,
  signer_id: text,
})
