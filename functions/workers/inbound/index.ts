import { foundation } from '#foundation/foundation.ts'
import { arrivals } from '#inbox/arrival-schema.ts'
import { arrivalProcessing } from '#inbox/arrivals.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider } from '#queue/sqs.ts'

const base = foundation('inbound')

const later = async ({ id }: { id: string }) => base.log.info('arrived', { id })

/** Reads the mail that arrived, and judges mail and documents (I3, I5). */
export const handler = consume(arrivals, {
  work: arrivalProcessing({ mail: later, document: later }),
  hide: messageHider(arrivals),
  log: base.log,
})
