import { bareUuid, newId } from '#kernel/id.ts'

/**
 * A new key for a drawn signature in the bucket. Each attempt to sign gets its own key, so that it never removes the
 * picture of another attempt.
 */
export function newSignatureKey(signature: {
  workspace_id: string
  envelope_id: string
  signer_id: string
}): string {
  const { workspace_id, envelope_id, signer_id } = signature
  return `signatures/${workspace_id}/${envelope_id}/${signer_id}/${bareUuid(newId('signer'))}`
}
