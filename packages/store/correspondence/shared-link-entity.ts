import type { SharedLink } from '#correspondence/ports.ts'
import { entity, jsonOf, listKey, nullable, number, optional, recordKey, text } from '../entity.ts'

/**
 * The documents of a mail that were sent as a link (M3). To open it, only the token is needed, so the key has no
 * workspace.
 */
export const sharedLink = entity('sharedlink', recordKey('shared_link#${token_sha256}'), {
  workspace_id: text,
  correspondence_id: text,
  case_id: nullable(text),
  documents: jsonOf<SharedLink['documents']>(),
  expires_at: text,
  id: optional(text),
  revoked_at: optional(text),
  version: optional(number),
  /** It expires together with its entries in lists, because without them no disposal and no erasure finds it. */
  ttl: optional(number),
})

/**
 * A link among the links of its mail, and among the links of each of its documents. Sorts by age. An entry may exist
 * without its link.
 */
export const sharedLinkOf = entity(
  'sharedlinkof',
  listKey('newest', '${workspace_id}#shared_links#${of_id}', '${id}'),
  {
    token_sha256: text,
    ttl: number,
  },
)

/** That a document was opened by a link in an hour. */
export const sharedLinkOpening = entity(
  'sharedlinkopening',
  listKey('record', '${workspace_id}#shared_link_openings#${token_sha256}', '${document_id}#${hour}'),
  {
    /** `2026-11-23T09`, in UTC. */
    hour: text,
    ttl: number,
  },
)
