import * as z from 'zod'
import { idOf, shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

/** A disposal takes at most this many cases. */
export const maxDisposedCases = 100

export const disposalStates = ['proposed', 'approved', 'running', 'done', 'withdrawn'] as const

export type DisposalStatus = (typeof disposalStates)[number]

/** Why a case was kept although its disposal was approved. */
export const keptReasons = ['reopened', 'not_due', 'legal_hold', 'open_work', 'changed', 'gone'] as const

export type KeptReason = (typeof keptReasons)[number]

/** A case of a disposal (R8). */
export const DisposalCase = namedObject('DisposalCase', () => ({
  case_id: shownId('case'),
  file_number: Text,
  state: z.enum(['waiting', 'done', 'kept']).meta({
    description:
      '`waiting`: its turn has not come, or its removal has begun and not ended; `done`: it is gone; `kept`: it was not removed.',
  }),
  reason: z.enum(keptReasons).nullable().meta({
    description:
      'Why it was kept: since the proposal it was reopened, is not due, has a legal hold or open work, was changed, or is not there any more (`gone`). `changed`: something was put into it, changed in it or taken out. Propose it again. Null unless it was kept.',
  }),
}))

export type DisposalCase = z.infer<typeof DisposalCase>

const NullableTimestamp = Timestamp.nullable()
const NullableUser = shownId('user').nullable()

/** Cases that are to be, or were, disposed of (R3). */
export const Disposal = namedObject('Disposal', () => ({
  id: shownId('disposal'),
  status: z.enum(disposalStates).meta({
    description:
      '`proposed` waits for another user; `approved` and `running` are being carried out; `done` and `withdrawn` are final.',
  }),
  cases: z.array(DisposalCase).meta({ description: 'Its cases, each with its state.' }),
  proposed_by: shownId('user').meta({ description: 'The user who proposed it, by id.' }),
  proposed_at: Timestamp.meta({ description: 'When it was proposed.' }),
  approved_by: NullableUser.meta({
    description: 'The user who approved it, by id. Not the user of `proposed_by`.',
  }),
  approved_at: NullableTimestamp.meta({ description: 'When it was approved.' }),
  withdrawn_by: NullableUser.meta({ description: 'The user who withdrew it, by id.' }),
  withdrawn_at: NullableTimestamp.meta({ description: 'When it was withdrawn.' }),
  begun_at: NullableTimestamp.meta({ description: 'When the removal began.' }),
  done_at: NullableTimestamp.meta({ description: 'When everything was gone.' }),
}))

export type Disposal = z.infer<typeof Disposal>

export const DisposalInput = namedObject('DisposalInput', () => ({
  case_ids: z
    .array(idOf('case'))
    .min(1)
    .max(maxDisposedCases)
    .meta({ description: `The cases, 1 to ${maxDisposedCases}. Each must be due.` }),
}))

export type DisposalInput = z.infer<typeof DisposalInput>

/** How much was removed, by kind of record. */
export const DisposalCounts = z.lazy(() =>
  z.record(z.string(), z.int().gte(0)).meta({
    id: 'DisposalCounts',
    description:
      'How many records were removed, by kind: `case`, `document`, `correspondence`, `deadline`, …',
  }),
)

/** What was disposed of, by whom, and when (R4). It names cases by their file numbers alone. */
export const DisposalCertificate = namedObject('DisposalCertificate', () => ({
  disposal_id: shownId('disposal').meta({ description: 'The disposal, by its id.' }),
  rule: Text.meta({ description: 'The rule by which the cases were due.' }),
  cases: z.array(z.object({ file_number: Text })).meta({ description: 'The cases that are gone.' }),
  kept: z
    .array(z.object({ file_number: Text, reason: NullableText.meta({ description: 'Why it was kept.' }) }))
    .meta({
      description: 'The cases that were proposed and were kept, with the reason.',
    }),
  counts: DisposalCounts.meta({ description: 'How many records were removed, by kind.' }),
  digest: Text.meta({
    description:
      'SHA-256, lower-case hexadecimal, of the ids of all removed records: sorted, one a line, each line with a line feed.',
  }),
  proposed_by: shownId('user').meta({ description: 'The user who proposed it, by id.' }),
  approved_by: shownId('user').meta({ description: 'The user who approved it, by id.' }),
  begun_at: Timestamp.meta({ description: 'When the removal began.' }),
  done_at: Timestamp.meta({ description: 'When everything was gone.' }),
}))

export type DisposalCertificate = z.infer<typeof DisposalCertificate>
