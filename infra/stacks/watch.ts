import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Operation, type Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/manifest.ts'
import { pascalCase } from '../constructs/group-function.ts'
import { apiName, functionName, type Stage } from '../stage.ts'

type Watched = { stage: Stage; table: Table; functions: readonly FunctionDeclaration[] }

const everyMinute = Duration.minutes(1)
const everyFiveMinutes = Duration.minutes(5)

/** What somebody should know of, and what they look at then: alarms, whom they reach, and one dashboard. */
export class WatchStack extends Stack {
  private readonly topic: Topic

  constructor(scope: Construct, id: string, props: StackProps & Watched) {
    super(scope, id, props)
    this.topic = this.alarmTopic(props.stage)
    if (props.stage.protectData && props.stage.alarmEmail === undefined)
      Validations.of(this).addWarning(
        'AlarmsReachNobody',
        `No alarm of the stage ${props.stage.name}, whose data is protected, reaches anybody: set its alarmEmail in cdk.json before you deploy it.`,
      )
    const api = this.watchApi(props.stage)
    const functions = props.functions.map((declaration) => this.watchFunction(props.stage, declaration))
    const runs = props.functions.flatMap(({ name, everyMinutes }) =>
      everyMinutes === undefined ? [] : [this.watchRuns(props.stage, name, everyMinutes)],
    )
    const table = this.watchTable(props.table)

    new Dashboard(this, 'Dashboard', {
      dashboardName: `aktenlage-${props.stage.name}`,
      widgets: [
        [
          graph('Requests', [api.requests]),
          graph('Refused and failed', [api.refused, api.failed]),
          graph('Latency of the API (ms)', api.latencies),
        ],
        [
          graph(
            'Faults of functions',
            functions.map(({ errors }) => errors),
          ),
          graph(
            'Throttled functions',
            functions.map(({ throttles }) => throttles),
          ),
          graph(
            'Slowest runs of functions (ms)',
            functions.map(({ duration }) => duration),
          ),
        ],
        [
          graph('Capacity of the table', table.consumed),
          graph('Table throttled or failing', table.faults),
          graph('Runs of scheduled functions', runs),
        ],
      ],
    })
  }

  private watchApi(stage: Stage) {
    const metric = (metricName: string, statistic: string, label: string, period = everyMinute) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        statistic,
        label,
        period,
        dimensionsMap: { ApiName: apiName(stage.name), Stage: stage.name },
      })
    const failed = metric('5XXError', Stats.SUM, 'failed (5XX)')
    this.alarm('ApiFails', 'The API answers 5XX.', {
      metric: failed,
      threshold: 5,
      evaluationPeriods: 5,
      datapointsToAlarm: 2,
    })
    this.alarm('ApiSlow', 'One answer of a hundred takes longer than three seconds.', {
      metric: metric('Latency', Stats.p(99), 'p99', everyFiveMinutes),
      threshold: 3_000,
      evaluationPeriods: 3,
    })
    return {
      failed,
      requests: metric('Count', Stats.SUM, 'requests'),
      refused: metric('4XXError', Stats.SUM, 'refused (4XX)'),
      latencies: [50, 95, 99].map((percentile) => metric('Latency', Stats.p(percentile), `p${percentile}`)),
    }
  }

  private watchFunction(stage: Stage, { name, timeoutSeconds }: FunctionDeclaration) {
    const metric = (metricName: string, statistic: string) =>
      lambdaMetric(stage, name, metricName, statistic, everyFiveMinutes)
    const [errors, throttles, duration] = [
      metric('Errors', Stats.SUM),
      metric('Throttles', Stats.SUM),
      metric('Duration', Stats.MAXIMUM),
    ]
    const id = pascalCase(name)
    this.alarm(`${id}Errors`, `The function ${name} fails.`, {
      metric: errors,
      threshold: 1,
      evaluationPeriods: 1,
    })
    this.alarm(`${id}Throttles`, `The function ${name} is not run for want of concurrency.`, {
      metric: throttles,
      threshold: 1,
      evaluationPeriods: 1,
    })
    this.alarm(`${id}Slow`, `The function ${name} comes close to its timeout of ${timeoutSeconds} s.`, {
      metric: duration,
      threshold: timeoutSeconds * 1_000 * 0.8,
      evaluationPeriods: 2,
    })
    return { errors, throttles, duration }
  }

  /** A schedule that is switched off or may not call its function makes no error anywhere: its runs are missing. */
  private watchRuns(stage: Stage, name: string, everyMinutes: number): Metric {
    const period = Duration.minutes(Math.max(everyMinutes, 5))
    const metric = lambdaMetric(stage, name, 'Invocations', Stats.SUM, period)
    this.alarm(
      `${pascalCase(name)}Missing`,
      `${name} should run every ${everyMinutes} minutes and does not.`,
      {
        metric,
        threshold: 1,
        evaluationPeriods: 3,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      },
    )
    return metric
  }

  private watchTable(table: Table) {
    const metric = (metricName: string, label: string) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        statistic: Stats.SUM,
        label,
        period: everyFiveMinutes,
        dimensionsMap: { TableName: table.tableName },
      })
    const throttled = new MathExpression({
      expression: 'reads + writes',
      label: 'throttled',
      period: everyFiveMinutes,
      usingMetrics: {
        reads: metric('ReadThrottleEvents', 'reads'),
        writes: metric('WriteThrottleEvents', 'writes'),
      },
    })
    const failing = table.metricSystemErrorsForOperations({
      operations: usedOperations,
      period: everyFiveMinutes,
      label: 'failing',
    })
    this.alarm('TableThrottled', 'DynamoDB throttles requests to the table.', {
      metric: throttled,
      threshold: 10,
      evaluationPeriods: 2,
    })
    this.alarm('TableFailing', 'DynamoDB answers with faults of its own.', {
      metric: failing,
      threshold: 5,
      evaluationPeriods: 2,
    })
    return {
      faults: [throttled, failing],
      consumed: [
        metric('ConsumedReadCapacityUnits', 'read units'),
        metric('ConsumedWriteCapacityUnits', 'write units'),
      ],
    }
  }

  private alarm(id: string, alarmDescription: string, props: Omit<AlarmProps, 'alarmDescription'>): void {
    const alarm = new Alarm(this, id, {
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
      alarmDescription,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
  }

  private alarmTopic(stage: Stage): Topic {
    const key = new Key(this, 'TopicKey', {
      description: `Encrypts the alarms of Aktenlage ${stage.name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const topic = new Topic(this, 'Alarms', {
      displayName: `Aktenlage ${stage.name}`,
      masterKey: key,
      enforceSSL: true,
    })
    // Alarms are lost without a word unless CloudWatch may use the key (it cannot use the one AWS manages for
    // SNS) and publish: a topic with a policy of its own, here for TLS, has lost the one that allowed it.
    const cloudWatch = (actions: string[], resource: string) =>
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions,
        resources: [resource],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      })
    key.addToResourcePolicy(cloudWatch(['kms:Decrypt', 'kms:GenerateDataKey'], '*'))
    topic.addToResourcePolicy(cloudWatch(['sns:Publish'], topic.topicArn))
    if (stage.alarmEmail) topic.addSubscription(new EmailSubscription(stage.alarmEmail))
    return topic
  }
}

const usedOperations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.BATCH_WRITE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
  Operation.TRANSACT_GET_ITEMS,
]

function lambdaMetric(
  stage: Stage,
  name: string,
  metricName: string,
  statistic: string,
  period: Duration,
): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    statistic,
    label: name,
    period,
    dimensionsMap: { FunctionName: functionName(stage.name, name) },
  })
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 })
}
