import { failureOf } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Log } from '#kernel/log.ts'
import type { MailReceipt, SetupNotification } from './receipt-schema.ts'
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
 * Records the messages that the mail provider received and stored in the bucket (I2). A notification may come twice and
 * late, but each workspace that receives the message has one record of it.
 *
 * The message stays in the bucket until its records are stored. Then an empty object replaces it. It is not removed,
 * because S3 gives the same answer for a missing and for a forbidden object to a function that may not list the bucket.
 * A missing right would then look like a recorded message. A lifecycle rule removes messages and empty objects after 30
 * days.
 */
export function mailReceipts({ receive, files, log }: Deps) {
  return {
    /**
     * Records the message of a notification. A message that no workspace receives stays in the bucket.
     *
     * @throws if the message could not be recorded. The queue must deliver the notification again
     */
    async record(receipt: MailReceipt | SetupNotification): Promise<void> {
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
