import { senderFaults } from '#correspondence/schema.ts'
import {
  boolean,
  entity,
  json,
  listKey,
  nullableBoolean,
  nullableJson,
  nullableOneOf,
  nullableText,
  number,
  oneOf,
  recordKey,
  text,
} from '../entity.ts'

/** A mail that was sent or received. Its bodies and its message lie in the bucket, its attachments in an item beside it. */
export const correspondenceEntity = entity(
  'correspondence',
  recordKey('${workspace_id}#correspondence#${id}'),
  {
    workspace_id: text,
    id: text,
    direction: oneOf(['outbound', 'inbound']),
    status: oneOf(['sending', 'sent', 'failed', 'received', 'processed']),
    from: json,
    to: json,
    cc: json,
    bcc: json,
    subject: text,
    case_id: nullableText,
    party_id: nullableText,
    assigned_to: nullableText,
    message_id: nullableText,
    in_reply_to: nullableText,
    sent_at: nullableText,
    received_at: nullableText,
    delivery: json,
    created_at: text,
    user_id: nullableText,
    draft_id: nullableText,
    about: nullableJson,
    header_message_id: text,
    references: json,
    sending_since: nullableText,
    attempts: number,
    refusal: nullableJson,
    status_reason: nullableText,
    verdicts: nullableJson,
    sender_verified: nullableBoolean,
    sender_verified_reason: nullableOneOf(senderFaults),
    protection: oneOf(['none', 'signed', 'encrypted']),
    reply_to: json,
    /** `InboxState`; absent for what never came into the inbox. */
    inbox: nullableJson,
    teaches: json,
    /** How many items beside it hold its attachments. */
    attachment_parts: number,
    /** Whether an item beside it says what the triage says of it. */
    has_triage: boolean,
    /** When the newest change was written, for `updated_since` (G16). */
    changed_at: text,
    /** Counts the changes; every write names the one it was made for. */
    version: number,
  },
)

/**
 * Attachments of a mail. They are items of their own because an item may have only 400 KB. A hundred long names, fifty
 * recipients and the delivery status at each would be more. The hundreds of attachments of a received mail may need
 * several items.
 */
export const correspondenceAttachments = entity(
  'correspondenceattachments',
  listKey('record', '${workspace_id}#attachments#${correspondence_id}', 'part_${part}'),
  {
    workspace_id: text,
    correspondence_id: text,
    /** Counts from 0. */
    part: number,
    attachments: json,
  },
)
