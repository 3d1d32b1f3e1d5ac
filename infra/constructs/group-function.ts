import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Function as LambdaFunction, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { Duration, Size, Stack, Validations } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration, LogAlarm } from '#functions/declaration.ts'
import { queueVariable } from '#queue/queue-variable.ts'
import { layoutRefusedMessage } from '#store/table.ts'
import { functionArchitecture } from '../architecture.ts'
import { pascalCase } from '../pascal-case.ts'
import { logRetentionOf } from '../retention.ts'
import { functionName, logMetricNamespace, mailConfigurationSetName } from '../stage.ts'
import { codeOf } from './function-code.ts'
import { type FunctionProps, statementsFor } from './function-rights.ts'

/**
 * One Lambda of the manifest with its log and its role. The role allows what the function's `needs` name and nothing
 * else. This class holds the settings that all functions share.
 */
export class GroupFunction extends LambdaFunction {
  constructor(scope: Construct, declaration: FunctionDeclaration, props: FunctionProps) {
    const { stage } = props
    const id = pascalCase(declaration.name)
    const logGroup = new LogGroup(scope, `${id}Log`, logRetentionOf(stage))
    const role = roleOf(scope, declaration, props, logGroup)
    super(scope, id, {
      functionName: functionName(stage.name, declaration.name),
      description: `Aktenlage ${stage.name}: ${declaration.name}`,
      code: codeOf(declaration),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: functionArchitecture(),
      memorySize: declaration.memoryMegabytes,
      timeout: Duration.seconds(declaration.timeoutSeconds),
      ...(declaration.diskMegabytes !== undefined && {
        ephemeralStorageSize: Size.mebibytes(declaration.diskMegabytes),
      }),
      ...(declaration.streams &&
        stage.concurrency !== undefined && {
          reservedConcurrentExecutions: Math.floor(stage.concurrency * shareOfStreams),
        }),
      // Otherwise Lambda refuses a message that follows from 16 others, such as the next part of a long replay or
      // rebuild, and it ends in the dead-letter queue.
      ...(declaration.consumes && { recursiveLoop: RecursiveLoop.ALLOW }),
      tracing: Tracing.ACTIVE,
      role,
      logGroup,
      environment: environmentOf(declaration, props),
    })
    if (declaration.endpoints !== undefined && !declaration.streams)
      new MetricFilter(scope, `${id}AnswerTime`, {
        logGroup,
        filterPattern: FilterPattern.literal(requestsThatDoNotWait),
        metricNamespace: logMetricNamespace(stage.name),
        metricName: answerTimeMetric,
        metricValue: '$.milliseconds',
      })
    const alarms = [...(declaration.alarms ?? []), ...(declaration.needs.table ? [layoutAlarm] : [])]
    for (const { metric: metricName, message, above } of alarms)
      new MetricFilter(scope, `${id}${metricName}Lines`, {
        logGroup,
        filterPattern: FilterPattern.stringValue('$.message', '=', message),
        metricNamespace: logMetricNamespace(stage.name),
        metricName,
        metricValue: above ? `$.${above.field}` : '1',
      })
  }
}

/**
 * The part of the stage's concurrency that each streaming function has reserved: a download of 200 MB takes a
 * minute and a half. Streams cannot use more, so they do not block other functions; other functions cannot
 * use this part.
 */
const shareOfStreams = 0.04

/** The log line of a function whose release cannot read the table. */
export const layoutAlarm: LogAlarm = {
  metric: 'LayoutRefused',
  message: layoutRefusedMessage,
  says: 'A function refuses to use the table, since its layout is newer than the release, too old, or damaged. See Upgrade in infra/README.md.',
}

/** The metric of answer times, without streamed answers and answers that wait for another service. */
export const answerTimeMetric = 'AnswerMilliseconds'

/** The lines of the request log (`requestLog`) for answers that waited for no other service. */
const requestsThatDoNotWait = '{ ($.message = "request") && ($.waits_for_others NOT EXISTS) }'

function roleOf(
  scope: Construct,
  { name, needs }: FunctionDeclaration,
  props: FunctionProps,
  logGroup: LogGroup,
): Role {
  const role = new Role(scope, `${pascalCase(name)}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  })
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  )
  for (const statement of statementsFor(needs, props)) role.addToPolicy(statement)

  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: needs.textract
      ? 'X-Ray and Textract have no resources: their actions are allowed on all or on none. The statements hold only the sending of segments and the detection of text; the rights to the bucket decide which documents Textract reads.'
      : 'X-Ray has no resources: a segment can be sent to all of them or to none. The statement holds only the two sending actions.',
  })
  for (const prefix of Object.keys(needs.bucket ?? {})) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${exportOfArn(props.bucket)}/${prefix}/*]`,
      reason:
        'Documents come and go, so a function is allowed a prefix of their keys. The statement holds only the actions that the manifest names for this prefix.',
    })
  }
  return role
}

function environmentOf(
  { needs, endpoints, consumes, nodeOptions }: FunctionDeclaration,
  { stage, table, bucket, secretsKey, signingKey, queues }: FunctionProps,
): Record<string, string> {
  const used = [...(needs.sends ?? []), ...(consumes ? [consumes.queue] : [])]
  return {
    ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
    ...((endpoints || needs.mail) && stage.domain && { SERVICE_BASE_URL: `https://${stage.domain.name}` }),
    ...(needs.table && { TABLE_NAME: table.tableName, STAGE: stage.name }),
    ...(endpoints &&
      needs.table &&
      needs.table !== 'health' && { RATE_LIMIT_PER_SECOND: String(stage.requestsPerSecondAndWorkspace) }),
    ...(needs.bucket && { BUCKET_NAME: bucket.bucketName }),
    ...Object.fromEntries(used.map((name) => [queueVariable(name), queues[name].queueUrl])),
    ...(needs.secrets && { SECRETS_KEY_ID: secretsKey.keyArn }),
    ...(needs.secrets === 'calendar' && {
      SYNC_ALLOW_PRIVATE_NETWORKS: String(stage.syncAllowPrivateNetworks),
    }),
    ...(needs.secrets === 'bea' &&
      stage.bea && {
        BEA_GATEWAY_URL: stage.bea.gatewayUrl,
        BEA_GATEWAY_IDENT: stage.bea.gatewayIdent,
        BEA_LOGIN_VERSION: String(stage.bea.loginVersion),
      }),
    ...(needs.signs && { SIGNING_KEY_ID: signingKey.keyArn }),
    ...(needs.signs && stage.signing?.tsaUrl && { SIGNING_TSA_URL: stage.signing.tsaUrl }),
    ...(needs.mailService &&
      stage.mail && { MAIL_SERVICE_CHECKS_SENDERS: String(stage.mail.webhookChecksSenders) }),
    ...(needs.mail && stage.mail && { MAIL_CONFIGURATION_SET: mailConfigurationSetName(stage.name) }),
  }
}

/** The name under which the bucket's stack exports the bucket's ARN; cdk-nag names its findings by it. */
function exportOfArn(bucket: Bucket): string {
  const stack = Stack.of(bucket)
  return stack.resolve(stack.exportValue(bucket.bucketArn))['Fn::ImportValue']
}
