import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orCleared, orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { emailText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'

const kind = z.enum(['person', 'organization'])
const email = z.lazy(() => emailText().nullable())
const phone = z.lazy(() => text(100).nullable())
const address = z.lazy(() => text(2_000).nullable())

/** A person or organization in cases: client, opponent, court, insurer (W5). */
export const Party = namedObject('Party', () => ({
  id: shownId('party'),
  type: kind,
  name: Text,
  email: NullableText,
  phone: NullableText,
  address: NullableText,
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type Party = z.infer<typeof Party>

/** A case of a party (C9). */
export const PartyCase = namedObject('PartyCase', () => ({
  id: z.uuid(),
  name: Text,
  file_number: Text,
  status: z.enum(['active', 'closed', 'archived']),
  role: Text.meta({ description: 'Its role in the case; several are separated by commas.' }),
}))

export type PartyCase = z.infer<typeof PartyCase>

/** The fields of a new party; `type` is `person` by default. */
export const PartyInput = namedObject('PartyInput', () => ({
  type: orDefault(kind, 'person').meta({ description: 'If omitted or null: `person`.' }),
  name: nameText(),
  email: email.default(null),
  phone: phone.default(null),
  address: address.default(null),
}))

export type PartyInput = z.infer<typeof PartyInput>

/** Only included fields change. Null clears a field; the type is `person` then. */
export const PartyChanges = namedObject('PartyChanges', () => ({
  type: orCleared(kind, 'person').meta({ description: 'Null: `person`.' }),
  name: nameText().optional(),
  email: email.optional(),
  phone: phone.optional(),
  address: address.optional(),
}))

export type PartyChanges = z.infer<typeof PartyChanges>

export const PartyQuery = lazyObject(() => ({
  ...pageQuery,
  search: text(200).optional().meta({ description: 'All words must be in the name or the e-mail address.' }),
  type: kind.optional(),
  updated_since: updatedSince(),
}))

export type PartyQuery = z.infer<typeof PartyQuery>
