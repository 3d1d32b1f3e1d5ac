import { EventField, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets'
import type { Key } from 'aws-cdk-lib/aws-kms'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'

/**
 * Sends a mail at once when a key was disabled or scheduled for deletion. The data that it encrypts cannot be read
 * until it is enabled, and never again after the deletion. CloudTrail reports such a call as an event if the account
 * has a trail.
 */
export class KeyWatch extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stage, keys, topic }: { stage: string; keys: readonly Key[]; topic: Topic },
  ) {
    super(scope, id)
    const what = EventField.fromPath('$.detail.eventName')
    const key = EventField.fromPath('$.detail.requestParameters.keyId')
    const who = EventField.fromPath('$.detail.userIdentity.arn')
    new Rule(this, 'KeyInDanger', {
      description: `A key of Aktenlage ${stage} is disabled or scheduled for deletion`,
      eventPattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: ['DisableKey', 'ScheduleKeyDeletion'],
          // A refused call changed nothing.
          errorCode: Match.doesNotExist(),
          resources: { ARN: keys.map(({ keyArn }) => keyArn) },
        },
      },
      targets: [
        new SnsTopic(topic, {
          message: RuleTargetInput.fromText(
            `KeyInDanger: ${what} on the key ${key} of Aktenlage ${stage}, by ${who}. What it encrypts cannot be read until the key is enabled again. See KeyInDanger in the runbook.`,
          ),
        }),
      ],
    })
  }
}
