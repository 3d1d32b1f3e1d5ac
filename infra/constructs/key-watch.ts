import { EventField, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets'
import type { Key } from 'aws-cdk-lib/aws-kms'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'

/**
 * Tells at once that a key was disabled or is to be deleted: what it encrypts cannot be read from then on, and after the deletion
 * never again. CloudTrail reports such a call as an event where the account has a trail.
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
          // A call that was refused changed nothing.
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
