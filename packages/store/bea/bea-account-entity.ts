import { entity, listKey, nullableJson, nullableText, number, oneOf, recordKey, text } from '../entity.ts'

/** A postbox of beA that is, or was, connected (B2). */
export const beaAccountEntity = entity(
  'beaaccount',
  listKey('oldest', '${workspace_id}#bea_accounts', '${id}'),
  {
    workspace_id: text,
    /** Sorts by age. */
    id: text,
    user_id: text,
    label: text,
    kind: oneOf(['person', 'kanzlei', 'card']),
    safe_id: nullableText,
    owner_name: text,
    postbox_safe_id: nullableText,
    login_account_id: nullableText,
    /** A `BeaCertificate`. */
    certificate: nullableJson,
    certificate_pem: nullableText,
    status: oneOf(['connected', 'locked']),
    /** A `BeaSync`. */
    last_sync: nullableJson,
    /** A `BeaEdaMahn`. */
    eda_mahn: nullableJson,
    created_at: text,
    disconnected_at: nullableText,
    /** The logout that lasts; absent without one. */
    logged_out: nullableText,
    version: number,
  },
)

/** Which account has an identity: a SAFE-ID, or the thumbprint of a card. It outlives the connection. */
export const beaIdentityEntity = entity(
  'beaidentity',
  recordKey('${workspace_id}#bea_identity#${identity}'),
  {
    workspace_id: text,
    identity: text,
    account_id: text,
  },
)

/** The sealed key of an account, apart from its record, so that a list of accounts never reads it. */
export const beaKeyEntity = entity('beakey', recordKey('${workspace_id}#bea_key#${account_id}'), {
  workspace_id: text,
  account_id: text,
  sealed: text,
})
