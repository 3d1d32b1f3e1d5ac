import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { MailEvent } from './event-schema.ts'
import { MailReceipt, SetupNotification } from './receipt-schema.ts'

/** The provider's events about sent mail. */
export const mailEventQueue = defineQueue({
  queue: 'mail-events',
  payload: MailEvent,
  // SES publishes this text when the destination for its events is created.
  notices: ['Successfully validated SNS topic for Amazon SES event publishing.'],
})

/** The provider's notifications about messages that it received and stored in the bucket. */
export const receivedMailQueue = defineQueue({
  queue: 'received-mails',
  payload: z.lazy(() => z.union([MailReceipt, SetupNotification])),
})
