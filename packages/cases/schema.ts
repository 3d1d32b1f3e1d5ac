import * as z from 'zod'
import { calendarDay } from '#german-time/time-range.ts'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { descriptionText, labelText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'
import { ConflictMatch } from '#parties/conflict-schema.ts'
import { PartyInput } from '#parties/schema.ts'
import { GivenSide, ShownSide } from '#parties/side-schema.ts'
import { CaseRetention } from './retention-schema.ts'

const status = z.enum(['active', 'closed', 'archived'])
const fileNumber = z.lazy(labelText)

/** A party of a case in one role. */
export const CaseParty = z.lazy(() =>
  z
    .object({ id: shownId('party'), role: Text, side: ShownSide, name: Text })
    .meta({ id: 'CaseParty', description: 'A party of a case in one role.' }),
)

export type CaseParty = z.infer<typeof CaseParty>

/** The parties of a case after a change, with the conflict check of the new ones (C10). */
export const CasePartiesAnswer = namedObject('CasePartiesAnswer', () => ({
  data: z.array(CaseParty),
  warnings: z.array(ConflictMatch).meta({
    description:
      'Warnings about the added parties: the role of a party does not say its side, or the given `side` contradicts the role. A key with `contacts:read` and `cases:read` also gets these: another party has exactly or very likely the same name as an added one; an added party is on the other side in another case.',
  }),
  more: z.array(Text).meta({
    description:
      'Names of added parties that are too frequent: so many parties have the same or a similar name that the check did not compare them all. `GET /parties` finds these parties by name. Empty without `contacts:read` and `cases:read`.',
  }),
}))

export type CasePartiesAnswer = z.infer<typeof CasePartiesAnswer>

export const CaseStaff = z.lazy(() =>
  z
    .object({ id: shownId('user'), name: Text, role: Text })
    .meta({ id: 'CaseStaff', description: 'A user who works on a case, in one role.' }),
)

export type CaseStaff = z.infer<typeof CaseStaff>

/** A case (Akte) with its parties and staff. */
export const Case = namedObject('Case', () => ({
  id: z.uuid(),
  name: Text,
  file_number: z.string().meta({
    description: 'The firm’s Aktenzeichen, unique in the workspace.',
  }),
  status,
  type: NullableText,
  description: NullableText,
  dezernat: NullableText,
  created_at: Timestamp,
  updated_at: Timestamp,
  parties: z.array(CaseParty),
  staff: z.array(CaseStaff),
  closed_at: Timestamp.nullable().meta({
    description: 'When it was closed; null if it never was. Archiving keeps it, reopening clears it.',
  }),
  retention: CaseRetention.nullable().meta({
    description: 'For how long the closed case is kept. Null if `closed_at` is null.',
  }),
}))

export type Case = z.infer<typeof Case>

/** A case after a change. */
export const ChangedCase = z.lazy(() =>
  Case.unwrap()
    .extend({
      warnings: z.array(Text).optional().meta({
        description:
          'In German, after this change has closed or archived an open case: how many of its deadlines are open, and the day of the first; and whether it was archived without being closed. Absent if there is no warning.',
      }),
    })
    .meta({ id: 'ChangedCase' }),
)

export type ChangedCase = z.infer<typeof ChangedCase>

/** The warnings about the deletion of a case. */
export const CaseDeletion = namedObject('CaseDeletion', () => ({
  warnings: z
    .array(Text)
    .meta({ description: 'In German: how many deadlines of the case are open, and the day of the first.' }),
}))

export type CaseDeletion = z.infer<typeof CaseDeletion>

/** A case in a list. */
export const CaseSummary = z.lazy(() =>
  Case.unwrap().pick({ id: true, name: true, file_number: true, status: true }).meta({
    id: 'CaseSummary',
  }),
)

export type CaseSummary = z.infer<typeof CaseSummary>

export const CaseInput = namedObject('CaseInput', () => ({
  name: nameText(),
  file_number: fileNumber.nullable().default(null).meta({
    description:
      'If absent, the case gets the next number of the year: `0001/26`. A number that another case already has in another form (`1/2026`) is skipped.',
  }),
  type: labelText().nullable().default(null),
  description: descriptionText().nullable().default(null),
  dezernat: labelText().nullable().default(null),
}))

export type CaseInput = z.infer<typeof CaseInput>

/** Only included fields change; `parties` and `staff` have their own paths (C2). */
export const CaseChanges = namedObject('CaseChanges', () => ({
  name: nameText().optional(),
  file_number: fileNumber.optional(),
  status: status.optional(),
  closed_on: calendarDay().nullish().meta({
    description:
      'The day on which a closed or archived case was really closed, for example before it was imported. Not in the future. It sets `closed_at`.',
  }),
  type: labelText().nullish(),
  description: descriptionText().nullish(),
  dezernat: labelText().nullish(),
}))

export type CaseChanges = z.infer<typeof CaseChanges>

export const CaseQuery = lazyObject(() => ({
  ...pageQuery,
  status: status.optional(),
  search: text(200).optional().meta({
    description:
      'Each word must be in the name, the file number or the names of the parties. A word of three or more characters may be anywhere, a shorter one only at the beginning of a word. Upper and lower case are the same, and so are `ä` and `ae`, `ß` and `ss`.',
  }),
  type: labelText().optional(),
  dezernat: labelText().optional(),
  party_id: idFilter('party').optional(),
  staff_id: idFilter('user').optional(),
  updated_since: updatedSince(),
}))

export type CaseQuery = z.infer<typeof CaseQuery>

/** A party to add: an existing one by `id`, or a new one by `name`. */
const CasePartyInput = z.lazy(() =>
  z.union([
    PartyInput.unwrap()
      .extend({ id: z.null().optional(), role: labelText(), side: GivenSide })
      .meta({ id: 'NewCaseParty' }),
    z.object({ id: idOf('party'), role: labelText(), side: GivenSide }).meta({ id: 'KnownCaseParty' }),
  ]),
)

export type CasePartyInput = z.infer<typeof CasePartyInput>

/** The maximum length of the names that a case stores, so that the names of all parties and staff fit into its item. */
export const maxStoredName = 100

/** The maximum number of parties of a case, and of its assignments of staff (C4). */
export const maxParticipants = 100

export const CasePartiesInput = z.lazy(() =>
  listOrObject('parties', CasePartyInput).meta({ id: 'CasePartiesInput' }),
)

const CaseStaffInput = namedObject('CaseStaffInput', () => ({ id: idOf('user'), role: labelText() }))

export const CaseStaffAssignments = z.lazy(() =>
  listOrObject('staff', CaseStaffInput).meta({ id: 'CaseStaffAssignments' }),
)

/** Accepts `{"<name>": […]}` or the array alone. The output is the array. */
function listOrObject<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const list = z.array(item).max(maxParticipants, `At most ${maxParticipants}.`)
  const object = z.object({ [name]: list } as Record<Name, typeof list>)
  return z
    .union([list, object])
    .transform((input): z.output<Item>[] =>
      Array.isArray(input) ? input : (input as Record<Name, z.output<Item>[]>)[name],
    )
}

export const CaseStaffRemoval = z.lazy(() =>
  z
    .object({ staff_ids: z.array(idOf('user')).max(maxParticipants) })
    .optional()
    .meta({ id: 'CaseStaffRemoval' }),
)

/** A link between two cases, as seen from one of them (C7). */
export const CaseLink = namedObject('CaseLink', () => ({
  id: shownId('link'),
  case_id: z.uuid(),
  linked_case_id: z.uuid(),
  type: NullableText,
  note: NullableText,
  created_at: Timestamp,
}))

export type CaseLink = z.infer<typeof CaseLink>

export const CaseLinkInput = namedObject('CaseLinkInput', () => ({
  case_id: idOf('case').meta({ description: 'The other case.' }),
  type: labelText().nullable().default(null),
  note: descriptionText().nullable().default(null),
}))

export type CaseLinkInput = z.infer<typeof CaseLinkInput>
