import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { pageOf } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'
import { Basis } from './basis-schema.ts'
import { Category } from './category.ts'
import { Delegation, Evidence, ExitControl, Extension } from './schema.ts'
import { FristType } from './type-schema.ts'

/** A deadline in its history. */
export const DeadlineSnapshot = namedObject('DeadlineSnapshot', () => ({
  id: shownId('event'),
  title: Text,
  case_id: shownId('case'),
  frist_type: FristType,
  due_at: Text.meta({ format: 'date-time' }),
  assigned_to: shownId('user'),
  category: Category,
  basis: Basis.nullable(),
  chain_id: shownId('chain'),
  created_by: shownId('user'),
  created_at: Text.meta({ format: 'date-time' }),
  verified_by: shownId('user').nullable(),
  verified_at: NullableText.meta({ format: 'date-time' }),
  delegation: Delegation.nullable(),
  completed_at: NullableText.meta({ format: 'date-time' }),
  completed_by: shownId('user').nullable(),
  evidence: Evidence.nullable(),
  exit_control: ExitControl.nullable(),
  struck_at: NullableText.meta({ format: 'date-time' }),
  struck_by: shownId('user').nullable(),
  struck_reason: NullableText,
  extension: Extension.nullable(),
  provisional_for: shownId('event').nullable(),
}))

export type DeadlineSnapshot = z.infer<typeof DeadlineSnapshot>

/** The values of a deadline before anybody verifies, delegates, completes, extends or strikes it. */
export const untouched = {
  verified_by: null,
  verified_at: null,
  delegation: null,
  completed_at: null,
  completed_by: null,
  evidence: null,
  exit_control: null,
  struck_at: null,
  struck_by: null,
  struck_reason: null,
  extension: null,
  provisional_for: null,
} as const satisfies Partial<DeadlineSnapshot>

export const HistoryActor = namedObject('HistoryActor', () => ({
  type: z.literal('user'),
  id: shownId('user'),
  name: Text,
  key_id: shownId('apiKey').optional().meta({ description: 'The API key that was used.' }),
}))

export const historyActions = [
  'created',
  'changed',
  'verified',
  'delegated',
  'completed',
  'exit_controlled',
  'reopened',
  'extension_requested',
  'extension_granted',
  'extension_refused',
  'receipt_given',
  'struck',
] as const

/** One link of the hash chain (F11). */
export const HistoryEntry = namedObject('HistoryEntry', () => ({
  seq: z.int().meta({ description: 'Counts from 1.' }),
  at: Timestamp,
  actor: HistoryActor,
  action: z.enum(historyActions),
  before: DeadlineSnapshot.nullable(),
  after: DeadlineSnapshot,
  reason: NullableText.meta({
    description:
      'Why the deadline was struck or reopened, the note of an extension request, or the electronic receipt that was given; null if there is none.',
  }),
  hash: z.string().meta({
    description: 'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`.',
  }),
  previous_hash: Text.nullable().meta({ description: '`hash` of the entry before; null in the first.' }),
}))

export type HistoryEntry = z.infer<typeof HistoryEntry>

export const DeadlineHistory = z.lazy(() =>
  pageOf(HistoryEntry)
    .unwrap()
    .extend({
      intact: z.boolean().meta({
        description:
          'Whether the hash of every entry on this page matches its content and every entry follows the one before it; on the last page also whether no entry is missing at the end.',
      }),
    })
    .meta({ id: 'DeadlineHistory' }),
)

export type DeadlineHistory = z.infer<typeof DeadlineHistory>
