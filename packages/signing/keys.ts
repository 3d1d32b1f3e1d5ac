/** The key of a drawn signature in the bucket. It includes its digest, so that two attempts never replace each other. */
export function signatureKey(signature: {
  workspace_id: string
  envelope_id: string
  signer_id: string
  sha256: string
}): string {
  const { workspace_id, envelope_id, signer_id, sha256 } = signature
  return `signatures/${workspace_id}/${envelope_id}/${signer_id}/${sha256}`
}
