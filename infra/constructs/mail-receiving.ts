import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { type IReceiptRuleSet, ReceiptRule, ReceiptRuleSet, TlsPolicy } from 'aws-cdk-lib/aws-ses'
import { Topic } from 'aws-cdk-lib/aws-sns'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import {
  receiptRuleName,
  receiptRuleSetName,
  receivedPrefix,
  receivedTopicName,
  type Stage,
} from '../stage.ts'
import { deliverToQueue } from './deliver-to-queue.ts'

type Props = {
  stage: Stage
  mail: NonNullable<Stage['mail']>
  /** Where SES stores messages. */
  bucket: Bucket
  /** Encrypts topics; SES may use it. */
  topicKey: Key
  /** The queue of the notifications about messages. */
  receivedMails: Queue
}

/**
 * The path of arriving mail: SES checks for spam and viruses, stores the message in the bucket, and publishes a
 * notification with the result, which SNS sends to the queue. The stack of the bucket and the queue allows both by
 * name.
 */
export class MailReceiving extends Construct {
  constructor(scope: Construct, id: string, { stage, mail, bucket, topicKey, receivedMails }: Props) {
    super(scope, id)
    const topic = new Topic(this, 'Topic', {
      topicName: receivedTopicName(stage.name),
      masterKey: topicKey,
      enforceSSL: true,
    })
    const { policyDependable } = topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('ses.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: onlyReceiptRule(Stack.of(this), stage),
      }),
    )
    const rule = new ReceiptRule(this, 'Rule', {
      ruleSet: this.ruleSet(stage, mail.receiptRuleSet),
      receiptRuleName: receiptRuleName(stage.name),
      // All addresses of the domain, but not of its subdomains: MAIL FROM is a subdomain.
      recipients: [mail.domain],
      scanEnabled: true,
      // Otherwise courts and authorities with old servers could not reach the office.
      tlsPolicy: TlsPolicy.OPTIONAL,
      actions: [
        {
          // The CDK's own action would change the policies of the bucket's stack, from which this stack
          // imports.
          bind: () => ({
            s3Action: {
              bucketName: bucket.bucketName,
              objectKeyPrefix: receivedPrefix,
              topicArn: topic.topicArn,
            },
          }),
        },
      ],
    })
    // SES tests the topic when the rule is created.
    if (policyDependable) rule.node.addDependency(policyDependable)
    deliverToQueue(this, 'ToQueue', topic, receivedMails)
  }

  private ruleSet(stage: Stage, existing: string | undefined): IReceiptRuleSet {
    if (existing !== undefined) return ReceiptRuleSet.fromReceiptRuleSetName(this, 'RuleSet', existing)
    return new ReceiptRuleSet(this, 'RuleSet', { receiptRuleSetName: receiptRuleSetName(stage) })
  }
}

/** Limits what SES may do to the receipt rule of the stage. */
export function onlyReceiptRule(stack: Stack, stage: Stage) {
  const resource = `receipt-rule-set/${receiptRuleSetName(stage)}:receipt-rule`
  return {
    StringEquals: {
      'aws:SourceAccount': stack.account,
      'aws:SourceArn': stack.formatArn({
        service: 'ses',
        resource,
        resourceName: receiptRuleName(stage.name),
      }),
    },
  }
}
