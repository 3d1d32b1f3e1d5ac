import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'
import { eebRejectCodes } from '../eeb/eeb-schema.ts'

/**
 * A message exactly as it is sent, with the digests of its files. It is fixed when its send is accepted, and kept in the
 * bucket. Later changes of a document or the account do not change it.
 */
export const BeaOrder = lazyObject(() => ({
  account_id: z.string(),
  postbox_safe_id: z.string(),
  subject: z.string(),
  body: z.string(),
  to: z.array(z.object({ name: z.string(), bea_id: z.string() })),
  reference_sender: z.string(),
  reference_recipient: z.string(),
  eeb_requested: z.boolean(),
  files: z.array(
    z.object({
      document_id: z.string(),
      filename: z.string(),
      mime_type: z.string(),
      size_bytes: z.int(),
      sha256: z.string(),
      key: z.string(),
    }),
  ),
  eeb: z
    .discriminatedUnion('action', [
      z.object({ action: z.literal('confirm'), foreign_id: z.string(), date: z.string() }),
      z.object({
        action: z.literal('reject'),
        foreign_id: z.string(),
        code: z.enum(eebRejectCodes),
        reason: z.string(),
      }),
    ])
    .nullable(),
}))

export type BeaOrder = z.infer<typeof BeaOrder>
