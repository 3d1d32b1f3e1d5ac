import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'
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

const states = ['draft', 'queued', 'preparing', 'confirming', 'sent', 'failed', 'unknown'] as const

/**
 * A beA message that is written or was sent, or an answer to a request for a receipt. Its body lies in the bucket. A
 * deleted one stays for the audit (G13).
 */
export const beaDraftEntity = entity('beadraft', recordKey('${workspace_id}#bea_draft#${id}'), {
  user_id: text,
  account_id: text,
  to: jsonOf<BeaDraftRecord['to']>(),
  subject: text,
  attachments: jsonOf<BeaDraftRecord['attachments']>(),
  reference_sender: nullable(text),
  reference_recipient: nullable(text),
  eeb_requested: boolean,
  case_id: nullable(text),
  state: oneOf(states),
  message_id: nullable(text),
  error: nullable(text),
  body_key: nullable(text),
  /** The last send. */
  send: nullable(jsonOf<BeaDraftRecord['send'] & object>()),
  attempts: number,
  eeb: nullable(jsonOf<BeaDraftRecord['eeb'] & object>()),
  due_at: nullable(text),
  created_at: text,
  updated_at: text,
  version: number,
  deleted_at: optional(text),
})

/**
 * Which draft a message of the network is. Each message has only one such item, so no message counts for two drafts.
 */
export const beaSentMessage = entity(
  'beasentmessage',
  listKey('record', '${workspace_id}#bea_sent#${account_id}', '${remote_id}'),
  { draft_id: text },
)

/** A draft for which something is to be done. The sweeper lists these items of all workspaces, so the key has none. */
export const dueBeaSend = entity('duebeasend', dueKeys('bea_sends#due'), { ...dueAttributes, draft_id: text })
