import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { type IRole, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Alias, type EventInvokeConfigOptions, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Duration, Validations } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { pascalCase } from '../pascal-case.ts'
import { functionName, logMetricNamespace, type Stage } from '../stage.ts'
import type { GroupFunction } from './group-function.ts'

/** The alias that every caller of a function uses. */
const liveAlias = 'live'

/** The policy of AWS that CodeDeploy needs to move an alias. */
const policy = 'service-role/AWSCodeDeployRoleForLambdaLimited'

/** The metric of requests and messages that failed because of our code, by function and version. */
const faultsMetric = 'Faults'

/**
 * How the functions of a stack are released. Each has the alias `live`, which the API, the queues and the
 * schedules call. A deployment that changes a function creates a new version of it and moves the alias to
 * this version. With `canary` of the stage, CodeDeploy first sends 10 % of the calls to the new version for
 * five minutes. One fault of the new version sets off an alarm, which returns all calls to the previous
 * version. Then CloudFormation rolls back the whole stack, so that all its functions belong to one release.
 */
export class Releases extends Construct {
  private readonly stage: Stage
  private readonly codeDeploy: { application: LambdaApplication; role: IRole } | undefined

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.stage = stage
    this.codeDeploy = stage.canary
      ? { application: new LambdaApplication(this, 'Application'), role: this.role() }
      : undefined
  }

  /**
   * The function under its alias, which every caller uses.
   *
   * @param options how Lambda retries asynchronous calls
   */
  live(
    target: GroupFunction,
    declaration: FunctionDeclaration,
    options: EventInvokeConfigOptions = {},
  ): IFunction {
    const id = pascalCase(declaration.name)
    const version = target.currentVersion as IVersion
    const alias = new Alias(this, id, { aliasName: liveAlias, version, ...options })
    if (this.codeDeploy === undefined) return alias as IFunction
    new LambdaDeploymentGroup(this, `${id}Canary`, {
      ...this.codeDeploy,
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [this.alarmOf(target, declaration, version)],
    })
    return alias as IFunction
  }

  /**
   * Goes off at the first fault of a version: with few requests, more faults would not be seen in five
   * minutes. Faults are calls that ended in an error or too late, requests answered with 500 or 503, and
   * messages that failed. Faults of other versions are not counted, so an existing fault does not stop the
   * release that fixes it.
   */
  private alarmOf(
    { logGroup }: GroupFunction,
    { name, endpoints, consumes }: FunctionDeclaration,
    { version }: IVersion,
  ): Alarm {
    const id = pascalCase(name)
    const period = Duration.minutes(1)
    const errors = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Errors',
      statistic: 'Sum',
      period,
      dimensionsMap: {
        FunctionName: functionName(this.stage.name, name),
        Resource: `${functionName(this.stage.name, name)}:${liveAlias}`,
        ExecutedVersion: version,
      },
    })
    const settings = {
      alarmDescription: `A new version of the function ${name} fails: its release is rolled back.`,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }
    // A scheduled function throws if something failed, and answers no requests.
    if (!endpoints && !consumes) return new Alarm(this, `${id}Faults`, { ...settings, metric: errors })
    new MetricFilter(this, `${id}FaultLines`, {
      logGroup,
      filterPattern: FilterPattern.stringValue(
        '$.message',
        '=',
        endpoints ? 'request failed' : 'message failed',
      ),
      metricNamespace: logMetricNamespace(this.stage.name),
      metricName: faultsMetric,
      metricValue: '1',
      dimensions: { service: '$.service', version: '$.version' },
    })
    const faults = new Metric({
      namespace: logMetricNamespace(this.stage.name),
      metricName: faultsMetric,
      statistic: 'Sum',
      period,
      dimensionsMap: { service: name, version },
    })
    return new Alarm(this, `${id}Faults`, {
      ...settings,
      metric: new MathExpression({
        expression: 'FILL(errors, 0) + FILL(faults, 0)',
        label: 'faults of the new version',
        period,
        usingMetrics: { errors, faults },
      }),
    })
  }

  /** One role for all deployment groups of the stack. */
  private role(): IRole {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    })
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason: 'AWS documents this policy as the one that CodeDeploy needs to move the aliases of functions.',
    })
    // The CDK would attach the policy once for each deployment group.
    return role.withoutPolicyUpdates()
  }
}
