import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { hexDigest } from '#kernel/hex-digest.ts'
import { localAccount, localRegion } from '../aws-place.ts'
import type { MailEnvelope } from '../mail-folder.ts'

/** An event as SES publishes it: `eventType`, `mail`, and an object with the name of the type. */
type MailEvent = RecipientEvent & { mail: object }

type RecipientEvent = { eventType: string } & Record<string, unknown>

/**
 * The events that SES would emit for a message, oldest first: Send, then for each recipient Delivery. A recipient whose
 * local part begins with `bounce+` bounces, with `delay+` is delayed, with `complaint+` complains after the delivery.
 * The same message always has the same events.
 */
export function mailEventsOf(envelope: MailEnvelope): MailEvent[] {
  if (envelope.configuration_set === null) return []
  const mail = mailOf(envelope)
  return [
    { eventType: 'Send', mail, send: {} },
    ...[...new Set(envelope.destinations)].flatMap((recipient) =>
      recipientEvents(envelope, recipient).map((event) => ({ ...event, mail })),
    ),
  ]
}

/**
 * Puts an event into the queue that `MAIL_EVENTS_QUEUE_URL` names, as SES does through SNS with raw message delivery.
 *
 * @throws the error of SQS
 */
export function mailEventQueue(): { enqueue: (event: MailEvent) => Promise<void>; close: () => void } {
  const client = new SQSClient({
    maxAttempts: 3,
    useQueueUrlAsEndpoint: false,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    }),
  })
  return {
    enqueue: async (event) => {
      const url = process.env.MAIL_EVENTS_QUEUE_URL
      if (!url)
        throw new Error('MAIL_EVENTS_QUEUE_URL is not set: it is the address of the queue mail-events.')
      await client.send(
        new SendMessageCommand({ QueueUrl: url, MessageBody: escaped(JSON.stringify(event)) }),
      )
    },
    close: () => client.destroy(),
  }
}

/** Unlike SQS, the local SQS refuses characters beyond U+FFFF, such as emoji. In JSON they can be escaped. */
function escaped(json: string): string {
  return json.replaceAll(/[\ud800-\udfff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
}

function mailOf(envelope: MailEnvelope): object {
  const domain = envelope.source.slice(envelope.source.lastIndexOf('@') + 1)
  return {
    timestamp: envelope.accepted_at,
    source: envelope.source,
    sourceArn: `arn:aws:ses:${localRegion()}:${localAccount}:identity/${domain}`,
    sendingAccountId: localAccount,
    messageId: envelope.message_id,
    destination: envelope.destinations,
    headersTruncated: envelope.headers_truncated,
    headers: envelope.headers,
    commonHeaders: {
      from: envelope.from,
      ...(envelope.date !== null && { date: envelope.date }),
      ...(envelope.to.length > 0 && { to: envelope.to }),
      ...(envelope.cc.length > 0 && { cc: envelope.cc }),
      messageId: envelope.header_message_id ?? envelope.message_id,
      subject: envelope.subject,
    },
    tags: {
      'ses:operation': ['SendRawEmail'],
      'ses:configuration-set': [envelope.configuration_set],
      'ses:source-ip': ['127.0.0.1'],
      'ses:from-domain': [domain],
      'ses:caller-identity': ['local'],
      ...Object.fromEntries(Object.entries(envelope.tags).map(([name, value]) => [name, [value]])),
    },
  }
}

function recipientEvents(envelope: MailEnvelope, recipient: string): RecipientEvent[] {
  const after = (milliseconds: number) =>
    new Date(Date.parse(envelope.accepted_at) + milliseconds).toISOString()
  const feedbackId = hexDigest(`${envelope.message_id} ${recipient}`).slice(0, 60)
  const reportingMTA = `a1.smtp-out.${localRegion()}.amazonses.com`
  if (/^bounce\+/i.test(recipient)) {
    const bouncedRecipients = [
      {
        emailAddress: recipient,
        action: 'failed',
        status: '5.1.1',
        diagnosticCode: 'smtp; 550 5.1.1 user unknown',
      },
    ]
    const bounce = {
      feedbackId,
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients,
      timestamp: after(processingMilliseconds),
      reportingMTA: `dns; ${reportingMTA}`,
    }
    return [{ eventType: 'Bounce', bounce }]
  }
  if (/^delay\+/i.test(recipient)) {
    const deliveryDelay = {
      timestamp: after(processingMilliseconds),
      delayType: 'TransientCommunicationFailure',
      expirationTime: after(14 * 3_600_000),
      delayedRecipients: [
        {
          emailAddress: recipient,
          status: '4.4.1',
          diagnosticCode: 'smtp; 421 4.4.1 Unable to connect to remote host',
        },
      ],
    }
    return [{ eventType: 'DeliveryDelay', deliveryDelay }]
  }
  const delivery = {
    timestamp: after(processingMilliseconds),
    processingTimeMillis: processingMilliseconds,
    recipients: [recipient],
    smtpResponse: '250 2.6.0 Message received',
    remoteMtaIp: '127.0.0.1',
    reportingMTA,
  }
  const delivered = { eventType: 'Delivery', delivery }
  if (!/^complaint\+/i.test(recipient)) return [delivered]
  const complaint = {
    complainedRecipients: [{ emailAddress: recipient }],
    timestamp: after(2 * processingMilliseconds),
    feedbackId,
    userAgent: 'Local SES',
    complaintFeedbackType: 'abuse',
    arrivalDate: after(2 * processingMilliseconds),
  }
  return [delivered, { eventType: 'Complaint', complaint }]
}

const processingMilliseconds = 500
