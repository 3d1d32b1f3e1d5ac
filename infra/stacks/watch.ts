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
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb'
import type { Key } from 'aws-cdk-lib/aws-kms'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration, LogAlarm } from '#functions/declaration.ts'
import type { QueueSettings, Queues } from '#functions/queues.ts'
import { alarmTopic } from '../constructs/alarm-topic.ts'
import { answerTimeMetric, layoutAlarm } from '../constructs/group-function.ts'
import { KeyWatch } from '../constructs/key-watch.ts'
import { vaultNameOf } from '../constructs/nightly-backup.ts'
import { pascalCase } from '../pascal-case.ts'
import {
  apiName,
  deadLetterQueueName,
  functionName,
  logMetricNamespace,
  mailConfigurationSetName,
  mailTopicName,
  queueName,
  type Stage,
} from '../stage.ts'
import { configurationSetDimension } from './mail.ts'

type WatchProps = {
  stage: Stage
  table: ITable
  keys: readonly Key[]
  functions: readonly FunctionDeclaration[]
  queues: Queues
}

const everyMinute = Duration.minutes(1)
const everyFiveMinutes = Duration.minutes(5)
const everyHour = Duration.hours(1)

/** The settings of an alarm that goes off if the metric is below its threshold or missing. */
const ifTooFew = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.BREACHING,
}

/** The alarms, the topic that sends them, and one dashboard. */
export class WatchStack extends Stack {
  private readonly topic: Topic

  constructor(scope: Construct, id: string, props: StackProps & WatchProps) {
    super(scope, id, props)
    this.topic = alarmTopic(this, props.stage)
    const api = this.watchApi(props.stage)
    const functions = props.functions.map((declaration) => this.watchFunction(props.stage, declaration))
    for (const { alarms = [] } of props.functions) for (const one of alarms) this.watchLines(props.stage, one)
    this.watchLines(props.stage, layoutAlarm)
    const runs = props.functions.flatMap(({ name, everyMinutes }) =>
      everyMinutes === undefined ? [] : [this.watchRuns(props.stage, name, everyMinutes)],
    )
    const queued = Object.entries(props.queues).map(([name, settings]) =>
      this.watchQueue(props.stage, name, settings),
    )
    const table = this.watchTable(props.table)
    const mail = props.stage.mail && this.watchMail(props.stage)
    if (props.stage.backupVaultArn !== undefined) this.watchBackup(props.stage.backupVaultArn)
    new KeyWatch(this, 'KeyWatch', { stage: props.stage.name, keys: props.keys, topic: this.topic })

    new Dashboard(this, 'Dashboard', {
      dashboardName: `aktenlage-${props.stage.name}`,
      widgets: [
        [
          graph('Requests', [api.requests]),
          graph('Refused and failed', [api.refused, api.failed]),
          graph('Latency of the API (ms)', api.latencies),
        ],
        [
          graphOfEach('Faults of functions', functions, ({ errors }) => errors),
          graphOfEach('Throttled functions', functions, ({ throttles }) => throttles),
          graphOfEach('Slowest runs of functions (ms)', functions, ({ duration }) => duration),
        ],
        [
          graph('Capacity of the table', table.consumed),
          graph('Table throttled or failing', table.faults),
          graph('Runs of scheduled functions', runs),
          graphOfEach('Messages in dead-letter queues', queued, ({ failed }) => failed),
        ],
        [
          graphOfEach('Messages waiting', queued, ({ waiting }) => waiting),
          graphOfEach('Longest wait of a message (s)', queued, ({ age }) => age),
        ],
        ...(mail ? [[graph('Mails', mail.counts), graph('Reputation of the account', mail.rates)]] : []),
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
    this.alarm('ApiFails', 'The API answers 5XX.', { metric: failed })
    const answerTime = new Metric({
      namespace: logMetricNamespace(stage.name),
      metricName: answerTimeMetric,
      statistic: Stats.p(99),
      period: everyFiveMinutes,
    })
    this.alarm(
      'ApiSlow',
      'One answer of a hundred takes longer than three seconds. Streamed answers and answers that wait for another service do not count.',
      { metric: answerTime, threshold: 3_000, evaluationPeriods: 3 },
    )
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
    this.alarm(
      `${id}Errors`,
      `The function ${name} crashes, runs out of time or memory, or fails in a scheduled run.`,
      { metric: errors },
    )
    this.alarm(`${id}Throttles`, `Lambda throttles the function ${name}.`, { metric: throttles })
    this.alarm(
      `${id}Slow`,
      `The function ${name} needs more than 80 % of its time limit of ${timeoutSeconds} s.`,
      { metric: duration, threshold: timeoutSeconds * 1_000 * 0.8, evaluationPeriods: 2 },
    )
    return { errors, throttles, duration }
  }

  /** An alarm for a log line: for each hour in which the line appears, or while the number in it exceeds its limit. */
  private watchLines(stage: Stage, { metric: metricName, says, above }: LogAlarm): void {
    const metric = new Metric({
      namespace: logMetricNamespace(stage.name),
      metricName,
      statistic: above ? Stats.MAXIMUM : Stats.SUM,
      period: above ? everyFiveMinutes : everyHour,
    })
    const limit = above && {
      threshold: above.limit,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    }
    this.alarm(metricName, says, { metric, ...limit })
  }

  /** An alarm for missing runs. A schedule that is disabled, or may not call its function, causes no error. */
  private watchRuns(stage: Stage, name: string, everyMinutes: number): Metric {
    const period = Duration.minutes(Math.max(everyMinutes, 5))
    const metric = lambdaMetric(stage, name, 'Invocations', Stats.SUM, period)
    this.alarm(
      `${pascalCase(name)}Missing`,
      `The function ${name} does not run every ${everyMinutes} minutes as scheduled.`,
      { metric, evaluationPeriods: 3, ...ifTooFew },
    )
    return metric
  }

  /** Alarms for a message in the dead-letter queue and for one that waits too long. */
  private watchQueue(stage: Stage, name: string, { longestWaitSeconds = 3_600 }: QueueSettings) {
    const metric = (queue: string, metricName: string) =>
      new Metric({
        namespace: 'AWS/SQS',
        metricName,
        statistic: Stats.MAXIMUM,
        label: name,
        period: everyFiveMinutes,
        dimensionsMap: { QueueName: queue },
      })
    const visible = 'ApproximateNumberOfMessagesVisible'
    const failed = metric(deadLetterQueueName(stage.name, name), visible)
    const age = metric(queueName(stage.name, name), 'ApproximateAgeOfOldestMessage')
    this.alarm(
      `${pascalCase(name)}Failed`,
      `Messages of the queue ${name} are in its dead-letter queue: redrive them when the cause is gone.`,
      { metric: failed },
    )
    this.alarm(
      `${pascalCase(name)}Waits`,
      `Messages of the queue ${name} wait longer than ${longestWaitSeconds / 60} minutes.`,
      { metric: age, threshold: longestWaitSeconds, evaluationPeriods: 2 },
    )
    return { failed, age, waiting: metric(queueName(stage.name, name), visible) }
  }

  private watchTable(table: ITable) {
    const metric = (metricName: string, label: string, dimensions: Record<string, string> = {}) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        statistic: Stats.SUM,
        label,
        period: everyFiveMinutes,
        dimensionsMap: { TableName: table.tableName, ...dimensions },
      })
    const throttled = sumOf('throttled', {
      reads: metric('ReadThrottleEvents', 'reads'),
      writes: metric('WriteThrottleEvents', 'writes'),
    })
    const failing = sumOf(
      'failing',
      Object.fromEntries(
        usedOperations.map((operation) => [
          operation.toLowerCase(),
          metric('SystemErrors', operation, { Operation: operation }),
        ]),
      ),
    )
    this.alarm('TableThrottled', 'DynamoDB throttles requests to the table.', {
      metric: throttled,
      threshold: 10,
      evaluationPeriods: 2,
    })
    this.alarm('TableFailing', 'DynamoDB answers with server errors.', {
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

  /**
   * An alarm for missing copies: a backup that fails or does not start is not copied. It waits two days, since one copy
   * may take longer than the copy of the day before.
   */
  private watchBackup(vaultArn: string): void {
    this.alarm(
      'BackupMissing',
      'No copy of the table or of the bucket reached the other account for two days.',
      {
        metric: new Metric({
          namespace: 'AWS/Backup',
          metricName: 'NumberOfCopyJobsCompleted',
          statistic: Stats.SUM,
          period: Duration.days(1),
          dimensionsMap: { BackupVaultName: vaultNameOf(vaultArn) },
        }),
        threshold: 2,
        evaluationPeriods: 2,
        ...ifTooFew,
      },
    )
  }

  /**
   * Alarms that go off before SES pauses the account, which it does at 5 % bounces and 0.1 % complaints. Others go
   * off for mails that SES rejects or does not report on. Both rates are for the whole account: SES computes them
   * from its last mails.
   */
  private watchMail(stage: Stage) {
    const rate = (metricName: string, label: string) =>
      new Metric({ namespace: 'AWS/SES', metricName, statistic: Stats.AVERAGE, label, period: everyHour })
    const count = (metricName: string, label: string) =>
      new Metric({
        namespace: 'AWS/SES',
        metricName,
        statistic: Stats.SUM,
        label,
        period: everyHour,
        dimensionsMap: { [configurationSetDimension]: mailConfigurationSetName(stage.name) },
      })
    const bounces = rate('Reputation.BounceRate', 'bounces')
    const complaints = rate('Reputation.ComplaintRate', 'complaints')
    const [sent, rejected] = [count('Send', 'sent'), count('Reject', 'rejected')]
    const untilTheNextMails = { treatMissingData: TreatMissingData.IGNORE }
    this.alarm('MailBounces', 'Three of a hundred mails bounce: at five, SES pauses the account.', {
      ...untilTheNextMails,
      metric: bounces,
      threshold: 0.03,
    })
    this.alarm(
      'MailComplaints',
      'Recipients report 5 of 10 000 mails as spam: at 10, SES pauses the account.',
      { ...untilTheNextMails, metric: complaints, threshold: 0.0005 },
    )
    this.alarm('MailRejected', 'SES accepted a mail but did not send it, because it contains a virus.', {
      metric: rejected,
    })
    const published = new Metric({
      namespace: 'AWS/SNS',
      metricName: 'NumberOfMessagesPublished',
      statistic: Stats.SUM,
      period: everyHour,
      dimensionsMap: { TopicName: mailTopicName(stage.name) },
    })
    this.alarm('MailEventsMissing', 'SES sends mails but publishes no events about them.', {
      metric: new MathExpression({
        expression: 'IF(FILL(sent, 0) > 0 AND FILL(published, 0) == 0, 1, 0)',
        label: 'hours with mails and without events',
        period: everyHour,
        usingMetrics: { sent, published },
      }),
      // The event of a mail may fall into the next hour, so one such hour proves nothing.
      evaluationPeriods: 24,
      datapointsToAlarm: 2,
    })
    return { counts: [sent, rejected], rates: [bounces, complaints] }
  }

  /** By default, the alarm goes off as soon as the metric is at least 1. */
  private alarm(
    id: string,
    alarmDescription: string,
    props: Partial<AlarmProps> & { metric: IMetric },
  ): void {
    const alarm = new Alarm(this, id, {
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
      alarmDescription,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
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

/**
 * The sum of metrics that have no zeros: DynamoDB reports them only when something fails. A sum without `FILL` would have
 * a value only while all of them have one.
 */
function sumOf(label: string, usingMetrics: Record<string, Metric>): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ')
  return new MathExpression({ expression, label, period: everyFiveMinutes, usingMetrics })
}

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

/** A graph with a metric of each of these. */
function graphOfEach<One>(title: string, all: readonly One[], metricOf: (one: One) => IMetric): GraphWidget {
  return graph(title, all.map(metricOf))
}
