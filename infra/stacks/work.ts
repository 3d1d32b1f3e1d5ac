import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/manifest.ts'
import { type FunctionWorld, GroupFunction, pascalCase } from '../constructs/group-function.ts'
import { deadLetterQueueName } from '../stage.ts'

/** Work in the background: the functions that run on a schedule or work on a queue, and what becomes of runs that fail. */
export class WorkStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & FunctionWorld & { functions: readonly FunctionDeclaration[] },
  ) {
    super(scope, id, props)
    for (const declaration of props.functions) {
      this.addScheduled(declaration, props)
      this.addConsumer(declaration, props)
    }
  }

  private addConsumer(declaration: FunctionDeclaration, world: FunctionWorld): void {
    if (declaration.consumes === undefined) return
    const { queue, atOnce } = declaration.consumes
    new GroupFunction(this, declaration, world).addEventSource(
      new SqsEventSource(world.queues[queue], {
        batchSize: 1,
        reportBatchItemFailures: true,
        maxConcurrency: atOnce,
      }),
    )
  }

  private addScheduled(declaration: FunctionDeclaration, world: FunctionWorld): void {
    if (declaration.everyMinutes === undefined) return
    const name = pascalCase(declaration.name)
    const deadLetterQueue = new Queue(this, `${name}Failed`, {
      queueName: deadLetterQueueName(world.stage.name, declaration.name),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    })
    // The next run does the same work: after a quarter of an hour an old one is of no more use.
    const patience = { retryAttempts: 2, maxEventAge: Duration.minutes(15), deadLetterQueue }
    new Rule(this, `${name}Schedule`, {
      description: `Runs ${declaration.name}`,
      schedule: Schedule.rate(Duration.minutes(declaration.everyMinutes)),
      targets: [
        new LambdaFunction(new GroupFunction(this, declaration, world, patience), {
          ...patience,
          event: RuleTargetInput.fromObject({}),
        }),
      ],
    })
  }
}
