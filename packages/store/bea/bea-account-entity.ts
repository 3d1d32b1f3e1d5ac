import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A postbox of beA that is, or was, connected (B2). */
export function beaAccountEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beaaccount', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        user_id: { type: 'string', required: true },
        label: { type: 'string', required: true },
        kind: { type: ['person', 'kanzlei', 'card'] as const, required: true },
        safe_id: { type: 'string' },
        owner_name: { type: 'string', required: true },
        postbox_safe_id: { type: 'string' },
        login_account_id: { type: 'string' },
        /** A `BeaCertificate`. */
        certificate: { type: 'any' },
        certificate_pem: { type: 'string' },
        status: { type: ['connected', 'locked'] as const, required: true },
        /** A `BeaSync`. */
        last_sync: { type: 'any' },
        /** A `BeaEdaMahn`. */
        eda_mahn: { type: 'any' },
        created_at: { type: 'string', required: true },
        disconnected_at: { type: 'string' },
        /** The logout that lasts; absent without one. */
        logged_out: { type: 'string' },
        version: { type: 'number', required: true },
      },
      indexes: {
        oldest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id'],
            template: '${workspace_id}#bea_accounts',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** Which account has an identity: a SAFE-ID, or the thumbprint of a card. It outlives the connection. */
export function beaIdentityEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beaidentity', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        identity: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'identity'],
            template: '${workspace_id}#bea_identity#${identity}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}

/** The sealed key of an account, apart from its record, so that a list of accounts never reads it. */
export function beaKeyEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'beakey', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        sealed: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'account_id'],
            template: '${workspace_id}#bea_key#${account_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
