import { LogGroup, type LogGroupProps } from 'aws-cdk-lib/aws-logs'
import type { CfnResource, CustomResourceProviderBase, Stack } from 'aws-cdk-lib/core'

/** The CDK's function that empties a bucket before CloudFormation deletes it: one for all buckets of a stack. */
const providerId = 'Custom::S3AutoDeleteObjectsCustomResourceProvider'

/**
 * Gives the function that empties the buckets of a stack a log that is deleted with the stack. Otherwise Lambda would
 * create a log when the stack is deleted, and keep it for ever. So the function may write into this log but create
 * none.
 *
 * @throws Error if the stack has no such function
 */
export function addEmptyingLog(
  stack: Stack,
  props: Pick<LogGroupProps, 'retention' | 'removalPolicy'>,
): void {
  const provider = stack.node.findChild(providerId) as CustomResourceProviderBase
  const [role, handler] = ['Role', 'Handler'].map((id) => provider.node.findChild(id) as CfnResource)
  const log = new LogGroup(stack, 'EmptyingLog', props)
  handler?.addPropertyOverride('LoggingConfig', { LogGroup: log.logGroupName })
  role?.addPropertyDeletionOverride('ManagedPolicyArns')
  provider.addToRolePolicy({
    Effect: 'Allow',
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Resource: log.logGroupArn,
  })
}
