import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { CnameRecord, HostedZone, MxRecord, TxtRecord } from 'aws-cdk-lib/aws-route53'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import {
  CloudWatchDimensionSource,
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  DkimIdentity,
  EasyDkimSigningKeyLength,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  MailFromBehaviorOnMxFailure,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { deliverToQueue } from '../constructs/deliver-to-queue.ts'
import { MailReceiving } from '../constructs/mail-receiving.ts'
import { mailConfigurationSetName, mailTopicName, type Stage } from '../stage.ts'

type MailSettings = NonNullable<Stage['mail']>

/**
 * The mail of a stage: its domain in SES, sending and receiving for this domain, the reports of SES, and DNS.
 */
export class MailStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & {
      stage: Stage
      mail: MailSettings
      bucket: Bucket
      events: Queue
      receivedMails: Queue
    },
  ) {
    super(scope, id, props)
    const { stage, mail, bucket, events, receivedMails } = props
    const topicKey = this.makeTopicKey(stage)
    const configurationSet = this.makeConfigurationSet(stage)
    this.publishEvents(configurationSet, { stage, topicKey, events })
    const mailFromDomain = `${mail.mailFromSubdomain}.${mail.domain}`
    const identity = new EmailIdentity(this, 'Identity', {
      identity: Identity.domain(mail.domain),
      // A call that names no configuration set uses this one, so no mail is sent without its rules and events.
      configurationSet,
      dkimIdentity: DkimIdentity.easyDkim(EasyDkimSigningKeyLength.RSA_2048_BIT),
      mailFromDomain,
      // A fault in the DNS stops no mail: SES then uses its own envelope domain. SPF no longer matches the sender's
      // domain, but DKIM does, and DMARC requires one of the two.
      mailFromBehaviorOnMxFailure: MailFromBehaviorOnMxFailure.USE_DEFAULT_VALUE,
      // Otherwise bounces would also be mailed to the sender, and so reach the inbox of the workspace.
      feedbackForwarding: false,
    })
    if (mail.receivedBy === 'ses')
      new MailReceiving(this, 'Receiving', { stage, mail, bucket, topicKey, receivedMails })
    const records = recordsOf(mail, mailFromDomain, stage.region, identity)
    if (mail.hostedZone) this.addRecords(mail.hostedZone, records)
    else this.showRecords(records)
  }

  private makeConfigurationSet(stage: Stage): ConfigurationSet {
    return new ConfigurationSet(this, 'ConfigurationSet', {
      configurationSetName: mailConfigurationSetName(stage.name),
      // Mails of a law firm are confidential: they are not delivered to a server without TLS. A bounce informs the
      // sender.
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    })
  }

  private publishEvents(
    configurationSet: ConfigurationSet,
    { stage, topicKey, events }: { stage: Stage; topicKey: Key; events: Queue },
  ): void {
    const topic = new Topic(this, 'Events', {
      topicName: mailTopicName(stage.name),
      masterKey: topicKey,
      enforceSSL: true,
    })
    configurationSet.addEventDestination('Events', {
      configurationSetEventDestinationName: 'events',
      destination: EventDestination.snsTopic(topic),
      events: [
        EmailSendingEvent.SEND,
        EmailSendingEvent.DELIVERY,
        EmailSendingEvent.DELIVERY_DELAY,
        EmailSendingEvent.BOUNCE,
        EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.REJECT,
        EmailSendingEvent.RENDERING_FAILURE,
      ],
    })
    configurationSet.addEventDestination('Metrics', {
      configurationSetEventDestinationName: 'metrics',
      destination: EventDestination.cloudWatchDimensions([
        {
          name: configurationSetDimension,
          source: CloudWatchDimensionSource.MESSAGE_TAG,
          defaultValue: mailConfigurationSetName(stage.name),
        },
      ]),
      // Each kind of event is a metric that costs money; the alarms need these two.
      events: [EmailSendingEvent.SEND, EmailSendingEvent.REJECT],
    })
    deliverToQueue(this, 'EventsToQueue', topic, events)
  }

  private makeTopicKey(stage: Stage): Key {
    const key = new Key(this, 'TopicKey', {
      description: `Encrypts what SES publishes for Aktenlage ${stage.name} in SNS`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // If SES may not use the key, it drops events without an error. AWS documents this statement without a condition; the
    // policies of the topics admit only this account's configuration set and receipt rule.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('ses.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
      }),
    )
    return key
  }

  private addRecords(hostedZone: NonNullable<MailSettings['hostedZone']>, records: DnsRecord[]): void {
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: hostedZone.id,
      zoneName: hostedZone.name,
    })
    for (const { id, type, name, value } of records) {
      const at = { zone, recordName: `${name}.` }
      if (type === 'CNAME') new CnameRecord(this, id, { ...at, domainName: value })
      if (type === 'TXT') new TxtRecord(this, id, { ...at, values: [value] })
      if (type === 'MX') new MxRecord(this, id, { ...at, values: [{ priority, hostName: value }] })
    }
  }

  private showRecords(records: DnsRecord[]): void {
    for (const { id, type, name, value } of records) {
      const shown = { CNAME: value, MX: `${priority} ${value}`, TXT: `"${value}"` }[type]
      new CfnOutput(this, id, { value: `${name} ${type} ${shown}` })
    }
  }
}

/** The dimension of the metrics of a configuration set. SES tags every message with it. */
export const configurationSetDimension = 'ses:configuration-set'

/** A DNS record. `name` is the full name, without the dot at its end. */
type DnsRecord = { id: string; type: 'CNAME' | 'MX' | 'TXT'; name: string; value: string }

/** The priority of the one mail server of a domain. */
const priority = 10

/**
 * The DNS records of the mail domain: DKIM and MAIL FROM, which SES requires; DMARC, by which receivers treat failing
 * mail as spam; and the domain's mail server, if SES receives the mail.
 */
function recordsOf(
  { domain, receivedBy }: MailSettings,
  mailFromDomain: string,
  region: string,
  identity: EmailIdentity,
): DnsRecord[] {
  const dkim = identity.dkimRecords.map(
    ({ name, value }, index): DnsRecord => ({ id: `Dkim${index + 1}`, type: 'CNAME', name, value }),
  )
  const mx: DnsRecord = { id: 'Mx', type: 'MX', name: domain, value: `inbound-smtp.${region}.amazonaws.com` }
  return [
    ...dkim,
    ...(receivedBy === 'ses' ? [mx] : []),
    { id: 'MailFromMx', type: 'MX', name: mailFromDomain, value: `feedback-smtp.${region}.amazonses.com` },
    { id: 'MailFromSpf', type: 'TXT', name: mailFromDomain, value: 'v=spf1 include:amazonses.com ~all' },
    { id: 'Dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=quarantine' },
  ]
}
