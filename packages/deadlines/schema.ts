import * as z from 'zod'
import { LocalTimestamp } from '#german-time/local-timestamp.ts'
import { dayOrMoment, isYearOfTimes, yearsOfTimes } from '#german-time/time-range.ts'
import { idFilter, idOf } from '#kernel/id.ts'
import { orDefault } from '#kernel/or-default.ts'
import { Pagination, pageLimit, pageOf, pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { NullableText, nameText, Text, Timestamp, visibleText } from '#kernel/text.ts'
import { FristType } from './type-schema.ts'

export { CalculationAnswer, CalculationBody, PresetAnswer, PresetQuery } from './calculation-schema.ts'

/** The evidence that the act was done (F9). */
export const Evidence = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('document'), document_id: Text }),
    z.object({ type: z.literal('bea_receipt'), message_id: Text }),
    z.object({ type: z.literal('note'), text: Text }),
  ])
  .meta({ id: 'Evidence', description: 'The evidence that the act was done.' })

export type Evidence = z.infer<typeof Evidence>

const Delegation = z
  .object({ delegated_to: Text, delegated_by: Text, delegated_at: Timestamp })
  .meta({ id: 'Delegation', description: 'The only user who may verify, and who delegated it.' })

const verification = {
  verified_by: Text.nullable().meta({ description: 'The second user, who checked the deadline.' }),
  verified_at: Timestamp.nullable(),
  delegation: Delegation.nullable(),
  completed_at: Timestamp.nullable(),
  completed_by: NullableText,
}

const status = z.enum(['pending', 'verified', 'expired', 'completed']).meta({
  description: 'As of now. `expired`: the due time is past, and it is neither verified nor completed.',
})

const eventId = z.string().meta({ description: '`evt_<uuid>`; the Fristen view calls it `frist_<uuid>`.' })

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
    frist_type: FristType,
    due_at: LocalTimestamp,
    status,
    assigned_to: Text,
    ...verification,
    evidence: Evidence.nullable(),
    chain_id: Text,
    chain: ChainIds,
    created_by: Text,
    created_at: Timestamp,
  })
  .meta({ id: 'Deadline' })

export type Deadline = z.infer<typeof Deadline>

/** The same record as the calendar shows it (K1). */
export const Frist = z
  .object({
    id: z.string().meta({
      description: '`frist_<uuid>`; the deadlines interface calls it `evt_<uuid>`.',
    }),
    title: Text,
    deadline: LocalTimestamp,
    case_id: z.uuid(),
    frist_type: FristType,
    status: z.enum(['open', 'verified', 'expired']).meta({
      description: 'As of now; a completed one shows as `verified`, with `completed_at`.',
    }),
    verified: z.boolean().meta({ description: 'Whether a second user has checked it.' }),
    chain_id: Text,
    assigned_to: Text,
    ...verification,
  })
  .meta({ id: 'Frist' })

export type Frist = z.infer<typeof Frist>

const ChainMember = z.object({ id: Text, due_at: LocalTimestamp, title: Text })

export const DeadlineChain = z.lazy(() =>
  z
    .object({
      vorfrist: ChainMember.nullable(),
      hauptfrist: ChainMember.nullable(),
      nachfrist: ChainMember.nullable(),
    })
    .meta({ id: 'DeadlineChain' }),
)

export type DeadlineChain = z.infer<typeof DeadlineChain>

export const FristChain = z.lazy(() =>
  z.object({ chain_id: Text, data: z.array(Frist) }).meta({ id: 'FristChain' }),
)

export type FristChain = z.infer<typeof FristChain>

const defaultVorfristDays = 7

export const DeadlineInput = z.lazy(() =>
  z
    .object({
      title: nameText(),
      case_id: idOf('case'),
      due_at: dayOrMoment.meta({
        description:
          'A moment with `Z` or offset, or a date: the end of that day, 23:59:59 in the workspace.',
      }),
      frist_type: orDefault(FristType, 'hauptfrist'),
      assigned_to: idOf('user').nullish().meta({ description: 'The caller if omitted.' }),
      create_vorfrist: orDefault(z.boolean(), false),
      vorfrist_days: orDefault(z.int().gte(1).lte(90), defaultVorfristDays).meta({
        description: 'So many calendar days before the Hauptfrist, at the same local time.',
      }),
      hauptfrist_id: idOf('event').nullish().meta({
        description: 'The Hauptfrist whose chain a Vorfrist or Nachfrist is added to.',
      }),
      chain_id: idOf('chain').nullish().meta({
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
    .meta({ id: 'DeadlineInput' }),
)

export type DeadlineInput = z.output<typeof DeadlineInput>

export const DeadlineChanges = z.lazy(() =>
  z
    .object({
      title: nameText().optional(),
      due_at: dayOrMoment.optional().meta({ description: 'A change clears the verification.' }),
      assigned_to: idOf('user').optional(),
    })
    .meta({ id: 'DeadlineChanges' }),
)

export type DeadlineChanges = z.output<typeof DeadlineChanges>

const delegate = idOf('user')

export const DelegationInput = z.lazy(() =>
  z
    .union([
      z.object({ user_id: delegate }),
      z.object({ delegate_to: delegate }).transform(({ delegate_to }) => ({ user_id: delegate_to })),
    ])
    .meta({
      id: 'DelegationInput',
      description: 'The only user who may verify from now on.',
    }),
)

export const CompletionInput = z.lazy(() =>
  z
    .object({
      evidence: z.discriminatedUnion('type', [
        z.object({ type: z.literal('document'), document_id: idOf('document') }),
        z.object({ type: z.literal('bea_receipt'), message_id: visibleText(500) }),
        z.object({ type: z.literal('note'), text: visibleText(2_000) }),
      ]),
    })
    .meta({ id: 'CompletionInput', description: 'The evidence that the act was done.' }),
)

export type CompletionInput = z.output<typeof CompletionInput>

const limits = {
  case_id: idFilter('case').optional(),
  assigned_to: idFilter('user').optional(),
  from: dayOrMoment.optional().meta({
    description: 'Due then or later: a date of the workspace’s calendar, or a moment.',
  }),
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

/** A deadline in its history. */
const DeadlineSnapshot = z
  .object({
    id: Text,
    title: Text,
    case_id: Text,
    frist_type: FristType,
    due_at: Text,
    assigned_to: Text,
    chain_id: Text,
    created_by: Text,
    created_at: Text,
    verified_by: NullableText,
    verified_at: NullableText,
    delegation: Delegation.nullable(),
    completed_at: NullableText,
    completed_by: NullableText,
    evidence: Evidence.nullable(),
    struck_at: NullableText,
    struck_by: NullableText,
  })
  .meta({ id: 'DeadlineSnapshot' })

export type DeadlineSnapshot = z.infer<typeof DeadlineSnapshot>

const HistoryActor = z.object({
  type: z.literal('user'),
  id: Text,
  name: Text,
  key_id: Text.optional().meta({ description: 'The API key that was used.' }),
})

export const historyActions = ['created', 'changed', 'verified', 'delegated', 'completed', 'struck'] as const

/** One link of the hash chain (F11). */
export const HistoryEntry = z.lazy(() =>
  z
    .object({
      seq: z.int().meta({ description: 'Counts from 1.' }),
      at: Timestamp,
      actor: HistoryActor,
      action: z.enum(historyActions),
      before: DeadlineSnapshot.nullable(),
      after: DeadlineSnapshot,
      hash: z.string().meta({
        description:
          'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`.',
      }),
      previous_hash: Text.nullable().meta({ description: '`hash` of the entry before; null in the first.' }),
    })
    .meta({ id: 'HistoryEntry' }),
)

export type HistoryEntry = z.infer<typeof HistoryEntry>

export const DeadlineHistory = z.lazy(() =>
  pageOf(HistoryEntry)
    .extend({
      intact: z.boolean().meta({
        description:
          'Whether every entry on this page has the hash that its content has and follows the one before it; on the last page also whether none is missing at the end.',
      }),
    })
    .meta({ id: 'DeadlineHistory' }),
)

export type DeadlineHistory = z.infer<typeof DeadlineHistory>

export const RegisterQuery = z.object({
  date: z.iso
    .date('A date of the calendar as YYYY-MM-DD.')
    .refine(isYearOfTimes, `From ${yearsOfTimes.first} to ${yearsOfTimes.last}.`)
    .optional()
    .meta({ description: 'A day of the workspace’s calendar; today if omitted.' }),
  limit: pageLimit.optional().meta({
    description: 'How many rows a part holds at most; as many as one answer can hold if omitted.',
  }),
  cursor: pageQuery.cursor,
})

export const registerStates = ['pending', 'verified', 'expired', 'completed', 'struck'] as const

const state = z.enum(registerStates).meta({
  description: 'As it was at `at` in `entries`, as it is at `generated_at` in `due`.',
})

/** A deadline as the register shows it, struck ones included (F12). */
const RegisterDeadline = Deadline.extend({
  state,
  struck_at: Timestamp.nullable(),
  struck_by: NullableText,
}).meta({ id: 'RegisterDeadline' })

export type RegisterDeadline = z.infer<typeof RegisterDeadline>

const count = z.int().nonnegative()

/** The control printout of a day: what happened to deadlines, and what was due (F12). */
export const Register = z.lazy(() =>
  z
    .object({
      date: z.iso.date(),
      workspace: z.object({ id: Text, name: Text, time_zone: Text }),
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
          seq: z.int().meta({
            description: 'The number of the entry in the history of its deadline.',
          }),
          deadline: RegisterDeadline.meta({ description: 'As it was after this entry.' }),
          before: DeadlineSnapshot.partial().nullable().meta({
            description:
              'The changed fields with their values before; null for a new deadline. The history has all fields.',
          }),
        }),
      ),
      due: z.array(RegisterDeadline),
      totals: z.object({
        entries: z.object({ total: count, ...countsOf(historyActions) }),
        due: z.object({ total: count, ...countsOf(registerStates) }),
        control: z.object({
          overdue: count.meta({
            description: 'The due time is past and it is not completed, verified or not.',
          }),
          struck_done: count,
          struck_undone: count,
        }),
      }),
      users: z
        .array(z.object({ id: Text, name: Text }))
        .meta({ description: 'The present names of the users in this part.' }),
      cases: z.array(z.object({ id: Text, name: Text, file_number: Text })).meta({
        description: 'The names of the cases in this part, deleted ones included.',
      }),
    })
    .meta({ id: 'Register' }),
)

export type Register = z.infer<typeof Register>

function countsOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>
}
