import * as z from 'zod'
import { idFilter } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Text, text } from '#kernel/text.ts'

export const BeaPostbox = namedObject('BeaPostbox', () => ({
  postbox_safe_id: Text,
  name: NullableText,
  own: z.boolean(),
}))

export type BeaPostbox = z.infer<typeof BeaPostbox>

export const BeaDirectoryQuery = z.lazy(() =>
  z
    .object({
      q: text(200).optional().meta({
        description: 'A name, a firm, a SAFE-ID or a postal code. Either this or `city` must be given.',
      }),
      city: text(200).optional().meta({ description: 'A place. Either this or `q` must be given.' }),
      account_id: idFilter('beaAccount').optional().meta({
        description:
          'The account whose session is used. Default: the first account that has a session and at which you have the right 03.',
      }),
    })
    .refine(({ q = '', city = '' }) => q !== '' || city !== '', {
      path: ['q'],
      message: 'Give `q` or `city`.',
    }),
)

export type BeaDirectoryQuery = z.infer<typeof BeaDirectoryQuery>

export const BeaDirectoryEntry = namedObject('BeaDirectoryEntry', () => ({
  bea_id: Text,
  name: NullableText,
  firm: NullableText,
  city: NullableText,
  postfach_active: z.boolean(),
}))

export type BeaDirectoryEntry = z.infer<typeof BeaDirectoryEntry>

export const BeaDirectoryResults = namedObject('BeaDirectoryResults', () => ({
  results: z.array(BeaDirectoryEntry),
}))
