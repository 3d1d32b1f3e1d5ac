import { CfnSubscription, type Topic } from 'aws-cdk-lib/aws-sns'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'

/**
 * Delivers what is published in a topic to a queue, unchanged. The stack of the queue allows the topic by its name. The
 * subscription construct of the CDK would change that stack.
 */
export function deliverToQueue(scope: Construct, id: string, topic: Topic, queue: Queue): void {
  new CfnSubscription(scope, id, {
    topicArn: topic.topicArn,
    protocol: 'sqs',
    endpoint: queue.queueArn,
    rawMessageDelivery: true,
    redrivePolicy: { deadLetterTargetArn: queue.deadLetterQueue?.queue.queueArn },
  })
}
