import type { BeaAccountRecord } from '#bea/ports.ts'
import { newId } from '#kernel/id.ts'

/** A connected postbox of a lawyer, in its own workspace. */
export function aBeaAccount(changes: Partial<BeaAccountRecord> = {}): BeaAccountRecord {
  const safe_id = `DE.BRAK.${crypto.randomUUID()}.ab12`
  return {
    workspace_id: newId('workspace'),
    id: newId('beaAccount'),
    user_id: newId('user'),
    label: 'Postfach Dr. Vogt',
    kind: 'person',
    safe_id,
    owner_name: 'Dr. Jana Vogt',
    postbox_safe_id: safe_id,
    login_account_id: null,
    certificate: {
      subject: 'CN=Dr. Jana Vogt',
      issuer: 'CN=Test',
      serial: '01',
      thumbprint: crypto.randomUUID().replaceAll('-', '').padEnd(40, '0'),
      valid_from: '2026-01-01T00:00:00.000Z',
      valid_to: '2028-01-01T00:00:00.000Z',
    },
    certificate_pem: 'CERTIFICATE',
    status: 'connected',
    last_sync: null,
    logged_out: null,
    eda_mahn: null,
    created_at: '2026-03-16T08:00:00.000Z',
    disconnected_at: null,
    version: 1,
    ...changes,
  }
}
