import * as z from 'zod'
import { LocalTimestamp } from '#german-time/local-timestamp.ts'
import { dayOrMoment, isYearOfTimes, yearsOfTimes } from '#german-time/time-range.ts'
import { idFilter, idOf } from '#kernel/id.ts'
import { Pagination, pageOf, pageQuery } from '#kernel/page.ts'
import { nameText, Timestamp, visibleText } from '#kernel/text.ts'
import { fristTypes } from './ports.ts'

export { CalculationAnswer, CalculationBody, PresetAnswer } from './calculation-schema.ts'

const fristType = z.enum(fristTypes)

/** What shows that the act was done (F9). */
export const Evidence = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('document'), document_id: z.string() }),
    z.object({ type: z.literal('bea_receipt'), message_id: z.string() }),
    z.object({ type: z.literal('note'), text: z.string() }),
  ])
  .meta({ id: 'Evidence', description: 'What shows that the act was done.' })

export type Evidence = z.infer<typeof Evidence>

const Delegation = z
  .object({ delegated_to: z.string(), delegated_by: z.string(), delegated_at: Timestamp })
  .meta({ id: 'Delegation', description: 'Who alone may verify, and who said so.' })

const settled = {
  verified_by: z.string().nullable().meta({ description: 'The second user who checked it.' }),
  verified_at: Timestamp.nullable(),
  delegation: Delegation.nullable(),
  completed_at: Timestamp.nullable(),
  completed_by: z.string().nullable(),
}

const status = z
  .enum(['pending', 'verified', 'expired', 'completed'])
  .meta({ description: 'As of now: `expired` is due time past, neither verified nor completed.' })

const eventId = z.string().meta({ description: '`evt_<uuid>`; the Fristen view calls it `frist_<uuid>`.' })

/** Ids of the deadlines that belong together (F3). */
const ChainIds = z.object({
  vorfrist: z.string().nullable(),
  hauptfrist: z.string().nullable(),
  nachfrist: z.string().nullable(),
})

/** A deadline as the deadlines interface shows it. */
export const Deadline = z
  .object({
    id: eventId,
    type: z.literal('frist'),
    title: z.string(),
    case_id: z.uuid(),
    frist_type: fristType,
    due_at: LocalTimestamp,
    status,
    assigned_to: z.string(),
    ...settled,
    evidence: Evidence.nullable(),
    chain_id: z.string(),
    chain: ChainIds,
    created_by: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'Deadline' })

export type Deadline = z.infer<typeof Deadline>

/** The same record as the calendar shows it (K1). */
export const Frist = z
  .object({
    id: z.string().meta({ description: '`frist_<uuid>`; the deadlines interface calls it `evt_<uuid>`.' }),
    title: z.string(),
    deadline: LocalTimestamp,
    case_id: z.uuid(),
    frist_type: fristType,
    status: z.enum(['open', 'verified', 'expired']).meta({
      description: 'As of now; a completed one shows as `verified`, with `completed_at`.',
    }),
    verified: z.boolean().meta({ description: 'Whether a second user has checked it.' }),
    chain_id: z.string(),
    assigned_to: z.string(),
    ...settled,
  })
  .meta({ id: 'Frist' })

export type Frist = z.infer<typeof Frist>

const ChainMember = z.object({ id: z.string(), due_at: LocalTimestamp, title: z.string() })

export const DeadlineChain = z
  .object({
    vorfrist: ChainMember.nullable(),
    hauptfrist: ChainMember.nullable(),
    nachfrist: ChainMember.nullable(),
  })
  .meta({ id: 'DeadlineChain' })

export type DeadlineChain = z.infer<typeof DeadlineChain>

export const FristChain = z.object({ chain_id: z.string(), data: z.array(Frist) }).meta({ id: 'FristChain' })

export type FristChain = z.infer<typeof FristChain>

const defaultVorfristDays = 7

/** A field that takes null for "not set" and then is what it is without it (G8). */
function orDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(schema: Schema, value: Value) {
  return schema
    .nullish()
    .transform((given) => (given ?? value) as Exclude<z.output<Schema>, null | undefined>)
}

export const DeadlineInput = z
  .object({
    title: nameText(),
    case_id: idOf('case'),
    due_at: dayOrMoment.meta({
      description: 'A moment with `Z` or offset, or a date: the end of that day, 23:59:59 in the workspace.',
    }),
    frist_type: orDefault(fristType, 'hauptfrist'),
    assigned_to: idOf('user').nullish().meta({ description: 'Omitted, it is the caller.' }),
    create_vorfrist: orDefault(z.boolean(), false),
    vorfrist_days: orDefault(z.int().min(1).max(90), defaultVorfristDays).meta({
      description: 'So many calendar days before the Hauptfrist, at the same local time.',
    }),
    hauptfrist_id: idOf('event')
      .nullish()
      .meta({ description: 'The Hauptfrist whose chain a Vorfrist or Nachfrist is added to.' }),
    chain_id: idOf('chain').nullish().meta({
      description:
        'The chain in which this takes the free place of its kind, also that of a Hauptfrist which was struck.',
    }),
  })
  .superRefine((input, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (input.create_vorfrist && input.frist_type !== 'hauptfrist')
      refuse('create_vorfrist', 'Only a Hauptfrist gets a Vorfrist.')
    if (input.hauptfrist_id && input.frist_type === 'hauptfrist')
      refuse('hauptfrist_id', 'Say frist_type vorfrist or nachfrist. A Hauptfrist joins a chain by chain_id.')
    if (input.hauptfrist_id && input.chain_id)
      refuse('chain_id', 'Name the chain by its own id or by its Hauptfrist, not by both.')
  })
  .meta({ id: 'DeadlineInput' })

export type DeadlineInput = z.output<typeof DeadlineInput>

export const DeadlineChanges = z
  .object({
    title: nameText().optional(),
    due_at: dayOrMoment.optional().meta({ description: 'A change clears the verification.' }),
    assigned_to: idOf('user').optional(),
  })
  .meta({ id: 'DeadlineChanges' })

export type DeadlineChanges = z.output<typeof DeadlineChanges>

const delegate = idOf('user')

export const DelegationInput = z
  .union([
    z.object({ user_id: delegate }),
    z.object({ delegate_to: delegate }).transform(({ delegate_to }) => ({ user_id: delegate_to })),
  ])
  .meta({ id: 'DelegationInput', description: 'The one who alone may verify from now on.' })

export const CompletionInput = z
  .object({
    evidence: z.discriminatedUnion('type', [
      z.object({ type: z.literal('document'), document_id: idOf('document') }),
      z.object({ type: z.literal('bea_receipt'), message_id: visibleText(500) }),
      z.object({ type: z.literal('note'), text: visibleText(2_000) }),
    ]),
  })
  .meta({ id: 'CompletionInput', description: 'What shows that the act was done.' })

export type CompletionInput = z.output<typeof CompletionInput>

const limits = {
  case_id: idFilter('case').optional(),
  assigned_to: idFilter('user').optional(),
  from: dayOrMoment
    .optional()
    .meta({ description: 'Due then or later: a date of the workspace’s calendar, or a moment.' }),
  to: dayOrMoment
    .optional()
    .meta({ description: 'Due then or earlier: a date, included whole, or a moment.' }),
}

export const DeadlineQuery = z.object({
  ...pageQuery,
  ...limits,
  status: z.enum(['pending', 'verified', 'expired', 'completed']).optional(),
})

export type DeadlineQuery = z.output<typeof DeadlineQuery>

export const FristQuery = z.object({
  ...pageQuery,
  ...limits,
  status: z.enum(['open', 'verified', 'expired', 'all']).default('all'),
})

export type FristQuery = z.output<typeof FristQuery>

/** What a history keeps of a deadline. */
const DeadlineSnapshot = z
  .object({
    id: z.string(),
    title: z.string(),
    case_id: z.string(),
    frist_type: fristType,
    due_at: z.string(),
    assigned_to: z.string(),
    chain_id: z.string(),
    created_by: z.string(),
    created_at: z.string(),
    verified_by: z.string().nullable(),
    verified_at: z.string().nullable(),
    delegation: Delegation.nullable(),
    completed_at: z.string().nullable(),
    completed_by: z.string().nullable(),
    evidence: Evidence.nullable(),
    struck_at: z.string().nullable(),
    struck_by: z.string().nullable(),
  })
  .meta({ id: 'DeadlineSnapshot' })

export type DeadlineSnapshot = z.infer<typeof DeadlineSnapshot>

const HistoryActor = z.object({
  type: z.literal('user'),
  id: z.string(),
  name: z.string(),
  key_id: z.string().optional().meta({ description: 'The API key that was used.' }),
})

export const historyActions = ['created', 'changed', 'verified', 'delegated', 'completed', 'struck'] as const

/** One link of the hash chain (F11). */
export const HistoryEntry = z
  .object({
    seq: z.int().meta({ description: 'Counts from 1.' }),
    at: Timestamp,
    actor: HistoryActor,
    action: z.enum(historyActions),
    before: DeadlineSnapshot.nullable(),
    after: DeadlineSnapshot,
    hash: z.string().meta({
      description: 'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`.',
    }),
    previous_hash: z
      .string()
      .nullable()
      .meta({ description: '`hash` of the entry before; null in the first.' }),
  })
  .meta({ id: 'HistoryEntry' })

export type HistoryEntry = z.infer<typeof HistoryEntry>

export const DeadlineHistory = pageOf(HistoryEntry)
  .extend({
    intact: z.boolean().meta({
      description:
        'Whether every entry on this page has the hash that its content has and follows the one before it; on the last page also whether none is missing at the end.',
    }),
  })
  .meta({ id: 'DeadlineHistory' })

export type DeadlineHistory = z.infer<typeof DeadlineHistory>

export const RegisterQuery = z.object({
  date: z.iso
    .date('A date of the calendar as YYYY-MM-DD.')
    .refine(isYearOfTimes, `From ${yearsOfTimes.first} to ${yearsOfTimes.last}.`)
    .optional()
    .meta({ description: 'A day of the workspace’s calendar; today if omitted.' }),
  limit: pageQuery.limit
    .unwrap()
    .optional()
    .meta({ description: 'How many rows a part holds at most; as many as one answer can hold if omitted.' }),
  cursor: pageQuery.cursor,
})

export const registerStates = ['pending', 'verified', 'expired', 'completed', 'struck'] as const

const state = z
  .enum(registerStates)
  .meta({ description: 'As it was at `at` in `entries`, as it is at `generated_at` in `due`.' })

/** A deadline as the register shows it, struck ones included (F12). */
const RegisterDeadline = Deadline.extend({
  state,
  struck_at: Timestamp.nullable(),
  struck_by: z.string().nullable(),
}).meta({ id: 'RegisterDeadline' })

export type RegisterDeadline = z.infer<typeof RegisterDeadline>

const count = z.int().nonnegative()

/** The control printout of a day: what happened to deadlines, and what was due (F12). */
export const Register = z
  .object({
    date: z.iso.date(),
    workspace: z.object({ id: z.string(), name: z.string(), time_zone: z.string() }),
    generated_at: Timestamp,
    part: z.int().positive().meta({
      description:
        'A day that one answer cannot hold comes in parts, first what is due, then the entries: this is the number of the part. The totals are of the whole day.',
    }),
    pagination: Pagination,
    entries: z.array(
      z.object({
        at: Timestamp,
        actor: HistoryActor,
        action: z.enum(historyActions),
        seq: z.int().meta({ description: 'The number of the entry in the history of its deadline.' }),
        deadline: RegisterDeadline.meta({ description: 'As it was after this.' }),
        before: DeadlineSnapshot.partial().nullable().meta({
          description: 'What changed, as it was before; null for a new one. The history has it whole.',
        }),
      }),
    ),
    due: z.array(RegisterDeadline),
    totals: z.object({
      entries: z.object({ total: count, ...countsOf(historyActions) }),
      due: z.object({ total: count, ...countsOf(registerStates) }),
      control: z.object({
        overdue: count.meta({ description: 'Due time past and not completed, verified or not.' }),
        struck_done: count,
        struck_undone: count,
      }),
    }),
    users: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .meta({ description: 'The present names of the users that occur.' }),
    cases: z
      .array(z.object({ id: z.string(), name: z.string(), file_number: z.string() }))
      .meta({ description: 'What the cases that occur are called, deleted ones included.' }),
  })
  .meta({ id: 'Register' })

export type Register = z.infer<typeof Register>

function countsOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.int().nonnegative()])) as Record<Name, z.ZodInt>
}
