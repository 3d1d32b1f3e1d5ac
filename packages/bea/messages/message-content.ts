import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'
import { NullableText, Text } from '#kernel/text.ts'
import { XJustizFacts } from '#triage/facts-schema.ts'
import { BeaAddress } from './message-schema.ts'

/**
 * The content of a message without its attachments, as one object in the bucket. The proof of origin is unchanged, as
 * the network gave it.
 */
export const BeaContent = lazyObject(() => ({
  body: Text,
  proof_of_origin: NullableText,
  osci_message_id: NullableText,
  xjustiz: z.array(XJustizFacts),
  /** All recipients, if there are more than the record holds. */
  recipients: z.array(BeaAddress).optional(),
}))

export type BeaContent = z.infer<typeof BeaContent>

export function contentBytes(content: BeaContent): Uint8Array {
  return Buffer.from(JSON.stringify(content))
}

export function readContent(bytes: Uint8Array): BeaContent {
  return BeaContent.parse(JSON.parse(Buffer.from(bytes).toString()))
}
