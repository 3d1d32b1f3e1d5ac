import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** The resource outlives its stack. Only if the first deployment fails, its resources are removed again. */
export const kept = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE

/** Whether a stage's data and logs are deleted with their stack. */
export function removalPolicyOf({ protectData }: Stage): RemovalPolicy {
  return protectData ? kept : RemovalPolicy.DESTROY
}

/** How long a log of the stage is kept, and whether it is deleted with its stack. */
export function logRetentionOf(stage: Stage) {
  return { retention: stage.logRetentionDays, removalPolicy: removalPolicyOf(stage) }
}

/**
 * A name that is unique to this stack, even if a deleted stack had the same stack name. A resource that
 * outlives its stack under a fixed name would block the next deployment. The name is at most nine characters
 * longer than `prefix`.
 */
export function uniqueName(scope: Construct, prefix: string): string {
  const stackUuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId))
  return `${prefix}-${Fn.select(0, Fn.split('-', stackUuid))}`
}
