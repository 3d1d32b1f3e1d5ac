import * as z from 'zod/mini'
import { pageQuery } from '#kernel/page.ts'
import { emailText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'

const kind = z.enum(['person', 'organization'])
const email = z.nullable(emailText())
const phone = z.nullable(text(100))
const address = z.nullable(text(2_000))

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
  .register(z.globalRegistry, { id: 'Party' })

export type Party = z.infer<typeof Party>

/** What a new party is told by; `type` is `person` unless said otherwise. */
export const PartyInput = z
  .object({
    type: z._default(kind, 'person'),
    name: nameText(),
    email: z._default(email, null),
    phone: z._default(phone, null),
    address: z._default(address, null),
  })
  .register(z.globalRegistry, { id: 'PartyInput' })

export type PartyInput = z.infer<typeof PartyInput>

/** Only what is included changes. */
export const PartyChanges = z
  .object({
    type: z.optional(kind),
    name: z.optional(nameText()),
    email: z.optional(email),
    phone: z.optional(phone),
    address: z.optional(address),
  })
  .register(z.globalRegistry, { id: 'PartyChanges' })

export type PartyChanges = z.infer<typeof PartyChanges>

export const PartyQuery = z.object({
  ...pageQuery,
  search: z
    .optional(text(200))
    .register(z.globalRegistry, { description: 'Words that all stand in the name or the e-mail address.' }),
  type: z.optional(kind),
})

export type PartyQuery = z.infer<typeof PartyQuery>
