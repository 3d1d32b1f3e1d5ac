import { bareUuid, newId } from '#kernel/id.ts'

/**
 * A new key for a drawn signature in the bucket. Each attempt to sign has its own key, so no attempt removes the
 * picture of another.
 */
export function newSignatureKey(signature: {
  workspace_id: string
  envelope_id: string
  signer_id: string
}): string {
  const { workspace_id, envelope_id, signer_id } = signature
  return `signatures/${workspace_id}/${envelope_id}/${signer_id}/${bareUuid(newId('signer'))}`
}
