import { mailReceipts } from '#correspondence/mail-receipts.ts'
import { receivedMailQueue } from '#correspondence/queues.ts'
import { bucketFiles } from '#files/bucket.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { receptionFoundation } from '#foundation/reception.ts'

const base = announcingFoundation('receive-mail')
indexWakes(base)
const { receive } = receptionFoundation(base)

/** Records the messages that the mail provider received and stored in the bucket (I2). */
export const handler = consumer(
  base,
  receivedMailQueue,
  mailReceipts({ receive, files: bucketFiles(), log: base.log }).record,
)
