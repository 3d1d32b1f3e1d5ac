import * as z from 'zod'
import { DatevSettings, Seller } from '#billing/firm-schema.ts'
import { DatevChanges, SellerChanges } from '#billing/settings-schema.ts'
import { regions } from '#german-time/regions.ts'
import { attempted } from '#kernel/attempted.ts'
import { idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { Scope } from '#kernel/scope.ts'
import {
  descriptionText,
  emailText,
  instantText,
  NullableText,
  nameText,
  Text,
  Timestamp,
  text,
} from '#kernel/text.ts'

const timeZone = z.lazy(() =>
  text(100)
    .refine(
      (name) => canonicalTimeZone(name) !== undefined,
      'This is not a time zone of the IANA database, such as Europe/Berlin.',
    )
    .transform((name: string) => canonicalTimeZone(name) ?? name),
)

/**
 * The canonical name of a time zone; undefined if there is no such zone. Node takes it from ICU, which keeps the old
 * name of a renamed zone: `Europe/Kiev` for `Europe/Kyiv`.
 */
function canonicalTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  return attempted(() => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone)
}

const autoFile = z.lazy(() =>
  z.enum(['certain', 'off']).meta({
    description:
      'Whether the service files received mail and beA messages in cases by itself. `certain`: if the case is certain. `off`: never.',
  }),
)

/** The workspace of a law firm. Everything belongs to exactly one workspace (W1). */
export const Workspace = namedObject('Workspace', () => ({
  id: shownId('workspace'),
  name: Text,
  time_zone: Text,
  holiday_region: z.enum(regions),
  inbound_address: z.string().meta({ description: 'Mail to this address arrives in the inbox.' }),
  auto_file: autoFile,
  seller: Seller,
  datev: DatevSettings,
  created_at: Timestamp,
}))

export type Workspace = z.infer<typeof Workspace>

const affectedDeadlines = () => ({
  warnings: z.array(Text).optional().meta({
    description:
      'In German: how many open deadlines somebody must check because of this change, and the day of the first. After a change of the region also, if there are 500 open deadlines or more: that only the next 500 were compared. Absent if there is no warning.',
  }),
  deadline_ids: z.array(shownId('event')).optional().meta({
    description:
      'The ids of these deadlines, soonest first. At most 100 of a deactivated user. Absent if `warnings` is absent.',
  }),
})

/** The workspace after a change. After a change of the region, it names the open deadlines that may move. */
export const ChangedWorkspace = z.lazy(() =>
  Workspace.unwrap().extend(affectedDeadlines()).meta({ id: 'ChangedWorkspace' }),
)

export type ChangedWorkspace = z.infer<typeof ChangedWorkspace>

export const WorkspaceChanges = namedObject('WorkspaceChanges', () => ({
  name: nameText().optional(),
  time_zone: timeZone.optional(),
  holiday_region: z.enum(regions).optional(),
  auto_file: autoFile.optional(),
  seller: SellerChanges.nullish(),
  datev: DatevChanges.nullish(),
}))

export type WorkspaceChanges = z.infer<typeof WorkspaceChanges>

/** The fields of a new workspace. By default, the firm is in Berlin. */
export const WorkspaceInput = lazyObject(() => ({
  name: nameText(),
  /** The domain of its inbound mail address. */
  inbound_domain: text(200).regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'This is not a domain name.'),
  time_zone: timeZone.default('Europe/Berlin'),
  holiday_region: z.enum(regions).default('DE-BE'),
}))

export type WorkspaceInput = z.infer<typeof WorkspaceInput>

/** The token with which other systems push documents (W2). */
export const WebhookSettings = namedObject('WebhookSettings', () => ({
  token: Text,
  created_at: Timestamp,
  url: z.url().meta({ description: 'The address that documents are pushed to.' }),
}))

export type WebhookSettings = z.infer<typeof WebhookSettings>

/** A person who works in the firm (W3). */
export const User = namedObject('User', () => ({
  id: shownId('user'),
  name: Text,
  email: Text,
  signature_html: NullableText,
  active: z.boolean(),
  created_at: Timestamp,
}))

export type User = z.infer<typeof User>

/** The user after a change. If the user was deactivated, it names the user's open deadlines. */
export const ChangedUser = z.lazy(() => User.unwrap().extend(affectedDeadlines()).meta({ id: 'ChangedUser' }))

export type ChangedUser = z.infer<typeof ChangedUser>

const email = z.lazy(emailText)

export const UserInput = namedObject('UserInput', () => ({
  name: nameText(),
  email,
  signature_html: descriptionText().nullable().default(null),
}))

export type UserInput = z.infer<typeof UserInput>

export const UserChanges = namedObject('UserChanges', () => ({
  name: nameText().optional(),
  email: email.optional(),
  signature_html: descriptionText().nullish(),
  active: z.boolean().optional().meta({ description: 'A deactivated user’s keys stop working at once.' }),
}))

export type UserChanges = z.infer<typeof UserChanges>

/** A key as lists show it: never with its secret (G12). */
export const ApiKey = namedObject('ApiKey', () => ({
  id: shownId('apiKey'),
  user_id: shownId('user'),
  name: Text,
  scopes: z.array(Scope),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable().meta({
    description: 'When it was last used, to the hour. Null if never.',
  }),
  created_at: Timestamp,
}))

export type ApiKey = z.infer<typeof ApiKey>

/** The user, the workspace and the API key of the caller (G18). It has only the fields that every user may know. */
export const Me = namedObject('Me', () => ({
  user: User,
  workspace: Workspace.unwrap().pick({ id: true, name: true, time_zone: true, holiday_region: true }),
  api_key: ApiKey.unwrap().pick({ id: true, name: true, scopes: true, expires_at: true }),
}))

export type Me = z.infer<typeof Me>

export const CreatedApiKey = z.lazy(() =>
  ApiKey.unwrap()
    .extend({
      key: z.string().optional().meta({
        description:
          'The key itself: `ak_<uuid>_<secret>`. Only this answer has it. The answer to a repeated request (`Idempotency-Key`) does not.',
      }),
    })
    .meta({ id: 'CreatedApiKey' }),
)

export type CreatedApiKey = z.infer<typeof CreatedApiKey> & { key: string }

export const ApiKeyInput = namedObject('ApiKeyInput', () => ({
  user_id: idOf('user'),
  name: nameText(),
  scopes: z.array(Scope).min(1, 'A key without a scope can do nothing.').max(100),
  expires_at: instantText().nullable().default(null),
}))

export type ApiKeyInput = z.output<typeof ApiKeyInput>
