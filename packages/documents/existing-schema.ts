/** An existing document, as mails, beA messages and envelopes use it. Deleted documents are not found. */
export type ExistingDocument = {
  id: string
  filename: string
  mime_type: string
  size_bytes: number
  /** Null if its bytes have not arrived. */
  sha256: string | null
  case_id: string | null
  /** When it last left a case. */
  left_case_at?: string | undefined
  /** False for an announced upload whose bytes have not arrived. */
  is_complete: boolean
  /** Whether it is known to need a password. */
  is_protected: boolean
  /** The key of its bytes in the bucket. */
  key: string
}

/** Finds existing documents. */
export type ExistingDocuments<Used = ExistingDocument> = {
  /** The documents with these ids that exist, in any order. */
  findAll: (workspaceId: string, ids: string[]) => Promise<Used[]>
}
