import * as z from 'zod'
import { calendarDay } from '#german-time/time-range.ts'
import { shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { Pagination, pageLimit, pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'
import { DeadlineSnapshot, HistoryActor, historyActions } from './history-schema.ts'
import { Deadline, remark } from './schema.ts'

export const RegisterQuery = lazyObject(() => ({
  date: calendarDay()
    .optional()
    .meta({ description: 'A day of the workspace’s calendar; today if omitted.' }),
  limit: pageLimit().optional().meta({
    description: 'The maximum number of rows in a part; as many as fit into one answer if omitted.',
  }),
  cursor: pageQuery.cursor,
  signed: z.literal('true').optional().meta({
    description: '`true`: the register exactly as it was last signed, in the stored parts.',
  }),
}))

export const registerStates = ['pending', 'verified', 'expired', 'completed', 'struck'] as const

const state = z.lazy(() =>
  z.enum(registerStates).meta({
    description: 'In `entries` the state at `at`; in the other lists the state at `generated_at`.',
  }),
)

/** A deadline as the register shows it, struck ones included (F12). */
const RegisterDeadline = z.lazy(() =>
  Deadline.unwrap()
    .omit({ case_deleted_at: true })
    .extend({
      state,
      struck_at: Timestamp.nullable(),
      struck_by: shownId('user').nullable(),
      struck_reason: NullableText.meta({ description: 'Null if none was given.' }),
    })
    .meta({ id: 'RegisterDeadline' }),
)

export type RegisterDeadline = z.infer<typeof RegisterDeadline>

const count = z.lazy(() => z.int().nonnegative())

/** The signature of a day's register, with the hash of the signed content (F20). */
export const RegisterSignature = namedObject('RegisterSignature', () => ({
  date: z.iso.date(),
  version: z.int().positive(),
  signed_at: Timestamp,
  signed_by: z.object({ id: shownId('user'), name: Text }),
  remarks: NullableText,
  previous_hash: NullableText.meta({ description: '`hash` of the version before; null in the first.' }),
  hash: z.string().meta({
    description:
      'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this object without `hash` and with `parts`: the registers as answered, without `signature` and `pagination`.',
  }),
}))

export type RegisterSignature = z.infer<typeof RegisterSignature>

export const SigningInput = z.lazy(() =>
  z.object({ remarks: remark().nullish() }).optional().meta({ id: 'RegisterSigningInput' }),
)

/** The day in the path of its register. */
export const RegisterDay = z.lazy(calendarDay)

/** The control printout of a day: the changes of deadlines, and the deadlines that were due (F12). */
export const Register = namedObject('Register', () => ({
  date: z.iso.date(),
  workspace: z.object({ id: shownId('workspace'), name: Text, time_zone: Text }),
  generated_at: Timestamp,
  part: z.int().positive().meta({
    description:
      'The number of this part. A day that does not fit into one answer comes in parts: first the deadlines that are open from earlier days, then the deadlines that are due, have no exit control, or are ahead, and last the entries. The totals count the whole day.',
  }),
  pagination: Pagination,
  signature: RegisterSignature.nullable().meta({
    description: 'Null unless the signed register was requested.',
  }),
  entries: z.array(
    z.object({
      at: Timestamp,
      actor: HistoryActor,
      action: z.enum(historyActions),
      seq: z.int().meta({
        description: 'The number of the entry in the history of its deadline.',
      }),
      deadline: RegisterDeadline.meta({ description: 'As it was after this entry.' }),
      reason: NullableText.meta({
        description:
          'Why the deadline was struck or reopened, the note of an extension request, or the electronic receipt that was given; null if there is none.',
      }),
      before: DeadlineSnapshot.unwrap().partial().nullable().meta({
        description:
          'The changed fields with their values before; null for a new deadline. The history has all fields.',
      }),
    }),
  ),
  open_before: z.array(RegisterDeadline).meta({
    description: 'Due before this day and not completed, verified or not.',
  }),
  due: z.array(RegisterDeadline),
  completed_without_exit_control: z.array(RegisterDeadline).meta({
    description:
      'Haupt- and Nachfristen completed on this day or in the thirty days before, for which nobody has checked the outgoing post yet.',
  }),
  without_exit_control_since: z.iso.date().optional().meta({
    description:
      'Only if older completions have no exit control either: the day of the oldest one. The register of that day lists it.',
  }),
  ahead: z.array(RegisterDeadline).meta({
    description: 'Vorfristen of the next seven days that are not completed.',
  }),
  totals: z.object({
    entries: z.object({ total: count, ...countsOf(historyActions) }),
    due: z.object({ total: count, ...countsOf(registerStates) }),
    open_before: count,
    completed_without_exit_control: count,
    ahead: count,
    control: z.object({
      overdue: count.meta({
        description: 'Deadlines due on this day that are past and not completed, verified or not.',
      }),
      struck_done: count,
      struck_undone: count,
    }),
  }),
  users: z
    .array(
      z.object({
        id: shownId('user'),
        name: Text,
        deactivated: z.literal(true).optional().meta({
          description: 'This user was deactivated: an open deadline needs another responsible person.',
        }),
      }),
    )
    .meta({ description: 'The current names of the users in this part.' }),
  cases: z.array(z.object({ id: shownId('case'), name: Text, file_number: Text })).meta({
    description: 'The names of the cases in this part, deleted ones included.',
  }),
  evidence: z
    .array(z.object({ id: Text, name: Text }))
    .optional()
    .meta({
      description:
        'The names of the documents and beA messages that are evidence in this part, or for which a receipt was given. The name of a message shows its subject and correspondent only if it is filed in a case and not confidential. Absent in registers that were signed before it was stored.',
    }),
}))

export type Register = z.infer<typeof Register>

/** A part of the register as it is computed, before it is signed or sent. */
export type UnsignedRegister = Omit<Register, 'pagination' | 'signature'>

function countsOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>
}
