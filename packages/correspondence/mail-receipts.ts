import { failureOf } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Log } from '#kernel/log.ts'
import type { MailReceipt, TrialReceipt } from './receipt-schema.ts'
import type { Reception } from './reception.ts'
import type { ReceptionFiles } from './reception-ports.ts'
import { verdictsOf } from './verdicts.ts'

type Deps = {
  receive: Reception['receive']
  files: Pick<ReceptionFiles, 'put'> & {
    head: (key: string) => Promise<{ sizeBytes: number; etag: string } | undefined>
  }
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Records the messages that the mail provider received and stored in the bucket (I2). A receipt may come twice and
 * late: its message is one record in each workspace that it goes to.
 *
 * The message stays in the bucket until its records are durable; then an empty object takes its place. It is not
 * removed, because a function that may not list the bucket gets the same answer from S3 for a missing object and for a
 * forbidden one. A lost right would then look like a message that is recorded. A lifecycle rule removes both after 30
 * days.
 */
export function mailReceipts({ receive, files, log }: Deps) {
  return {
    /**
     * Records the message of a receipt. A message that no workspace receives stays in the bucket as it is.
     *
     * @throws if it is not recorded: it must be retried
     */
    async record(receipt: MailReceipt | TrialReceipt): Promise<void> {
      if (!('receipt' in receipt)) return log.info('setup notification of the mail provider')
      const { mail } = receipt
      const { recipients, action } = receipt.receipt
      const key = action.objectKey
      const object = await files.head(key)
      if (object === undefined)
        throw new Error(`The message ${key} is not in the bucket, or may not be read.`)
      if (object.sizeBytes === 0) return log.info('mail was recorded before', { key })
      try {
        await receive({
          raw: { key, etag: object.etag },
          recipients,
          received_at: new Date(mail.timestamp),
          checks: {
            verdicts: verdictsOf(receipt),
            envelope_from: mail.source ?? null,
            authserv_id: 'amazonses.com',
          },
          token: null,
          delivery: mail.messageId,
        })
      } catch (error) {
        if (failureOf(error)?.code !== 'RECIPIENT_UNKNOWN') throw error
        return log.warn('mail that no workspace receives is kept for 30 days', { key })
      }
      await files.put(key, new Uint8Array(), { mimeType: 'message/rfc822', sha256: hexDigest('') })
    },
  }
}
