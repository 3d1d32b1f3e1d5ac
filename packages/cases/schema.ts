import * as z from 'zod/mini'
import { idOf } from '#kernel/id.ts'
import { pageQuery } from '#kernel/page.ts'
import { descriptionText, labelText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'
import { PartyInput } from '#parties/schema.ts'

const status = z.enum(['active', 'closed', 'archived'])
const fileNumber = labelText()

/** Somebody's part in a case. */
export const CaseParty = z
  .object({ id: Text, role: Text, name: Text })
  .register(z.globalRegistry, { id: 'CaseParty', description: 'A party of a case in one role.' })

export type CaseParty = z.infer<typeof CaseParty>

export const CaseStaff = z
  .object({ id: Text, name: Text, role: Text })
  .register(z.globalRegistry, { id: 'CaseStaff', description: 'A user who works on a case, in one role.' })

export type CaseStaff = z.infer<typeof CaseStaff>

/** A matter (Akte) with who takes part in it. */
export const Case = z
  .object({
    id: z.uuid(),
    name: Text,
    file_number: z.string().register(z.globalRegistry, {
      description: 'The Aktenzeichen of the office, unique in the workspace.',
    }),
    status,
    type: NullableText,
    description: NullableText,
    dezernat: NullableText,
    created_at: Timestamp,
    updated_at: Timestamp,
    parties: z.array(CaseParty),
    staff: z.array(CaseStaff),
  })
  .register(z.globalRegistry, { id: 'Case' })

export type Case = z.infer<typeof Case>

/** What a list shows of a case. */
export const CaseSummary = z
  .pick(Case, { id: true, name: true, file_number: true, status: true })
  .register(z.globalRegistry, {
    id: 'CaseSummary',
  })

export type CaseSummary = z.infer<typeof CaseSummary>

export const CaseInput = z
  .object({
    name: nameText(),
    file_number: z
      ._default(z.nullable(fileNumber), null)
      .register(z.globalRegistry, { description: 'Omitted, it is the next of the year: `0001/26`.' }),
    type: z._default(z.nullable(labelText()), null),
    description: z._default(z.nullable(descriptionText()), null),
    dezernat: z._default(z.nullable(labelText()), null),
  })
  .register(z.globalRegistry, { id: 'CaseInput' })

export type CaseInput = z.infer<typeof CaseInput>

/** Only what is included changes; `parties` and `staff` have paths of their own (C2). */
export const CaseChanges = z
  .object({
    name: z.optional(nameText()),
    file_number: z.optional(fileNumber),
    status: z.optional(status),
    type: z.nullish(labelText()),
    description: z.nullish(descriptionText()),
    dezernat: z.nullish(labelText()),
  })
  .register(z.globalRegistry, { id: 'CaseChanges' })

export type CaseChanges = z.infer<typeof CaseChanges>

export const CaseQuery = z.object({
  ...pageQuery,
  status: z.optional(status),
  search: z.optional(text(200)).register(z.globalRegistry, {
    description:
      'Words that all stand in the name or the file number: three and more characters anywhere, fewer at the beginning of a word; upper and lower case, `ä` and `ae`, `ß` and `ss` alike.',
  }),
  type: z.optional(labelText()),
  dezernat: z.optional(labelText()),
})

export type CaseQuery = z.infer<typeof CaseQuery>

/** A party to be added: one that exists, by `id`, or a new one, by `name`. */
const CasePartyInput = z.union([
  z.extend(PartyInput, { id: z.optional(z.null()), role: labelText() }),
  z.object({ id: idOf('party'), role: labelText() }),
])

export type CasePartyInput = z.infer<typeof CasePartyInput>

/** At most so many parties, and so many assignments of staff, has a case (C4). */
export const mostParties = 100

export const CasePartiesInput = enveloped('parties', CasePartyInput).with(z.meta({ id: 'CasePartiesInput' }))

const CaseStaffInput = z.object({ id: idOf('user'), role: labelText() })

export const CaseStaffAssignments = enveloped('staff', CaseStaffInput).with(
  z.meta({ id: 'CaseStaffAssignments' }),
)

/** `{"<name>": […]}` or the bare array. Reads as the array. */
function enveloped<Name extends string, Item extends z.ZodMiniType>(name: Name, item: Item) {
  const list = z.array(item).check(z.maxLength(mostParties, `At most ${mostParties}.`))
  const object = z.object({ [name]: list } as Record<Name, typeof list>)
  return z.pipe(
    z.union([list, object]),
    z.transform((input): z.output<Item>[] =>
      Array.isArray(input) ? input : (input as Record<Name, z.output<Item>[]>)[name],
    ),
  )
}

export const CaseStaffRemoval = z
  .optional(z.object({ staff_ids: z.array(idOf('user')).check(z.maxLength(mostParties)) }))
  .register(z.globalRegistry, { id: 'CaseStaffRemoval' })

/** Two cases that belong together, as seen from one of them (C7). */
export const CaseLink = z
  .object({
    id: Text,
    case_id: z.uuid(),
    linked_case_id: z.uuid(),
    type: NullableText,
    note: NullableText,
    created_at: Timestamp,
  })
  .register(z.globalRegistry, { id: 'CaseLink' })

export type CaseLink = z.infer<typeof CaseLink>

export const CaseLinkInput = z
  .object({
    case_id: idOf('case').with(z.meta({ description: 'The other case.' })),
    type: z._default(z.nullable(labelText()), null),
    note: z._default(z.nullable(descriptionText()), null),
  })
  .register(z.globalRegistry, { id: 'CaseLinkInput' })

export type CaseLinkInput = z.infer<typeof CaseLinkInput>
