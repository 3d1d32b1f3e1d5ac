import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { Text, Timestamp, text } from '#kernel/text.ts'

/** SHA-256 of a file, 64 hexadecimal digits in either case. */
export const VerifyInput = namedObject('VerifyInput', () => ({
  sha256: text(64)
    .refine((value) => /^[0-9a-f]{64}$/i.test(value), 'Send 64 hexadecimal digits: the SHA-256 of the file.')
    .transform((value) => value.toLowerCase())
    .meta({ pattern: '^[0-9a-fA-F]{64}$' }),
}))

export type VerifyInput = z.infer<typeof VerifyInput>

/** The answer about a sealed file (S9). */
export const Verification = z.lazy(() =>
  z
    .union([
      z.object({ known: z.literal(false) }),
      z.object({
        known: z.literal(true),
        office: z.object({ workspace_id: shownId('workspace'), name: Text }).meta({
          description: 'The law firm that had the file sealed: its workspace and its current name.',
        }),
        envelope: z.object({ id: shownId('envelope'), title: Text, completed_at: Timestamp }),
        document: z.object({ filename: Text }),
        signers: z.array(z.object({ name: Text, signed_at: Timestamp })),
      }),
    ])
    .meta({ id: 'Verification' }),
)

export type Verification = z.infer<typeof Verification>
