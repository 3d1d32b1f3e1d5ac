import * as z from 'zod'
import { idOf } from '#kernel/id.ts'
import { Text, visibleText } from '#kernel/text.ts'
import { BeaEeb } from '../messages/message-schema.ts'

/** Why a receipt is refused (B9). */
export const eebRejectCodes = ['not_party', 'unclear', 'incomplete', 'certificate'] as const

export type EebRejectCode = (typeof eebRejectCodes)[number]

/**
 * The answer to a request for an electronic receipt (B9). It is a lawyer's declaration with legal effect (§§ 173, 175
 * ZPO): deadlines run from the stated day.
 */
export const BeaEebInput = z.lazy(() =>
  z
    .discriminatedUnion('action', [
      z.object({
        action: z.literal('confirm'),
        date: z.iso.date().meta({ description: 'The day of receipt, as the lawyer states it.' }),
        deadline_id: idOf('event').nullable().default(null).meta({
          description: 'The deadline that was noted in the case because of this service.',
        }),
        override_reason: visibleText(2_000).nullable().default(null).meta({
          description: 'Why no deadline is named.',
        }),
      }),
      z.object({
        action: z.literal('reject'),
        code: z.enum(eebRejectCodes),
        reason: visibleText(2_000),
      }),
    ])
    .meta({ id: 'BeaEebInput' }),
)

export type BeaEebInput = z.infer<typeof BeaEebInput>

/** An accepted answer, with warnings about what to check. */
export const BeaEebAnswer = z.lazy(() =>
  BeaEeb.unwrap()
    .extend({
      warnings: z.array(Text).meta({
        description: 'In German: the named deadline is counted from another day than the receipt states.',
      }),
    })
    .meta({ id: 'BeaEebAnswer' }),
)

export type BeaEebAnswer = z.infer<typeof BeaEebAnswer>
