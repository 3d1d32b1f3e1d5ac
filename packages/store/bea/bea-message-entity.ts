import type { BeaMessageRecord } from '#bea/ports.ts'
import {
  boolean,
  entity,
  json,
  jsonOf,
  listKey,
  nullable,
  number,
  oneOf,
  optional,
  recordKey,
  text,
} from '../entity.ts'

/** A message of beA. Its body lies in the bucket; of many attachments, items beside it hold what is known. */
export const beaMessageEntity = entity('beamessage', recordKey('${workspace_id}#bea_message#${id}'), {
  account_id: text,
  postbox_safe_id: text,
  remote_id: text,
  is_missing: boolean,
  folder: text,
  direction: oneOf(['inbound', 'outbound']),
  subject: text,
  sender: jsonOf<BeaMessageRecord['sender']>(),
  recipients: jsonOf<BeaMessageRecord['recipients']>(),
  received_at: nullable(text),
  sent_at: nullable(text),
  reference_sender: nullable(text),
  reference_recipient: nullable(text),
  confidential: boolean,
  eeb_requested: boolean,
  eeb: nullable(jsonOf<BeaMessageRecord['eeb'] & object>()),
  eeb_foreign_id: nullable(text),
  eeb_given: optional(jsonOf<BeaMessageRecord['eeb_given'] & object>()),
  size_bytes: number,
  case_id: nullable(text),
  party_id: nullable(text),
  purge_at: nullable(text),
  imported_at: text,
  receipt: nullable(jsonOf<BeaMessageRecord['receipt'] & object>()),
  /** `InboxState`; absent for what never came into the inbox. */
  inbox: nullable(jsonOf<BeaMessageRecord['inbox'] & object>()),
  /** Absent unless many attachments are yet to follow their message. */
  filing: optional(json),
  teaches: jsonOf<BeaMessageRecord['teaches']>(),
  /** Only if they are few; otherwise items beside it hold them, and this is absent. */
  attachments: optional(jsonOf<BeaMessageRecord['attachments'] & object>()),
  /** How many items beside it hold its attachments. */
  attachment_parts: number,
  version: number,
})

/** Attachments of a message that has many: it may have a thousand, which is more than an item holds. */
export const beaAttachmentEntity = entity(
  'beaattachments',
  listKey('record', '${workspace_id}#bea_attachments#${message_id}', 'part_${part}'),
  {
    /** Counts from 0. */
    part: number,
    attachments: jsonOf<BeaMessageRecord['attachments']>(),
  },
)

/** A message of the network that is imported, with what a sync compares: so it need not read the message. */
export const beaImportEntity = entity(
  'beaimport',
  listKey('record', '${workspace_id}#bea_imports#${postbox_safe_id}', '${remote_key}'),
  {
    remote_id: text,
    id: text,
    account_id: text,
    folder: text,
    direction: oneOf(['inbound', 'outbound']),
    receipt: optional(jsonOf<BeaMessageRecord['receipt'] & object>()),
  },
)
