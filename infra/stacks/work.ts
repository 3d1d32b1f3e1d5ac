import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/manifest.ts'
import { type FunctionWorld, GroupFunction, pascalCase } from '../constructs/group-function.ts'

/** Work in the background: the functions that run on a schedule. */
export class WorkStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & FunctionWorld & { functions: readonly FunctionDeclaration[] },
  ) {
    super(scope, id, props)
    for (const declaration of props.functions) this.addScheduled(declaration, props)
  }

  private addScheduled(declaration: FunctionDeclaration, world: FunctionWorld): void {
    if (declaration.everyMinutes === undefined) return
    new Rule(this, `${pascalCase(declaration.name)}Schedule`, {
      description: `Runs ${declaration.name}`,
      schedule: Schedule.rate(Duration.minutes(declaration.everyMinutes)),
      targets: [
        new LambdaFunction(new GroupFunction(this, declaration, world, onlyOnTime), {
          ...onlyOnTime,
          event: RuleTargetInput.fromObject({}),
        }),
      ],
    })
  }
}

/**
 * A run that failed or came too late is not repeated, and nothing of it is kept: the next one does its work, and
 * the alarms on errors and on missing runs tell of it.
 */
const onlyOnTime = { retryAttempts: 0, maxEventAge: Duration.minutes(1) }
