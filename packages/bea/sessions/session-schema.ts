import * as z from 'zod'
import { idOf, shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { Text } from '#kernel/text.ts'
import { BeaSession } from '../accounts/account-schema.ts'

export const BeaLoginInput = namedObject('BeaLoginInput', () => ({ account_id: idOf('beaAccount') }))

export type BeaLoginInput = z.infer<typeof BeaLoginInput>

/** Data that is relayed unchanged between the gateway and the holder of the key. */
const RelayedData = namedObject('BeaRelayedData', () => ({ id: Text, data: Text }))

const relayed = z.lazy(() =>
  z
    .array(z.object({ id: z.string().max(200), data: z.string().max(20_000) }))
    .min(1)
    .max(10),
)

/**
 * The body of each of the three calls of a login by card. The first has `account_id`; the second has `login_id` and
 * `signatures`, the third `login_id` and `keys`.
 */
export const BeaLocalLoginInput = z.lazy(() =>
  z
    .object({
      account_id: idOf('beaAccount').nullish(),
      login_id: idOf('beaLogin').nullish(),
      signatures: relayed.nullish().meta({ description: 'The signed challenges, with their ids.' }),
      keys: relayed.nullish().meta({ description: 'The decrypted keys, with their ids.' }),
    })
    .refine(
      ({ account_id, login_id, signatures, keys }) =>
        [
          account_id != null && login_id == null && signatures == null && keys == null,
          account_id == null && login_id != null && (signatures == null) !== (keys == null),
        ].includes(true),
      'Send `account_id` alone, or `login_id` with either `signatures` or `keys`.',
    )
    .meta({ id: 'BeaLocalLoginInput' }),
)

export type BeaLocalLoginInput = z.infer<typeof BeaLocalLoginInput>

export const BeaLocalLogin = z.lazy(() =>
  z
    .union([
      z.object({ login_id: shownId('beaLogin'), step: z.literal('sign'), challenges: z.array(RelayedData) }),
      z.object({ login_id: shownId('beaLogin'), step: z.literal('decrypt'), keys: z.array(RelayedData) }),
      BeaSession,
    ])
    .meta({ id: 'BeaLocalLogin' }),
)

export type BeaLocalLogin = z.infer<typeof BeaLocalLogin>
