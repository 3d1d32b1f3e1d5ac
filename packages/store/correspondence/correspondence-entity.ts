import { senderFaults } from '#correspondence/schema.ts'
import {
  boolean,
  entity,
  json,
  listKey,
  number,
  oneOf,
  optionalBoolean,
  optionalJson,
  optionalText,
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
    case_id: optionalText,
    party_id: optionalText,
    assigned_to: optionalText,
    message_id: optionalText,
    in_reply_to: optionalText,
    sent_at: optionalText,
    received_at: optionalText,
    delivery: json,
    created_at: text,
    user_id: optionalText,
    draft_id: optionalText,
    about: optionalJson,
    header_message_id: text,
    references: json,
    sending_since: optionalText,
    attempts: number,
    refusal: optionalJson,
    status_reason: optionalText,
    verdicts: optionalJson,
    sender_verified: optionalBoolean,
    sender_verified_reason: { type: senderFaults },
    protection: oneOf(['none', 'signed', 'encrypted']),
    reply_to: json,
    /** `InboxState`; absent for what never came into the inbox. */
    inbox: optionalJson,
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
 * Attachments of a mail. They are items of their own because a hundred long names beside fifty recipients and what became
 * of the mail at each would be more than the 400 KB that an item may have; the hundreds of a received mail may need
 * several.
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
