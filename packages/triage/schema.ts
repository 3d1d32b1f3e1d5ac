import * as z from 'zod'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text } from '#kernel/text.ts'

export const categories = [
  'court',
  'authority',
  'opponent',
  'client',
  'insurance',
  'invoice',
  'newsletter',
  'other',
] as const

const priorities = ['high', 'normal', 'low'] as const

const evidenceKinds = ['thread', 'file_number', 'court_reference', 'sender', 'party_name', 'text'] as const

const confidence = z.lazy(() => z.number().min(0).max(1))

/** Why a case is suggested. `text` is German and quotes the message. */
export const Evidence = namedObject('TriageEvidence', () => ({ kind: z.enum(evidenceKinds), text: Text }))

export type Evidence = z.infer<typeof Evidence>

/** A case that the message may belong to. */
export const CaseSuggestion = namedObject('CaseSuggestion', () => ({
  case_id: z.uuid(),
  confidence,
  evidence: z.array(Evidence),
}))

export type CaseSuggestion = z.infer<typeof CaseSuggestion>

/** A sentence that names a time limit, by its last day or by a period. It never creates a deadline. */
export const DeadlineHint = z.lazy(() =>
  z
    .object({
      text: Text.meta({ description: 'The sentence as it stands in the message.' }),
      date: z.iso.date().nullable(),
      period: z.object({ unit: z.enum(['day', 'week', 'month', 'year']), count: z.int() }).nullable(),
      confidence,
    })
    .meta({ id: 'DeadlineHint', description: 'Exactly one of `date` and `period` is set.' }),
)

export type DeadlineHint = z.infer<typeof DeadlineHint>

/** The triage result of a message (I5). */
export const Triage = namedObject('Triage', () => ({
  category: z.enum(categories),
  priority: z.enum(priorities),
  suggested_assignment: NullableText.meta({
    description: 'A user who works on the first case suggested.',
  }),
  case_suggestions: z.array(CaseSuggestion).meta({ description: 'The most likely case first.' }),
  confidence: confidence.meta({
    description: 'The confidence of the first case suggested; 0 if none is suggested.',
  }),
  deadline_hints: z.array(DeadlineHint),
  final: z.boolean().meta({
    description:
      'Whether its attachments were judged too. Until then the result may change, and the message is not filed.',
  }),
}))

export type Triage = z.infer<typeof Triage>

/** The triage result for the parts that have been read so far. The caller knows whether these are all parts. */
export type Findings = Omit<Triage, 'final'>

export type Category = Triage['category']
export type Priority = Triage['priority']

/**
 * The triage result of a message, with its automatic consequences.
 *
 * `auto_file`: the case into which the message is filed automatically; null if cases are only suggested. `teaches`: the
 * facts that a case learns when the message is filed there.
 */
export type Judgement = {
  triage: Findings
  auto_file: string | null
  teaches: Teaching
}

/** The facts that a case learns from a message: keys of court references, and the mailbox of the sender. */
export type Teaching = { references: string[]; sender: string | null }
