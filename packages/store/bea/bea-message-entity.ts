import {
  boolean,
  entity,
  json,
  listKey,
  nullableJson,
  nullableText,
  number,
  oneOf,
  optionalJson,
  recordKey,
  text,
} from '../entity.ts'

/** A message of beA. Its body lies in the bucket; of many attachments, items beside it hold what is known. */
export const beaMessageEntity = entity('beamessage', recordKey('${workspace_id}#bea_message#${id}'), {
  workspace_id: text,
  id: text,
  account_id: text,
  postbox_safe_id: text,
  remote_id: text,
  is_missing: boolean,
  folder: text,
  direction: oneOf(['inbound', 'outbound']),
  subject: text,
  sender: json,
  recipients: json,
  received_at: nullableText,
  sent_at: nullableText,
  reference_sender: nullableText,
  reference_recipient: nullableText,
  confidential: boolean,
  eeb_requested: boolean,
  eeb: nullableJson,
  eeb_foreign_id: nullableText,
  eeb_given: optionalJson,
  size_bytes: number,
  case_id: nullableText,
  party_id: nullableText,
  purge_at: nullableText,
  imported_at: text,
  receipt: nullableJson,
  /** `InboxState`; absent for what never came into the inbox. */
  inbox: nullableJson,
  /** Absent unless many attachments are yet to follow their message. */
  filing: optionalJson,
  teaches: json,
  /** Only if they are few; otherwise items beside it hold them, and this is absent. */
  attachments: optionalJson,
  /** How many items beside it hold its attachments. */
  attachment_parts: number,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
})

/** Attachments of a message that has many: it may have a thousand, which is more than an item holds. */
export const beaAttachmentEntity = entity(
  'beaattachments',
  listKey('record', '${workspace_id}#bea_attachments#${message_id}', 'part_${part}'),
  {
    workspace_id: text,
    message_id: text,
    /** Counts from 0. */
    part: number,
    attachments: json,
  },
)

/** A message of the network that is imported, with what a sync compares: so it need not read the message. */
export const beaImportEntity = entity(
  'beaimport',
  listKey('record', '${workspace_id}#bea_imports#${postbox_safe_id}', '${remote_key}'),
  {
    workspace_id: text,
    postbox_safe_id: text,
    /** The digest of the gateway's id, which may have any characters and any length. */
    remote_key: text,
    remote_id: text,
    id: text,
    account_id: text,
    folder: text,
    direction: oneOf(['inbound', 'outbound']),
    receipt: optionalJson,
  },
)
