import { mailReceipts } from '#correspondence/mail-receipts.ts'
import { receivedMailQueue } from '#correspondence/queues.ts'
import { bucketFiles } from '#files/bucket.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { receptionFoundation } from '#foundation/reception.ts'
import { consume } from '#jobs/consume.ts'
import { messageHider } from '#queue/sqs.ts'

const base = announcingFoundation('receive-mail')
indexWakes(base)
const { receive } = receptionFoundation(base)

/** Records the messages that the mail provider received and stored in the bucket (I2). */
export const handler = consume(receivedMailQueue, {
  work: mailReceipts({ receive, files: bucketFiles(), log: base.log }).record,
  hide: messageHider(receivedMailQueue),
  log: base.log,
})
