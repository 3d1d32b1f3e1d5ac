import { Fn, RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { Stage } from './stage.ts'

/** Outlives its stack, unless the stack never stood: what a failed first deployment has made goes again. */
export const kept = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE

/** What becomes of a stage's data and logs with their stack. */
export function removalPolicyOf({ protectData }: Stage): RemovalPolicy {
  return protectData ? kept : RemovalPolicy.DESTROY
}

/** How long a log of the stage is kept, and what becomes of it with its stack. */
export function logRetentionOf(stage: Stage) {
  return { retention: stage.logRetentionDays, removalPolicy: removalPolicyOf(stage) }
}

/**
 * A name that no other stack has, not even one of the same name that was deleted: a resource that outlives its stack under a
 * fixed name would block the next deployment. At most nine characters longer than `prefix`.
 */
export function uniqueName(scope: Construct, prefix: string): string {
  const stackUuid = Fn.select(2, Fn.split('/', Stack.of(scope).stackId))
  return `${prefix}-${Fn.select(0, Fn.split('-', stackUuid))}`
}
