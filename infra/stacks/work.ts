import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { queues } from '#functions/queues.ts'
import type { FunctionProps } from '../constructs/function-rights.ts'
import { GroupFunction } from '../constructs/group-function.ts'
import { Releases } from '../constructs/releases.ts'
import { pascalCase } from '../pascal-case.ts'
import type { Stage } from '../stage.ts'

/** The background functions, which run on a schedule or consume a queue. */
export class WorkStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & FunctionProps & { functions: readonly FunctionDeclaration[] },
  ) {
    super(scope, id, props)
    const unknown = Object.keys(props.stage.workersOfQueues).filter((name) => !(name in queues))
    if (unknown.length > 0)
      throw new Error(
        `workersOfQueues names ${unknown.join(', ')}: the queues are ${Object.keys(queues).join(', ')}.`,
      )
    const releases = new Releases(this, 'Releases', props.stage)
    for (const declaration of props.functions) {
      this.addScheduled(declaration, props, releases)
      this.addConsumer(declaration, props, releases)
    }
  }

  private addConsumer(declaration: FunctionDeclaration, props: FunctionProps, releases: Releases): void {
    if (declaration.consumes === undefined) return
    const { queue } = declaration.consumes
    const maxConcurrency = props.stage.workersOfQueues[queue] ?? workersOf(declaration.consumes, props.stage)
    releases.live(new GroupFunction(this, declaration, props), declaration).addEventSource(
      new SqsEventSource(props.queues[queue], {
        batchSize: 1,
        reportBatchItemFailures: true,
        maxConcurrency,
      }),
    )
  }

  private addScheduled(declaration: FunctionDeclaration, props: FunctionProps, releases: Releases): void {
    if (declaration.everyMinutes === undefined) return
    const target = releases.live(new GroupFunction(this, declaration, props), declaration, withoutRetry)
    new Rule(this, `${pascalCase(declaration.name)}Schedule`, {
      description: `Runs ${declaration.name}`,
      schedule: Schedule.rate(Duration.minutes(declaration.everyMinutes)),
      targets: [new LambdaFunction(target, { ...withoutRetry, event: RuleTargetInput.fromObject({}) })],
    })
  }
}

/** SQS allows at most a thousand concurrent calls of a function. */
const maxWorkers = 1_000

/** The number of messages of a queue that are processed at once, unless the stage sets it. */
function workersOf(
  { maxConcurrency, share = 0 }: NonNullable<FunctionDeclaration['consumes']>,
  { concurrency = 0 }: Stage,
): number {
  return Math.min(maxWorkers, Math.max(maxConcurrency, Math.floor(concurrency * share)))
}

/**
 * A scheduled run that fails or starts too late is not repeated: the next run does its work. Alarms report errors and
 * missing runs.
 */
const withoutRetry = { retryAttempts: 0, maxEventAge: Duration.minutes(1) }
