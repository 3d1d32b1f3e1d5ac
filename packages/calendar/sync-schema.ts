import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, Timestamp, text } from '#kernel/text.ts'

export const SyncAccountInput = namedObject('SyncAccountInput', () => ({
  provider: z.literal('caldav', 'Must be caldav.'),
  url: z
    .string()
    .trim()
    .max(2_000)
    .refine(isServerAddress, 'An address such as https://calendar.example.de/, without a user name in it.')
    .meta({ description: 'The CalDAV server, or one of its calendars.' }),
  username: text(320)
    .min(1, 'This must not be empty.')
    .refine((name) => !name.includes(':'), 'This must not contain a colon.'),
  // KMS encrypts at most 4096 octets in one operation. User name and password must fit together.
  password: z.string().min(1, 'This must not be empty.').max(400, 'At most 400 characters.'),
}))

export type SyncAccountInput = z.output<typeof SyncAccountInput>

function isServerAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password, hostname } = new URL(address)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hostname !== ''
}

const syncStatus = z.enum(['connected', 'error'])

export const SyncAccount = namedObject('SyncAccount', () => ({
  id: shownId('syncAccount'),
  provider: z.literal('caldav'),
  url: Text,
  status: syncStatus,
  created_at: Timestamp,
}))

export type SyncAccount = z.infer<typeof SyncAccount>

export const SyncStatus = z.lazy(() =>
  z
    .object({
      accounts: z.array(
        z.object({
          id: shownId('syncAccount'),
          provider: z.literal('caldav'),
          url: Text,
          status: syncStatus,
          last_synced_at: Timestamp.nullable(),
          last_error: NullableText,
        }),
      ),
    })
    .meta({
      id: 'SyncStatus',
      description: 'The external calendars that the caller has connected.',
    }),
)

export type SyncStatus = z.infer<typeof SyncStatus>

export const PushedEvent = namedObject('PushedEvent', () => ({
  event_id: shownId('event'),
  account_id: shownId('syncAccount'),
  external_id: z.string().meta({ description: 'The id or address of the event in the other calendar.' }),
  pushed_at: Timestamp,
}))

export type PushedEvent = z.infer<typeof PushedEvent>
