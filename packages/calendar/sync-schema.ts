import * as z from 'zod/mini'
import { NullableText, Text, Timestamp, text } from '#kernel/text.ts'

export const SyncAccountInput = z
  .object({
    provider: z.literal('caldav', 'The provider is caldav.'),
    url: z
      .string()
      .check(
        z.trim(),
        z.maxLength(2_000),
        z.refine(isServerAddress, 'An address as https://calendar.example.de/, without user name in it.'),
      )
      .register(z.globalRegistry, { description: 'The CalDAV server, or one of its calendars.' }),
    username: text(320).check(
      z.minLength(1, 'This must not be empty.'),
      // What follows a colon would be read as the password (RFC 7617, 2).
      z.refine((name) => !name.includes(':'), 'A user name has no colon.'),
    ),
    // With the user name it must fit the 4096 octets that KMS encrypts at once.
    password: z
      .string()
      .check(z.minLength(1, 'This must not be empty.'), z.maxLength(400, 'At most 400 characters.')),
  })
  .register(z.globalRegistry, { id: 'SyncAccountInput' })

export type SyncAccountInput = z.output<typeof SyncAccountInput>

function isServerAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password, hostname } = new URL(address)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== ''
}

const syncStatus = z.enum(['connected', 'error'])

export const SyncAccount = z
  .object({
    id: Text,
    provider: z.literal('caldav'),
    url: Text,
    status: syncStatus,
    created_at: Timestamp,
  })
  .register(z.globalRegistry, { id: 'SyncAccount' })

export type SyncAccount = z.infer<typeof SyncAccount>

export const SyncStatus = z
  .object({
    accounts: z.array(
      z.object({
        id: Text,
        provider: z.literal('caldav'),
        url: Text,
        status: syncStatus,
        last_synced_at: z.nullable(Timestamp),
        last_error: NullableText,
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: 'SyncStatus',
    description: 'The external calendars that the caller has connected.',
  })

export type SyncStatus = z.infer<typeof SyncStatus>

export const PushedEvent = z
  .object({
    event_id: Text,
    account_id: Text,
    external_id: z
      .string()
      .register(z.globalRegistry, { description: 'Where the event is on the other side.' }),
    pushed_at: Timestamp,
  })
  .register(z.globalRegistry, { id: 'PushedEvent' })

export type PushedEvent = z.infer<typeof PushedEvent>
