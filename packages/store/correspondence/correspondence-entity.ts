import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { senderFaults } from '#correspondence/schema.ts'
import {
  boolean,
  entity,
  jsonOf,
  listKey,
  nullable,
  number,
  oneOf,
  optional,
  recordKey,
  text,
} from '../entity.ts'

/**
 * A mail that was sent or received. Its bodies and its message are in the bucket, its attachments in other items.
 */
export const correspondenceEntity = entity(
  'correspondence',
  recordKey('${workspace_id}#correspondence#${id}'),
  {
    direction: oneOf(['outbound', 'inbound']),
    status: oneOf(['sending', 'sent', 'failed', 'received', 'processed']),
    from: jsonOf<CorrespondenceRecord['from']>(),
    to: jsonOf<CorrespondenceRecord['to']>(),
    cc: jsonOf<CorrespondenceRecord['cc']>(),
    bcc: jsonOf<CorrespondenceRecord['bcc']>(),
    subject: text,
    case_id: nullable(text),
    party_id: nullable(text),
    assigned_to: nullable(text),
    message_id: nullable(text),
    in_reply_to: nullable(text),
    sent_at: nullable(text),
    received_at: nullable(text),
    delivery: jsonOf<CorrespondenceRecord['delivery']>(),
    created_at: text,
    user_id: nullable(text),
    draft_id: nullable(text),
    about: nullable(jsonOf<CorrespondenceRecord['about'] & object>()),
    header_message_id: text,
    /** The id by which a second copy of a mail without a `Message-ID` is recognised. */
    known_as: optional(text),
    references: jsonOf<CorrespondenceRecord['references']>(),
    sending_since: nullable(text),
    lost_at: nullable(text),
    attempts: number,
    refusal: nullable(jsonOf<CorrespondenceRecord['refusal'] & object>()),
    status_reason: nullable(text),
    verdicts: nullable(jsonOf<CorrespondenceRecord['verdicts'] & object>()),
    sender_verified: nullable(boolean),
    sender_verified_reason: nullable(oneOf(senderFaults)),
    protection: oneOf(['none', 'signed', 'encrypted']),
    reply_to: jsonOf<CorrespondenceRecord['reply_to']>(),
    /** `InboxState`; absent if the mail never came into the inbox. */
    inbox: nullable(jsonOf<CorrespondenceRecord['inbox'] & object>()),
    teaches: jsonOf<CorrespondenceRecord['teaches']>(),
    /** The number of items with its attachments. */
    attachment_parts: number,
    /** Whether another item has its triage result. */
    has_triage: boolean,
    /** When the newest change was written, for `updated_since` (G16). */
    changed_at: text,
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
    /** Counts from 0. */
    part: number,
    attachments: jsonOf<CorrespondenceRecord['attachments']>(),
  },
)
