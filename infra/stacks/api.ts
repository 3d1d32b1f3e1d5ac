import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApiMode,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53'
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets'
import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { apiDefinition, type ServedFunction } from '../constructs/api-definition.ts'
import { Firewall } from '../constructs/firewall.ts'
import type { FunctionProps } from '../constructs/function-rights.ts'
import { GroupFunction } from '../constructs/group-function.ts'
import { Releases } from '../constructs/releases.ts'
import { kept, logRetentionOf } from '../retention.ts'
import { apiName, outputs, type Stage } from '../stage.ts'

/** The REST API with its routes, functions, firewall and logs, and its domain if the stage has one. */
export class ApiStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    props: StackProps & FunctionProps & { functions: readonly FunctionDeclaration[] },
  ) {
    super(scope, id, props)
    const { stage } = props
    const releases = new Releases(this, 'Releases', stage)
    const functions = props.functions.map((declaration) => ({
      declaration,
      target: releases.live(new GroupFunction(this, declaration, props), declaration),
    }))
    const api = this.restApi(stage, functions)
    this.permitCalls(api, functions)
    new Firewall(this, 'Firewall', {
      name: apiName(stage.name),
      requestsPerMinuteAndKey: stage.requestsPerMinuteAndKey,
      requestsPerMinuteAndAddress: stage.requestsPerMinuteAndAddress,
      log: logRetentionOf(stage),
      protects: api.deploymentStage,
    })
    if (stage.domain) this.addDomain(api, stage.domain)
    // The API's address ends with a slash, and the paths of the endpoints begin with one.
    new CfnOutput(this, outputs.apiUrl, {
      value: stage.domain ? `https://${stage.domain.name}` : api.url.replace(/\/$/, ''),
    })
  }

  private restApi(stage: Stage, functions: readonly ServedFunction[]): SpecRestApi {
    const logs = logRetentionOf(stage)
    const accessLog = new LogGroup(this, 'AccessLog', logs)
    const name = apiName(stage.name)
    const description = `Aktenlage ${stage.name}`
    const domainName = stage.domain?.name
    const api = new SpecRestApi(this, 'RestApi', {
      // The definition refers to the functions, so it must be in the template. CloudFormation accepts 1 MB.
      apiDefinition: ApiDefinition.fromInline(apiDefinition(functions, { name, description, domainName })),
      // The default mode merges: a binary media type that was removed from the definition would stay.
      mode: RestApiMode.OVERWRITE,
      // Otherwise an import would skip the parts that it cannot read, and the deployment would seem to succeed.
      failOnWarnings: true,
      // An overwriting import takes name and description from the definition, and the endpoint type from here.
      restApiName: name,
      description,
      disableExecuteApiEndpoint: domainName !== undefined,
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      // This role is a setting of the account in this region. Other APIs log with it too, so it outlives the stage.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: kept,
      deployOptions: {
        stageName: stage.name,
        // A trace of the gateway would contain the URL with its query, and so the tokens of feeds. The functions
        // write traces instead.
        tracingEnabled: false,
        // Metrics of each method would cost more than everything else. The metrics of the stage do not need them.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        throttlingRateLimit: stage.requestsPerSecond,
        throttlingBurstLimit: stage.requestsInBurst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: accessLogFormat(),
      },
    })
    // API Gateway would otherwise create this log at the first fault and keep it for ever.
    const executionLog = new LogGroup(this, 'ExecutionLog', {
      ...logs,
      logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${stage.name}`,
    })
    api.deploymentStage.node.addDependency(executionLog)

    Validations.of(api).acknowledge(
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'The functions validate every input by the schema that its endpoint declares and name each fault in the error envelope. API Gateway can neither check these rules nor give that answer.',
      },
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'API Gateway asks for this policy of AWS by name for its account-wide logging role.',
      },
    )
    return api
  }

  /**
   * Permits the API to call each function, with one permission per function. One permission per method would exceed
   * the 20 KB of a function's policy.
   */
  private permitCalls(api: SpecRestApi, functions: readonly ServedFunction[]): void {
    for (const { target } of functions) {
      target.addPermission('ApiGateway', {
        principal: new ServicePrincipal('apigateway.amazonaws.com'),
        sourceArn: api.arnForExecuteApi(),
      })
      // The paths of a new function become available only after the permission to call it.
      api.latestDeployment?.node.addDependency(target.node.findChild('ApiGateway'))
    }
  }

  private addDomain(api: SpecRestApi, domain: NonNullable<Stage['domain']>): void {
    const zone =
      domain.hostedZone &&
      HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: domain.hostedZone.id,
        zoneName: domain.hostedZone.name,
      })
    const certificate = domain.certificateArn
      ? Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn)
      : new Certificate(this, 'Certificate', {
          domainName: domain.name,
          validation: CertificateValidation.fromDns(zone),
        })
    const name = new DomainName(this, 'Domain', {
      domainName: domain.name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    })
    name.addBasePathMapping(api, { stage: api.deploymentStage })
    if (!zone) return
    new ARecord(this, 'Address', {
      zone,
      recordName: `${domain.name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(name)),
    })
  }
}

/** One line per request. It holds neither path nor query, since both may hold tokens; the resource names the endpoint. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      request_id: AccessLogField.contextRequestId(),
      time: AccessLogField.contextRequestTimeEpoch(),
      address: AccessLogField.contextIdentitySourceIp(),
      method: AccessLogField.contextHttpMethod(),
      resource: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      gateway_response: AccessLogField.contextErrorResponseType(),
      firewall_status: AccessLogField.contextWafStatus(),
      milliseconds: AccessLogField.contextResponseLatency(),
      function_milliseconds: AccessLogField.contextIntegrationLatency(),
      size_bytes: AccessLogField.contextResponseLength(),
    }),
  )
}
