import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

/** `person` has a stored key, `card` has none, and `kanzlei` is a postbox that the login of another account sees. */
const accountKinds = ['person', 'kanzlei', 'card'] as const

/** The public data of a certificate. */
export const BeaCertificate = namedObject('BeaCertificate', () => ({
  subject: Text,
  issuer: Text,
  serial: Text,
  thumbprint: Text.meta({ description: 'SHA-1, 40 hexadecimal digits.' }),
  valid_from: Timestamp,
  valid_to: Timestamp,
}))

/** How the last synchronisation went. */
export const BeaSync = namedObject('BeaSync', () => ({
  status: z.enum(['running', 'done', 'failed']),
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  new_messages: z.int(),
  kept_out: z.int().meta({
    description:
      'Messages that could not be imported. The next synchronisation tries them again; until then the inbox has a notice about them.',
  }),
  error: NullableText.meta({ description: 'Why it failed, or could not import messages or read folders.' }),
}))

/** PVKEZI and Ausbaugrad of the electronic exchange with courts of payment orders. */
const BeaEdaMahn = namedObject('BeaEdaMahn', () => ({
  pvkezi: Text.meta({ description: 'Kennziffer, 8 digits.' }),
  ausbaugrad: z.int().meta({ description: '0 to 127: a sum of powers of two.' }),
}))

/** A postbox that is connected with the workspace (B2). */
export const BeaAccount = namedObject('BeaAccount', () => ({
  id: shownId('beaAccount'),
  label: Text,
  kind: z.enum(accountKinds),
  safe_id: NullableText.meta({
    description: 'Null for a card until its first login.',
  }),
  owner_name: Text,
  postbox_safe_id: NullableText.meta({ description: 'Null as long as `safe_id` is.' }),
  login_account_id: shownId('beaAccount').nullable().meta({
    description: 'For a Kanzlei postbox: the account that logs in for it.',
  }),
  certificate: BeaCertificate.nullable(),
  status: z.enum(['connected', 'locked', 'certificate_expired']),
  last_sync: BeaSync.nullable(),
  eda_mahn: BeaEdaMahn.nullable(),
  created_at: Timestamp,
}))

export type BeaAccount = z.infer<typeof BeaAccount>
export type BeaSync = z.infer<typeof BeaSync>

/** A session with the network (B3). */
export const BeaSession = namedObject('BeaSession', () => ({
  account_id: shownId('beaAccount'),
  status: z.enum(['active', 'none', 'expired']),
  since: Timestamp.nullable(),
  expires_at: Timestamp.nullable().meta({ description: '30 minutes after the last use.' }),
}))

export type BeaSession = z.infer<typeof BeaSession>

export const BeaFolder = namedObject('BeaFolder', () => ({
  id: Text,
  parent_id: NullableText,
  name: NullableText,
  type: Text,
  unread: z.int().nullable(),
}))

export type BeaFolder = z.infer<typeof BeaFolder>
