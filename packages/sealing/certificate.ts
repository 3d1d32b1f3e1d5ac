/** Who signed, as the certificate shows it. Timestamps are ISO 8601 in UTC. */
export type CertifiedSigner = {
  name: string
  email: string
  role: 'signer' | 'approver'
  sent_at: string | null
  opened_at: string | null
  signed_at: string
  ip: string
  user_agent: string
  /** What was agreed to, in the words that were shown. */
  consent: string
  /** What was typed as name when signing. */
  signed_name: string
  /** The drawn signature, a PNG; see `checkSignature`. */
  picture: Uint8Array | null
}

/** Who only gets the sealed copy. */
export type CopyRecipient = { name: string; email: string; role: 'cc' }

/** What the certificate of one document says (S7). */
export type Certificate = {
  language: 'de' | 'en'
  office: string
  envelope: { id: string; title: string }
  document: { filename: string; mime_type: string }
  signers: readonly (CertifiedSigner | CopyRecipient)[]
  /** Hash of the audit trail's last entry before completion. */
  audit_hash: string
  completed_at: string
}
