import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { RemovalPolicy, type Stack } from 'aws-cdk-lib/core'
import type { Stage } from '../stage.ts'

/** The topic of all alarms, encrypted; CloudWatch may publish to it. */
export function alarmTopic(scope: Stack, stage: Stage): Topic {
  const key = new Key(scope, 'TopicKey', {
    description: `Encrypts the alarms of Aktenlage ${stage.name}`,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  })
  const topic = new Topic(scope, 'Alarms', {
    displayName: `Aktenlage ${stage.name}`,
    masterKey: key,
    enforceSSL: true,
  })
  // CloudWatch loses alarms silently unless it may publish and use the key. It cannot use the key that AWS manages
  // for SNS, and our policy for TLS replaces the topic's default policy, which allowed CloudWatch to publish.
  const cloudWatch = (actions: string[], resource: string) =>
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions,
      resources: [resource],
      conditions: { StringEquals: { 'aws:SourceAccount': scope.account } },
    })
  key.addToResourcePolicy(cloudWatch(['kms:Decrypt', 'kms:GenerateDataKey'], '*'))
  topic.addToResourcePolicy(cloudWatch(['sns:Publish'], topic.topicArn))
  if (stage.alarmEmail) topic.addSubscription(new EmailSubscription(stage.alarmEmail))
  return topic
}
