import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { MailEvent } from './event-schema.ts'
import { MailReceipt, TrialReceipt } from './receipt-schema.ts'

/** The provider's events about sent mail. */
export const mailEventQueue = defineQueue({
  queue: 'mail-events',
  payload: MailEvent,
  // SES publishes this text when the destination of its events is made.
  notices: ['Successfully validated SNS topic for Amazon SES event publishing.'],
})

/** Messages that the provider received and stored in the bucket: its receipts. */
export const receivedMailQueue = defineQueue({
  queue: 'received-mails',
  payload: z.lazy(() => z.union([MailReceipt, TrialReceipt])),
})
