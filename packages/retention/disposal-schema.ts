import * as z from 'zod'
import { idOf, shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

/** The maximum number of cases in a disposal. */
export const maxDisposedCases = 100

export const disposalStates = ['proposed', 'approved', 'running', 'done', 'withdrawn'] as const

/** Why a case was kept although its disposal was approved. */
export const keptReasons = ['reopened', 'not_due', 'legal_hold', 'open_work', 'changed', 'gone'] as const

export type KeptReason = (typeof keptReasons)[number]

/** A case of a disposal (R8). */
export const DisposalCase = namedObject('DisposalCase', () => ({
  case_id: shownId('case'),
  file_number: Text,
  state: z.enum(['waiting', 'done', 'kept']).meta({
    description:
      '`waiting`: its removal has not begun, or has not ended; `done`: it is gone; `kept`: it was not removed.',
  }),
  reason: z.enum(keptReasons).nullable().meta({
    description:
      'Why it was kept: it was reopened, is not due, has a legal hold or open work, was changed after the proposal, or does not exist any more (`gone`). If it was `changed`, propose it again. Null if it was not kept.',
  }),
}))

export type DisposalCase = z.infer<typeof DisposalCase>

const NullableTimestamp = Timestamp.nullable()
const NullableUser = shownId('user').nullable()

/** A disposal: cases that were proposed for removal, and their removal (R3). */
export const Disposal = namedObject('Disposal', () => ({
  id: shownId('disposal'),
  status: z.enum(disposalStates).meta({
    description:
      '`proposed`: waits for another user; `approved`: begins within a minute; `running`: removes its cases; `done`, `withdrawn`: final.',
  }),
  cases: z.array(DisposalCase).meta({ description: 'Its cases, each with its state.' }),
  proposed_by: shownId('user').meta({ description: 'The id of the user who proposed it.' }),
  proposed_at: Timestamp.meta({ description: 'When it was proposed.' }),
  approved_by: NullableUser.meta({
    description: 'The id of the user who approved it, which is another user than `proposed_by`.',
  }),
  approved_at: NullableTimestamp.meta({ description: 'When it was approved.' }),
  withdrawn_by: NullableUser.meta({ description: 'The id of the user who withdrew it.' }),
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

/** The number of removed records, by kind. */
export const DisposalCounts = z.lazy(() =>
  z.record(z.string(), z.int().gte(0)).meta({
    id: 'DisposalCounts',
    description:
      'The number of removed records, by kind: `case`, `document`, `correspondence`, `deadline`, …',
  }),
)

/**
 * The proof of a disposal: the removed cases, the users, and the times (R4). It names cases only by their file numbers.
 */
export const DisposalCertificate = namedObject('DisposalCertificate', () => ({
  disposal_id: shownId('disposal').meta({ description: 'The id of the disposal.' }),
  rule: Text.meta({ description: 'The rule by which the cases were due.' }),
  cases: z.array(z.object({ file_number: Text })).meta({ description: 'The cases that are gone.' }),
  kept: z
    .array(z.object({ file_number: Text, reason: NullableText.meta({ description: 'Why it was kept.' }) }))
    .meta({
      description: 'The cases that were proposed but kept, each with the reason.',
    }),
  counts: DisposalCounts.meta({ description: 'The number of removed records, by kind.' }),
  digest: Text.meta({
    description:
      'SHA-256 of the ids of all removed records, in lower-case hexadecimal. The ids are sorted, one per line, and each line ends with a line feed.',
  }),
  proposed_by: shownId('user').meta({ description: 'The id of the user who proposed it.' }),
  approved_by: shownId('user').meta({ description: 'The id of the user who approved it.' }),
  begun_at: Timestamp.meta({ description: 'When the removal began.' }),
  done_at: Timestamp.meta({ description: 'When everything was gone.' }),
}))

export type DisposalCertificate = z.infer<typeof DisposalCertificate>
