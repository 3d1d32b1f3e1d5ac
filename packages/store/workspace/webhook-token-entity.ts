import { entity, recordKey, text } from '../entity.ts'

/** The workspace whose webhook token this is. A caller may show the token alone, so the key has no workspace. */
export const webhookTokenEntity = entity('webhooktoken', recordKey('webhook_token#${token_sha256}'), {
  workspace_id: text,
})
