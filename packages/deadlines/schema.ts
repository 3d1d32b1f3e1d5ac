import * as z from 'zod/mini'
import { LocalTimestamp } from '#german-time/local-timestamp.ts'
import { dayOrMoment, isYearOfTimes, yearsOfTimes } from '#german-time/time-range.ts'
import { idFilter, idOf } from '#kernel/id.ts'
import { orDefault } from '#kernel/or-default.ts'
import { Pagination, pageLimit, pageOf, pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { NullableText, nameText, Text, Timestamp, visibleText } from '#kernel/text.ts'
import { fristTypes } from './ports.ts'

export { CalculationAnswer, CalculationBody, PresetAnswer, PresetQuery } from './calculation-schema.ts'

const fristType = z.enum(fristTypes)

/** What shows that the act was done (F9). */
export const Evidence = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('document'), document_id: Text }),
    z.object({ type: z.literal('bea_receipt'), message_id: Text }),
    z.object({ type: z.literal('note'), text: Text }),
  ])
  .register(z.globalRegistry, { id: 'Evidence', description: 'What shows that the act was done.' })

export type Evidence = z.infer<typeof Evidence>

const Delegation = z
  .object({ delegated_to: Text, delegated_by: Text, delegated_at: Timestamp })
  .register(z.globalRegistry, { id: 'Delegation', description: 'Who alone may verify, and who said so.' })

const settled = {
  verified_by: z
    .nullable(Text)
    .register(z.globalRegistry, { description: 'The second user who checked it.' }),
  verified_at: z.nullable(Timestamp),
  delegation: z.nullable(Delegation),
  completed_at: z.nullable(Timestamp),
  completed_by: NullableText,
}

const status = z.enum(['pending', 'verified', 'expired', 'completed']).register(z.globalRegistry, {
  description: 'As of now: `expired` is due time past, neither verified nor completed.',
})

const eventId = z
  .string()
  .register(z.globalRegistry, { description: '`evt_<uuid>`; the Fristen view calls it `frist_<uuid>`.' })

/** Ids of the deadlines that belong together (F3). */
const ChainIds = z.object({
  vorfrist: NullableText,
  hauptfrist: NullableText,
  nachfrist: NullableText,
})

/** A deadline as the deadlines interface shows it. */
export const Deadline = z
  .object({
    id: eventId,
    type: z.literal('frist'),
    title: Text,
    case_id: z.uuid(),
    frist_type: fristType,
    due_at: LocalTimestamp,
    status,
    assigned_to: Text,
    ...settled,
    evidence: z.nullable(Evidence),
    chain_id: Text,
    chain: ChainIds,
    created_by: Text,
    created_at: Timestamp,
  })
  .register(z.globalRegistry, { id: 'Deadline' })

export type Deadline = z.infer<typeof Deadline>

/** The same record as the calendar shows it (K1). */
export const Frist = z
  .object({
    id: z.string().register(z.globalRegistry, {
      description: '`frist_<uuid>`; the deadlines interface calls it `evt_<uuid>`.',
    }),
    title: Text,
    deadline: LocalTimestamp,
    case_id: z.uuid(),
    frist_type: fristType,
    status: z.enum(['open', 'verified', 'expired']).register(z.globalRegistry, {
      description: 'As of now; a completed one shows as `verified`, with `completed_at`.',
    }),
    verified: z
      .boolean()
      .register(z.globalRegistry, { description: 'Whether a second user has checked it.' }),
    chain_id: Text,
    assigned_to: Text,
    ...settled,
  })
  .register(z.globalRegistry, { id: 'Frist' })

export type Frist = z.infer<typeof Frist>

const ChainMember = z.object({ id: Text, due_at: LocalTimestamp, title: Text })

export const DeadlineChain = z
  .object({
    vorfrist: z.nullable(ChainMember),
    hauptfrist: z.nullable(ChainMember),
    nachfrist: z.nullable(ChainMember),
  })
  .register(z.globalRegistry, { id: 'DeadlineChain' })

export type DeadlineChain = z.infer<typeof DeadlineChain>

export const FristChain = z
  .object({ chain_id: Text, data: z.array(Frist) })
  .register(z.globalRegistry, { id: 'FristChain' })

export type FristChain = z.infer<typeof FristChain>

const defaultVorfristDays = 7

export const DeadlineInput = z
  .object({
    title: nameText(),
    case_id: idOf('case'),
    due_at: dayOrMoment.with(
      z.meta({
        description:
          'A moment with `Z` or offset, or a date: the end of that day, 23:59:59 in the workspace.',
      }),
    ),
    frist_type: orDefault(fristType, 'hauptfrist'),
    assigned_to: z
      .nullish(idOf('user'))
      .register(z.globalRegistry, { description: 'Omitted, it is the caller.' }),
    create_vorfrist: orDefault(z.boolean(), false),
    vorfrist_days: orDefault(z.int().check(z.gte(1), z.lte(90)), defaultVorfristDays).register(
      z.globalRegistry,
      {
        description: 'So many calendar days before the Hauptfrist, at the same local time.',
      },
    ),
    hauptfrist_id: z.nullish(idOf('event')).register(z.globalRegistry, {
      description: 'The Hauptfrist whose chain a Vorfrist or Nachfrist is added to.',
    }),
    chain_id: z.nullish(idOf('chain')).register(z.globalRegistry, {
      description:
        'The chain in which this takes the free place of its kind, also that of a Hauptfrist which was struck.',
    }),
  })
  .check((context) => {
    const { create_vorfrist, frist_type, hauptfrist_id, chain_id } = context.value
    if (create_vorfrist && frist_type !== 'hauptfrist')
      refuse(context, 'Only a Hauptfrist gets a Vorfrist.', 'create_vorfrist')
    if (hauptfrist_id && frist_type === 'hauptfrist') {
      const message = 'Say frist_type vorfrist or nachfrist. A Hauptfrist joins a chain by chain_id.'
      refuse(context, message, 'hauptfrist_id')
    }
    if (hauptfrist_id && chain_id)
      refuse(context, 'Name the chain by its own id or by its Hauptfrist, not by both.', 'chain_id')
  })
  .register(z.globalRegistry, { id: 'DeadlineInput' })

export type DeadlineInput = z.output<typeof DeadlineInput>

export const DeadlineChanges = z
  .object({
    title: z.optional(nameText()),
    due_at: z
      .optional(dayOrMoment)
      .register(z.globalRegistry, { description: 'A change clears the verification.' }),
    assigned_to: z.optional(idOf('user')),
  })
  .register(z.globalRegistry, { id: 'DeadlineChanges' })

export type DeadlineChanges = z.output<typeof DeadlineChanges>

const delegate = idOf('user')

export const DelegationInput = z
  .union([
    z.object({ user_id: delegate }),
    z.pipe(
      z.object({ delegate_to: delegate }),
      z.transform(({ delegate_to }) => ({ user_id: delegate_to })),
    ),
  ])
  .register(z.globalRegistry, {
    id: 'DelegationInput',
    description: 'The one who alone may verify from now on.',
  })

export const CompletionInput = z
  .object({
    evidence: z.discriminatedUnion('type', [
      z.object({ type: z.literal('document'), document_id: idOf('document') }),
      z.object({ type: z.literal('bea_receipt'), message_id: visibleText(500) }),
      z.object({ type: z.literal('note'), text: visibleText(2_000) }),
    ]),
  })
  .register(z.globalRegistry, { id: 'CompletionInput', description: 'What shows that the act was done.' })

export type CompletionInput = z.output<typeof CompletionInput>

const limits = {
  case_id: z.optional(idFilter('case')),
  assigned_to: z.optional(idFilter('user')),
  from: z.optional(dayOrMoment).register(z.globalRegistry, {
    description: 'Due then or later: a date of the workspace’s calendar, or a moment.',
  }),
  to: z
    .optional(dayOrMoment)
    .register(z.globalRegistry, { description: 'Due then or earlier: a date, included whole, or a moment.' }),
}

export const DeadlineQuery = z.object({
  ...pageQuery,
  ...limits,
  status: z.optional(z.enum(['pending', 'verified', 'expired', 'completed'])),
})

export type DeadlineQuery = z.output<typeof DeadlineQuery>

export const FristQuery = z.object({
  ...pageQuery,
  ...limits,
  status: z._default(z.enum(['open', 'verified', 'expired', 'all']), 'all'),
})

export type FristQuery = z.output<typeof FristQuery>

/** What a history keeps of a deadline. */
const DeadlineSnapshot = z
  .object({
    id: Text,
    title: Text,
    case_id: Text,
    frist_type: fristType,
    due_at: Text,
    assigned_to: Text,
    chain_id: Text,
    created_by: Text,
    created_at: Text,
    verified_by: NullableText,
    verified_at: NullableText,
    delegation: z.nullable(Delegation),
    completed_at: NullableText,
    completed_by: NullableText,
    evidence: z.nullable(Evidence),
    struck_at: NullableText,
    struck_by: NullableText,
  })
  .register(z.globalRegistry, { id: 'DeadlineSnapshot' })

export type DeadlineSnapshot = z.infer<typeof DeadlineSnapshot>

const HistoryActor = z.object({
  type: z.literal('user'),
  id: Text,
  name: Text,
  key_id: z.optional(Text).register(z.globalRegistry, { description: 'The API key that was used.' }),
})

export const historyActions = ['created', 'changed', 'verified', 'delegated', 'completed', 'struck'] as const

/** One link of the hash chain (F11). */
export const HistoryEntry = z
  .object({
    seq: z.int().register(z.globalRegistry, { description: 'Counts from 1.' }),
    at: Timestamp,
    actor: HistoryActor,
    action: z.enum(historyActions),
    before: z.nullable(DeadlineSnapshot),
    after: DeadlineSnapshot,
    hash: z.string().register(z.globalRegistry, {
      description: 'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`.',
    }),
    previous_hash: z
      .nullable(Text)
      .register(z.globalRegistry, { description: '`hash` of the entry before; null in the first.' }),
  })
  .register(z.globalRegistry, { id: 'HistoryEntry' })

export type HistoryEntry = z.infer<typeof HistoryEntry>

export const DeadlineHistory = z
  .extend(pageOf(HistoryEntry), {
    intact: z.boolean().register(z.globalRegistry, {
      description:
        'Whether every entry on this page has the hash that its content has and follows the one before it; on the last page also whether none is missing at the end.',
    }),
  })
  .register(z.globalRegistry, { id: 'DeadlineHistory' })

export type DeadlineHistory = z.infer<typeof DeadlineHistory>

export const RegisterQuery = z.object({
  date: z
    .optional(
      z.iso
        .date('A date of the calendar as YYYY-MM-DD.')
        .check(z.refine(isYearOfTimes, `From ${yearsOfTimes.first} to ${yearsOfTimes.last}.`)),
    )
    .register(z.globalRegistry, { description: 'A day of the workspace’s calendar; today if omitted.' }),
  limit: z.optional(pageLimit).register(z.globalRegistry, {
    description: 'How many rows a part holds at most; as many as one answer can hold if omitted.',
  }),
  cursor: pageQuery.cursor,
})

export const registerStates = ['pending', 'verified', 'expired', 'completed', 'struck'] as const

const state = z.enum(registerStates).register(z.globalRegistry, {
  description: 'As it was at `at` in `entries`, as it is at `generated_at` in `due`.',
})

/** A deadline as the register shows it, struck ones included (F12). */
const RegisterDeadline = z
  .extend(Deadline, {
    state,
    struck_at: z.nullable(Timestamp),
    struck_by: NullableText,
  })
  .register(z.globalRegistry, { id: 'RegisterDeadline' })

export type RegisterDeadline = z.infer<typeof RegisterDeadline>

const count = z.int().check(z.nonnegative())

/** The control printout of a day: what happened to deadlines, and what was due (F12). */
export const Register = z
  .object({
    date: z.iso.date(),
    workspace: z.object({ id: Text, name: Text, time_zone: Text }),
    generated_at: Timestamp,
    part: z.int().check(z.positive()).register(z.globalRegistry, {
      description:
        'A day that one answer cannot hold comes in parts, first what is due, then the entries: this is the number of the part. The totals are of the whole day.',
    }),
    pagination: Pagination,
    entries: z.array(
      z.object({
        at: Timestamp,
        actor: HistoryActor,
        action: z.enum(historyActions),
        seq: z.int().register(z.globalRegistry, {
          description: 'The number of the entry in the history of its deadline.',
        }),
        deadline: RegisterDeadline.with(z.meta({ description: 'As it was after this.' })),
        before: z.nullable(z.partial(DeadlineSnapshot)).register(z.globalRegistry, {
          description: 'What changed, as it was before; null for a new one. The history has it whole.',
        }),
      }),
    ),
    due: z.array(RegisterDeadline),
    totals: z.object({
      entries: z.object({ total: count, ...countsOf(historyActions) }),
      due: z.object({ total: count, ...countsOf(registerStates) }),
      control: z.object({
        overdue: count.with(z.meta({ description: 'Due time past and not completed, verified or not.' })),
        struck_done: count,
        struck_undone: count,
      }),
    }),
    users: z
      .array(z.object({ id: Text, name: Text }))
      .register(z.globalRegistry, { description: 'The present names of the users that occur.' }),
    cases: z.array(z.object({ id: Text, name: Text, file_number: Text })).register(z.globalRegistry, {
      description: 'What the cases that occur are called, deleted ones included.',
    }),
  })
  .register(z.globalRegistry, { id: 'Register' })

export type Register = z.infer<typeof Register>

function countsOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>
}
