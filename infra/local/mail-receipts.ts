import { createHash, randomUUID } from 'node:crypto'
import type { SQSEvent } from 'aws-lambda'
import { localAccount, localRegion } from './aws-place.ts'

/** A received message in the bucket. */
export type ReceivedMessage = {
  /** The name that SES gives it, of letters and digits. */
  messageId: string
  receivedAt: Date
  /** The sender of the envelope; empty if there is none, as in reports about undelivered mail. */
  source: string
  /** The recipients of the envelope. */
  recipients: string[]
  bucketName: string
  objectKey: string
}

/**
 * The event that informs a function of the queue `received-mails` about a message: the notification of SES's S3 action,
 * as SNS delivers it raw. The verdicts are the same as in SES without a scan. This machine asks no DNS, so SPF accepts
 * it as a server of every envelope sender's domain; signatures and DMARC are not checked.
 */
export function receiptEvent(message: ReceivedMessage): SQSEvent {
  const body = JSON.stringify(notificationOf(message))
  const sentAt = String(message.receivedAt.getTime())
  return {
    Records: [
      {
        messageId: randomUUID(),
        receiptHandle: 'local',
        body,
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: sentAt,
          SenderId: 'local',
          ApproximateFirstReceiveTimestamp: sentAt,
        },
        messageAttributes: {},
        md5OfBody: createHash('md5').update(body).digest('hex'),
        eventSource: 'aws:sqs',
        eventSourceARN: `arn:aws:sqs:${localRegion()}:${localAccount}:received-mails`,
        awsRegion: localRegion(),
      },
    ],
  }
}

function notificationOf(message: ReceivedMessage) {
  const { messageId, receivedAt, source, recipients, bucketName, objectKey } = message
  const timestamp = receivedAt.toISOString()
  const notLooked = { status: 'DISABLED' }
  return {
    notificationType: 'Received',
    mail: {
      timestamp,
      source,
      messageId,
      destination: recipients,
      headersTruncated: true,
      headers: [],
      commonHeaders: {},
    },
    receipt: {
      timestamp,
      processingTimeMillis: 1,
      recipients,
      spamVerdict: notLooked,
      virusVerdict: notLooked,
      spfVerdict: { status: source === '' ? 'GRAY' : 'PASS' },
      dkimVerdict: notLooked,
      dmarcVerdict: notLooked,
      action: {
        type: 'S3',
        topicArn: `arn:aws:sns:${localRegion()}:${localAccount}:aktenlage-local-received-mails`,
        bucketName,
        objectKeyPrefix: objectKey.slice(0, objectKey.lastIndexOf('/') + 1),
        objectKey,
      },
    },
  }
}
