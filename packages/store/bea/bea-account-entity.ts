import type { BeaAccountRecord } from '#bea/ports.ts'
import { entity, jsonOf, listKey, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/** A postbox of beA that is, or was, connected (B2). */
export const beaAccountEntity = entity(
  'beaaccount',
  listKey('oldest', '${workspace_id}#bea_accounts', '${id}'),
  {
    user_id: text,
    label: text,
    kind: oneOf(['person', 'kanzlei', 'card']),
    safe_id: nullable(text),
    owner_name: text,
    postbox_safe_id: nullable(text),
    login_account_id: nullable(text),
    certificate: nullable(jsonOf<BeaAccountRecord['certificate'] & object>()),
    certificate_pem: nullable(text),
    status: oneOf(['connected', 'locked']),
    last_sync: nullable(jsonOf<BeaAccountRecord['last_sync'] & object>()),
    eda_mahn: nullable(jsonOf<BeaAccountRecord['eda_mahn'] & object>()),
    created_at: text,
    disconnected_at: nullable(text),
    /** The logout that lasts; absent without one. */
    logged_out: nullable(text),
    version: number,
  },
)

/** Which account has an identity: a SAFE-ID, or the thumbprint of a card. It outlives the connection. */
export const beaIdentityEntity = entity(
  'beaidentity',
  recordKey('${workspace_id}#bea_identity#${identity}'),
  { account_id: text },
)

/** The sealed key of an account, apart from its record, so that a list of accounts never reads it. */
export const beaKeyEntity = entity('beakey', recordKey('${workspace_id}#bea_key#${account_id}'), {
  sealed: text,
})
