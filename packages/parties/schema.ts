import * as z from 'zod'
import { pageQuery } from '#kernel/page.ts'
import { emailText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'

const kind = z.enum(['person', 'organization'])
const email = emailText().nullable()
const phone = text(100).nullable()
const address = text(2_000).nullable()

/** Somebody a case is about or deals with: client, opponent, court, insurer (W5). */
export const Party = z
  .object({
    id: Text,
    type: kind,
    name: Text,
    email: NullableText,
    phone: NullableText,
    address: NullableText,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Party' })

export type Party = z.infer<typeof Party>

/** What a new party is told by; `type` is `person` unless said otherwise. */
export const PartyInput = z
  .object({
    type: kind.default('person'),
    name: nameText(),
    email: email.default(null),
    phone: phone.default(null),
    address: address.default(null),
  })
  .meta({ id: 'PartyInput' })

export type PartyInput = z.infer<typeof PartyInput>

/** Only what is included changes. */
export const PartyChanges = z
  .object({
    type: kind.optional(),
    name: nameText().optional(),
    email: email.optional(),
    phone: phone.optional(),
    address: address.optional(),
  })
  .meta({ id: 'PartyChanges' })

export type PartyChanges = z.infer<typeof PartyChanges>

export const PartyQuery = z.object({
  ...pageQuery,
  search: text(200)
    .optional()
    .meta({ description: 'Words that all stand in the name or the e-mail address.' }),
  type: kind.optional(),
})

export type PartyQuery = z.infer<typeof PartyQuery>
