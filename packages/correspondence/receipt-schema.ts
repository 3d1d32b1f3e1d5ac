import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'

const verdict = z.lazy(() => z.object({ status: z.string() }).optional())

/**
 * The notification of the mail provider about a message that it received and stored, as SES publishes it for an S3
 * action ("Contents of notifications for Amazon SES email receiving"). Only the fields that are used are listed.
 */
export const MailReceipt = lazyObject(() => ({
  notificationType: z.literal('Received'),
  mail: z.object({
    /** The provider's id of the message. */
    messageId: z.string().min(1),
    /** The sender of the envelope. */
    source: z.string().nullish(),
    /** When the provider accepted the message. */
    timestamp: z.iso.datetime({ offset: true }),
  }),
  receipt: z.object({
    /** The recipients of the envelope that match the receipt rule. */
    recipients: z.array(z.string()).min(1),
    spamVerdict: verdict,
    virusVerdict: verdict,
    spfVerdict: verdict,
    dkimVerdict: verdict,
    dmarcVerdict: verdict,
    action: z.object({
      type: z.literal('S3'),
      /** The key of the raw message. */
      objectKey: z.string().startsWith('received/'),
    }),
  }),
}))

export type MailReceipt = z.output<typeof MailReceipt>

/** The notification that SES publishes when a receipt rule is created. It reports no message. */
export const SetupNotification = lazyObject(() => ({
  mail: z.object({ messageId: z.literal('AMAZON_SES_SETUP_NOTIFICATION') }),
}))

export type SetupNotification = z.output<typeof SetupNotification>
