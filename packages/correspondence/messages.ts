import { defineMessage } from '#jobs/job.ts'
import { MailEvent } from './event-schema.ts'

/** What became of mail that was sent: the provider's events. */
export const mailEvents = defineMessage({ queue: 'mail-events', payload: MailEvent })
