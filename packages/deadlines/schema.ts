import * as z from 'zod'
import { LocalTimestamp } from '#german-time/local-timestamp.ts'
import { dayOrMoment } from '#german-time/time-range.ts'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { once } from '#kernel/once.ts'
import { orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { instantText, NullableText, nameText, Text, Timestamp, visibleText } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'
import { Basis } from './basis-schema.ts'
import { CalculationBody } from './calculation-schema.ts'
import { Category } from './category.ts'
import { FristType } from './type-schema.ts'

const check = () => ({
  receipt_at: Timestamp.optional().meta({
    description: 'The date and time on the court’s receipt (§ 130a Abs. 5 ZPO).',
  }),
  checked_by: shownId('user').optional().meta({ description: 'The user who checked the receipt.' }),
})

/** The evidence that the act was done (F9, F16). */
export const Evidence = z.lazy(() =>
  z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('document'), document_id: shownId('document'), ...check() }),
      z.object({ type: z.literal('bea_receipt'), message_id: shownId('beaMessage'), ...check() }),
      z.object({ type: z.literal('note'), text: Text, ...check() }),
      z.object({ type: z.literal('hauptfrist'), ...check() }),
    ])
    .meta({
      id: 'Evidence',
      description:
        'The evidence that the act was done. `hauptfrist`: this Vorfrist was completed together with its Hauptfrist.',
    }),
)

export type Evidence = z.infer<typeof Evidence>

export const ExitControl = z.lazy(() =>
  z.object({ by: shownId('user'), at: Timestamp }).meta({
    id: 'ExitControl',
    description:
      'The user who has checked the outgoing post. This is never the user who completed the deadline.',
  }),
)

export const Delegation = z.lazy(() =>
  z.object({ delegated_to: shownId('user'), delegated_by: shownId('user'), delegated_at: Timestamp }).meta({
    id: 'Delegation',
    description: 'The only user who may verify, and the user who delegated the verification.',
  }),
)

export type Delegation = z.infer<typeof Delegation>

const verification = () => ({
  verified_by: shownId('user').nullable().meta({ description: 'The second user, who checked the deadline.' }),
  verified_at: Timestamp.nullable(),
  delegation: Delegation.nullable(),
  completed_at: Timestamp.nullable(),
  completed_by: shownId('user').nullable(),
})

const status = z.lazy(() =>
  z.enum(['pending', 'verified', 'expired', 'completed']).meta({
    description:
      'As of now. `expired`: the due time is past, and the deadline is neither verified nor completed.',
  }),
)

const overdue = z.boolean().meta({
  description: 'As of now: the due time is past and the deadline is not completed, verified or not.',
})

const eventId = z.lazy(() =>
  shownId('event').meta({
    description: '`evt_<uuid>`; the Fristen view calls it `frist_<uuid>`.',
  }),
)

const chained = z.lazy(() => shownId('event').nullable())

/** Ids of the deadlines that belong together (F3). */
const ChainIds = namedObject('DeadlineChainIds', () => ({
  vorfrist: chained,
  hauptfrist: chained,
  nachfrist: chained,
}))

/** An extension that was requested (F18). */
export const Extension = namedObject('Extension', () => ({
  requested_at: Timestamp,
  requested_by: shownId('user'),
  requested_until: LocalTimestamp,
  note: NullableText,
  state: z.enum(['requested', 'granted', 'refused']),
  until: LocalTimestamp.nullable().meta({ description: 'The granted end of the extension.' }),
  decided_at: Timestamp.nullable(),
  decided_by: shownId('user').nullable(),
  provisional_id: shownId('event').meta({
    description: 'The provisional deadline, struck when the court has answered.',
  }),
}))

export type Extension = z.infer<typeof Extension>

const case_deleted_at = z.lazy(() =>
  Timestamp.nullable().meta({
    description: 'When its case was deleted; the deadline stays. Null while the case exists.',
  }),
)

const provisional_for = z.lazy(() =>
  shownId('event').nullable().meta({
    description: 'For a provisional deadline: the deadline whose extension was requested.',
  }),
)

/** A deadline as the deadlines interface shows it. */
export const Deadline = namedObject('Deadline', () => ({
  id: eventId,
  type: z.literal('frist'),
  title: Text,
  case_id: z.uuid(),
  case_deleted_at,
  frist_type: FristType,
  due_at: LocalTimestamp,
  status,
  overdue,
  category: Category,
  basis: Basis.nullable(),
  assigned_to: shownId('user'),
  ...verification(),
  evidence: Evidence.nullable(),
  exit_control: ExitControl.nullable(),
  extension: Extension.nullable(),
  provisional_for,
  chain_id: shownId('chain'),
  chain: ChainIds,
  created_by: shownId('user'),
  created_at: Timestamp,
}))

export type Deadline = z.infer<typeof Deadline>

/** A deadline after it was entered or changed, with warnings about what to check (F17). */
export const EnteredDeadline = z.lazy(() =>
  Deadline.unwrap()
    .extend({
      warnings: z.array(Text).meta({
        description:
          'In German, for example: the deadline is due on a day off of the workspace’s region, at midnight or in the past; it is counted from a future day; it is for the reasons of a remedy and has no Vorfrist; its Vorfrist does not move with it; its Nachfrist is now due before it; an external calendar shows it at its old time; the extension is requested too late.',
      }),
    })
    .meta({ id: 'EnteredDeadline' }),
)

export type EnteredDeadline = z.infer<typeof EnteredDeadline>

/** The same record as the calendar shows it (K1). */
export const Frist = namedObject('Frist', () => ({
  id: shownId('frist').meta({
    description: '`frist_<uuid>`; the deadlines interface calls it `evt_<uuid>`.',
  }),
  title: Text,
  deadline: LocalTimestamp,
  case_id: z.uuid(),
  case_deleted_at,
  frist_type: FristType,
  status: z.enum(['open', 'verified', 'expired']).meta({
    description: 'As of now; a completed one shows as `verified`, with `completed_at`.',
  }),
  verified: z.boolean().meta({ description: 'Whether a second user has checked it.' }),
  overdue,
  category: Category,
  provisional_for,
  chain_id: shownId('chain'),
  assigned_to: shownId('user'),
  ...verification(),
}))

export type Frist = z.infer<typeof Frist>

const ChainMember = namedObject('DeadlineChainMember', () => ({
  id: shownId('event'),
  due_at: LocalTimestamp,
  title: Text,
}))

export const DeadlineChain = namedObject('DeadlineChain', () => ({
  vorfrist: ChainMember.nullable(),
  hauptfrist: ChainMember.nullable(),
  nachfrist: ChainMember.nullable(),
}))

export type DeadlineChain = z.infer<typeof DeadlineChain>

export const FristChain = namedObject('FristChain', () => ({
  chain_id: shownId('chain'),
  data: z.array(Frist),
}))

export type FristChain = z.infer<typeof FristChain>

/** By default a Vorfrist is due this many days before its Hauptfrist. */
export const defaultVorfristDays = 7

export const DeadlineInput = z.lazy(() =>
  z
    .object({
      title: nameText(),
      case_id: idOf('case'),
      due_at: dayOrMoment.nullish().meta({
        description:
          'A moment with `Z` or offset, or a date: the end of that day, 23:59:59 in the workspace. If omitted: the result of `calculation`.',
      }),
      calculation: CalculationBody.nullish().meta({
        description:
          'The body of `POST /deadlines/calculate`. The result is kept as `basis`, so that the second person can check it. If `due_at` differs from the result, the request is refused.',
      }),
      category: Category.nullish().meta({
        description: 'If omitted: the category of the preset, otherwise `other`.',
      }),
      frist_type: orDefault(FristType, 'hauptfrist'),
      assigned_to: idOf('user').nullish().meta({ description: 'The caller if omitted.' }),
      create_vorfrist: z.boolean().nullish().meta({ default: false }),
      vorfrist_days: z.int().gte(1).lte(90).nullish().meta({
        default: defaultVorfristDays,
        description:
          'Calendar days before the Hauptfrist, at the same local time. Only with `create_vorfrist`; if that is false, no Vorfrist is entered.',
      }),
      vorfrist_on_working_day: orDefault(z.boolean(), false).meta({
        description: 'A Vorfrist on a day off is due on the working day before.',
      }),
      hauptfrist_id: idOf('event').nullish().meta({
        description: 'The Hauptfrist whose chain a Vorfrist or Nachfrist is added to.',
      }),
      chain_id: idOf('chain').nullish().meta({
        description:
          'The chain that this deadline joins, in the free place of its kind. A struck Hauptfrist leaves its place free.',
      }),
    })
    .check((context) => {
      const { due_at, calculation, create_vorfrist, vorfrist_days, frist_type, hauptfrist_id, chain_id } =
        context.value
      if (!due_at && !calculation) refuse(context, 'Either `due_at` or `calculation` is required.', 'due_at')
      if (create_vorfrist && frist_type !== 'hauptfrist')
        refuse(context, 'Only a Hauptfrist gets a Vorfrist.', 'create_vorfrist')
      // A client that sends days expects a Vorfrist, unless it explicitly asks for none (G15).
      if (vorfrist_days && create_vorfrist == null)
        refuse(context, 'Send `create_vorfrist` too: without it no Vorfrist is entered.', 'vorfrist_days')
      if (context.value.vorfrist_on_working_day && create_vorfrist == null && frist_type !== 'vorfrist')
        refuse(
          context,
          frist_type === 'hauptfrist'
            ? 'Send `create_vorfrist` too: without it no Vorfrist is entered.'
            : 'Only a Vorfrist moves to a working day.',
          'vorfrist_on_working_day',
        )
      if (hauptfrist_id && frist_type === 'hauptfrist') {
        const message =
          'Set `frist_type` to `vorfrist` or `nachfrist`. A Hauptfrist joins a chain by `chain_id`.'
        refuse(context, message, 'hauptfrist_id')
      }
      if (hauptfrist_id && chain_id)
        refuse(context, 'Name the chain by its own id or by its Hauptfrist, not by both.', 'chain_id')
    })
    .meta({ id: 'DeadlineInput' }),
)

export type DeadlineInput = z.output<typeof DeadlineInput>

/** Only included fields change. Null clears a field, as in a new deadline. */
export const DeadlineChanges = namedObject('DeadlineChanges', () => ({
  title: nameText().optional(),
  due_at: dayOrMoment.optional().meta({ description: 'Set by hand. Another due time removes the basis.' }),
  calculation: CalculationBody.nullish().meta({
    description:
      'Calculates the due time again and keeps the calculation as `basis`. Null removes the basis; the due time stays.',
  }),
  category: Category.nullish().meta({
    description: 'Null: the category of the preset of its basis, otherwise `other`.',
  }),
  assigned_to: idOf('user').nullish().meta({ description: 'The user who is responsible. Null: the caller.' }),
}))

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
        z.object({ type: z.literal('document'), document_id: idOf('document'), ...checkInput() }),
        z.object({
          type: z.literal('bea_receipt'),
          message_id: visibleText(500).pipe(idOf('beaMessage')),
          ...checkInput(),
        }),
        z.object({ type: z.literal('note'), text: remark(), ...checkInput() }),
      ]),
    })
    .meta({ id: 'CompletionInput', description: 'The evidence that the act was done.' }),
)

export type CompletionInput = z.output<typeof CompletionInput>

function checkInput() {
  return { receipt_at: instantText().nullish(), checked_by: idOf('user').nullish() }
}

/** A reason or remark that a person writes (F16). */
export const remark = once(() => visibleText(2_000))

export const ReopeningInput = z.lazy(() =>
  z.object({ reason: remark() }).meta({ id: 'ReopeningInput', description: 'Why the completion was wrong.' }),
)

export type ReopeningInput = z.output<typeof ReopeningInput>

/** An end as a day or moment, or a period that counts from the end of the deadline. */
export const ExtensionRequest = z.lazy(() =>
  z
    .object({
      requested_until: dayOrMoment.nullish(),
      period: z
        .object({ unit: z.enum(['day', 'week', 'month']), count: z.int().gte(1).lte(100) })
        .nullish()
        .meta({
          description: 'Instead of requested_until: counted from the end of the deadline (§ 224 Abs. 3 ZPO).',
        }),
      note: remark().nullish(),
    })
    .check((context) => {
      const { requested_until, period } = context.value
      if (!requested_until === !period)
        refuse(context, 'Either `requested_until` or `period` is required.', 'requested_until')
    })
    .meta({ id: 'ExtensionRequest' }),
)

export type ExtensionRequest = z.output<typeof ExtensionRequest>

export const ExtensionGrant = z.lazy(() =>
  z
    .object({
      until: dayOrMoment.nullish().meta({ description: 'The granted end; the requested one if omitted.' }),
    })
    .optional()
    .meta({ id: 'ExtensionGrant' }),
)

export type ExtensionGrant = z.output<typeof ExtensionGrant>

/** Why a deadline is struck: in the body or in the query. */
export const StrikingInput = z.lazy(() =>
  z.object({ reason: remark().nullish() }).optional().meta({
    id: 'StrikingInput',
    description: 'Why the deadline is struck. If no reason is given, the register says so.',
  }),
)

const limits = () => ({
  case_id: idFilter('case').optional(),
  assigned_to: idFilter('user').optional(),
  from: dayOrMoment.optional().meta({
    description: 'Due then or later: a date of the workspace’s calendar, or a moment.',
  }),
  to: dayOrMoment
    .optional()
    .meta({ description: 'Due then or earlier: a date, which includes the whole day, or a moment.' }),
})

export const DeadlineQuery = lazyObject(() => ({
  ...pageQuery,
  ...limits(),
  status: z.enum(['pending', 'verified', 'expired', 'completed']).optional(),
  overdue: z
    .literal('true')
    .optional()
    .meta({ description: '`true`: only deadlines that are past and not completed, verified or not.' }),
  updated_since: updatedSince(),
}))

export type DeadlineQuery = z.output<typeof DeadlineQuery>

export const FristQuery = lazyObject(() => ({
  ...pageQuery,
  ...limits(),
  status: z.enum(['open', 'verified', 'expired', 'all']).default('all'),
}))

export type FristQuery = z.output<typeof FristQuery>
