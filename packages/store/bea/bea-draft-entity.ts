import { Entity } from 'electrodb'
import type { Db } from '../db.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'

const states = ['draft', 'queued', 'preparing', 'confirming', 'sent', 'failed', 'unknown'] as const

/**
 * A beA message that is written or was sent, or an answer to a request for a receipt. Its body lies in the bucket. A
 * deleted one stays for the audit (G13).
 */
export function beaDraftEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beadraft', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        to: { type: 'any', required: true },
        subject: { type: 'string', required: true },
        attachments: { type: 'any', required: true },
        reference_sender: { type: 'string' },
        reference_recipient: { type: 'string' },
        eeb_requested: { type: 'boolean', required: true },
        case_id: { type: 'string' },
        state: { type: states, required: true },
        message_id: { type: 'string' },
        error: { type: 'string' },
        body_key: { type: 'string' },
        /** The last send. */
        send: { type: 'any' },
        attempts: { type: 'number', required: true },
        eeb: { type: 'any' },
        due_at: { type: 'string' },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** Counts the changes; every write names the one it was made for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#bea_draft#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** Which draft a message of the network is. There is one, so no message counts for two drafts. */
export function beaSentMessage(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beasentmessage', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        remote_id: { type: 'string', required: true },
        draft_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'account_id'],
            template: '${workspace_id}#bea_sent#${account_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['remote_id'], template: '${remote_id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A draft for which something is to be done. The sweeper lists these items of all workspaces, so the key has none. */
export function dueBeaSend(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'duebeasend', version: '1' },
      attributes: { ...dueAttributes, draft_id: { type: 'string', required: true } },
      indexes: dueKeys('bea_sends#due'),
    },
    db,
  )
}
