import { dueAttributes, dueKeys } from '../due-entity.ts'
import {
  boolean,
  entity,
  json,
  listKey,
  nullableJson,
  nullableText,
  number,
  oneOf,
  optionalText,
  recordKey,
  text,
} from '../entity.ts'

const states = ['draft', 'queued', 'preparing', 'confirming', 'sent', 'failed', 'unknown'] as const

/**
 * A beA message that is written or was sent, or an answer to a request for a receipt. Its body lies in the bucket. A
 * deleted one stays for the audit (G13).
 */
export const beaDraftEntity = entity('beadraft', recordKey('${workspace_id}#bea_draft#${id}'), {
  workspace_id: text,
  id: text,
  user_id: text,
  account_id: text,
  to: json,
  subject: text,
  attachments: json,
  reference_sender: nullableText,
  reference_recipient: nullableText,
  eeb_requested: boolean,
  case_id: nullableText,
  state: oneOf(states),
  message_id: nullableText,
  error: nullableText,
  body_key: nullableText,
  /** The last send. */
  send: nullableJson,
  attempts: number,
  eeb: nullableJson,
  due_at: nullableText,
  created_at: text,
  updated_at: text,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
  deleted_at: optionalText,
})

/**
 * Which draft a message of the network is. Each message has only one such item, so no message counts for two drafts.
 */
export const beaSentMessage = entity(
  'beasentmessage',
  listKey('record', '${workspace_id}#bea_sent#${account_id}', '${remote_id}'),
  {
    workspace_id: text,
    account_id: text,
    remote_id: text,
    draft_id: text,
  },
)

/** A draft for which something is to be done. The sweeper lists these items of all workspaces, so the key has none. */
export const dueBeaSend = entity('duebeasend', dueKeys('bea_sends#due'), { ...dueAttributes, draft_id: text })
