import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'

const recipient = lazyObject(() => ({
  emailAddress: z.string(),
  diagnosticCode: z.string().optional(),
}))

/**
 * An event of the mail provider, as SES publishes it ("Contents of event data that Amazon SES publishes to Amazon
 * SNS"). Only the fields that are used are listed. Events of other types are accepted.
 */
export const MailEvent = lazyObject(() => ({
  eventType: z.string(),
  mail: z.object({
    /** When the provider accepted the message. */
    timestamp: z.iso.datetime({ offset: true }),
    /** The provider's id of the message. */
    messageId: z.string(),
    /** The tags that the message was sent with. */
    tags: z.record(z.string(), z.array(z.string())).default({}),
  }),
  delivery: z.object({ timestamp: z.string(), recipients: z.array(z.string()) }).optional(),
  bounce: z
    .object({
      timestamp: z.string(),
      bounceType: z.string(),
      bounceSubType: z.string().default(''),
      bouncedRecipients: z.array(recipient),
    })
    .optional(),
  complaint: z
    .object({
      timestamp: z.string(),
      complaintFeedbackType: z.string().nullish(),
      complainedRecipients: z.array(recipient),
    })
    .optional(),
  deliveryDelay: z
    .object({ timestamp: z.string(), delayType: z.string(), delayedRecipients: z.array(recipient) })
    .optional(),
  reject: z.object({ reason: z.string() }).optional(),
}))

export type MailEvent = z.output<typeof MailEvent>
