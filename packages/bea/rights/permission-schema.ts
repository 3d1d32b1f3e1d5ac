import * as z from 'zod'
import { idOf, shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { instantText, Text, Timestamp } from '#kernel/text.ts'
import { BeaRight } from './right-schema.ts'

const target = { account_id: idOf('beaAccount'), user_id: idOf('user') }
const rights = z.lazy(() => z.array(BeaRight).min(1).max(100))

export const BeaPermissionInput = namedObject('BeaPermissionInput', () => ({
  ...target,
  rights,
  valid_until: instantText().nullable().default(null),
}))

export type BeaPermissionInput = z.infer<typeof BeaPermissionInput>

export const BeaPermissionRemoval = namedObject('BeaPermissionRemoval', () => ({
  ...target,
  rights: rights
    .nullable()
    .default(null)
    .meta({ description: 'Default: all rights that the user was granted.' }),
}))

export type BeaPermissionRemoval = z.infer<typeof BeaPermissionRemoval>

/** A right that a user was given. */
export const BeaPermission = namedObject('BeaPermission', () => ({
  account_id: shownId('beaAccount'),
  user_id: shownId('user'),
  rights: z.array(Text),
  valid_until: Timestamp.nullable(),
}))

export type BeaPermission = z.infer<typeof BeaPermission>

/** Rights of one holder that end at the same time. */
export const BeaPermissionEntry = namedObject('BeaPermissionEntry', () => ({
  user_id: shownId('user').optional().meta({ description: 'The user who has the rights (`local`).' }),
  bea_id: Text.nullable()
    .optional()
    .meta({ description: 'The SAFE-ID of the holder of the rights in the network (`network`).' }),
  name: Text.nullable(),
  rights: z.array(Text),
  source: z.enum(['network', 'local']),
  valid_until: Timestamp.nullable(),
}))

export type BeaPermissionEntry = z.infer<typeof BeaPermissionEntry>
