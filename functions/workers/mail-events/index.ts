import { delivery } from '#correspondence/delivery.ts'
import { mailEventQueue } from '#correspondence/queues.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { mailReportFoundation } from '#foundation/mail-reports.ts'
import { signingFoundation } from '#foundation/signing.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'

const base = announcingFoundation('mail-events')
indexWakes(base)
const store = correspondenceStore({ ...base, providerDomain: messageIdDomain() })
mailReportFoundation(base, { mails: store, envelopes: signingFoundation(base).store })

/** Records the mail provider's reports about sent mail. */
export const handler = consumer(base, mailEventQueue, delivery({ store, log: base.log }).record)
