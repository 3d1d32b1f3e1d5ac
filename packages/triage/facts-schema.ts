import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'
import { NullableText, Text } from '#kernel/text.ts'

/** An attachment. `text` is null if no text was extracted, or not yet. */
const AttachmentFacts = lazyObject(() => ({ filename: Text, mime_type: Text, text: NullableText }))

/** The structured record of German courts (`xjustiz_nachricht.xml`). */
export const XJustizFacts = lazyObject(() => ({
  /** The name of its root element without prefix, such as `nachricht.gds.uebermittlungSchriftgutobjekte.0005005`. */
  message_type: Text,
  sender: z.object({
    kind: z.enum(['court', 'authority', 'other']),
    code: NullableText,
    name: NullableText,
  }),
  /** The references of the sender, of the recipient (as the sender knows it), and of the proceedings. */
  sender_references: z.array(Text),
  recipient_references: z.array(Text),
  proceedings_references: z.array(Text),
}))

export type XJustizFacts = z.infer<typeof XJustizFacts>

/** `safe_id` and the references are null if the message does not state them. */
const BeaFacts = lazyObject(() => ({
  sender: z.object({ name: NullableText, safe_id: NullableText }),
  reference_sender: NullableText,
  reference_recipient: NullableText,
  /** The sender asks for an electronic acknowledgement of receipt (eEB): the message is served formally. */
  eeb_requested: z.boolean().optional(),
}))

/**
 * The facts of a message before anything is looked up. They are stored beside the mail, so that the mail can be judged
 * again once the texts of its attachments are there.
 */
export const MessageFacts = lazyObject(() => ({
  /** `document`: an upload, or a document from the webhook. It has no sender; its only attachment has the text. */
  kind: z.enum(['mail', 'document', 'bea']),
  /** The day of its arrival in the workspace's time zone. A date without a year is the next one from this day. */
  received_on: z.iso.date(),
  from: z.object({ name: NullableText, email: Text }).nullable(),
  /**
   * Only for a beA message: its sender, whose SAFE-ID the network guarantees, and the references stated beside its
   * text.
   */
  bea: BeaFacts.optional(),
  subject: Text,
  /** The text part, or the text of the HTML, with what it quotes and forwards. */
  text: Text,
  /** Message ids with angle brackets; in `references`, the oldest first. */
  in_reply_to: z.array(Text),
  references: z.array(Text),
  headers: z.object({
    auto_submitted: NullableText,
    list_unsubscribe: NullableText,
    precedence: NullableText,
  }),
  attachments: z.array(AttachmentFacts),
  xjustiz: z.array(XJustizFacts),
  /**
   * The verdict of the receiving service. `unknown`: it has not checked the message. `forged`: the message fails
   * DMARC, or fails SPF and passes neither DKIM nor DMARC.
   */
  verdict: z.enum(['passed', 'spam', 'virus', 'forged', 'unknown']),
  /** Only for a mail: whether the receiving service has verified its sender. If not, the mail is not filed. */
  sender_verified: z.boolean().optional(),
  protection: z.enum(['none', 'signed', 'encrypted']),
  /** Only for a mail: the addresses in `To` and `Cc`, as stored in its record. */
  recipients: z.object({ to: z.array(Text), cc: z.array(Text) }).optional(),
}))

export type MessageFacts = z.infer<typeof MessageFacts>
