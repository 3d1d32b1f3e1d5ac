import { expect, test } from 'vitest'
import * as z from 'zod'
import { manifest, routesOf } from '#functions/manifest.ts'
import { ErrorEnvelope } from '#http/error-envelope.ts'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const domain = { name: 'api.kanzlei.example', hostedZone: { id: 'Z0123456789', name: 'kanzlei.example' } }
const stages = cdkContext.stages as Record<string, object>
const { resources, template } = synthesise({ stages: { ...stages, prod: { ...stages.prod, domain } } })

const ofApi = (type: string, stage: 'dev' | 'prod' = 'dev') => resources(stage, 'api', type)
const propertiesOf = (type: string, stage: 'dev' | 'prod' = 'dev') =>
  ofApi(type, stage).map(([, { Properties }]) => Properties)
const only = <T>(items: T[]): T => {
  expect(items).toHaveLength(1)
  return items[0] as T
}

const parts = new Map(ofApi('AWS::ApiGateway::Resource').map(([id, { Properties }]) => [id, Properties]))
const pathOf = (resourceId: { Ref?: string }): string => {
  const part = parts.get(resourceId.Ref ?? '')
  return part === undefined ? '' : `${pathOf(part.ParentId)}/${part.PathPart}`
}
const routeOf = (method: Resource['Properties']) => `${method.HttpMethod} ${pathOf(method.ResourceId)}`

test('the API has the endpoints of the manifest and nothing else', () => {
  const methods = propertiesOf('AWS::ApiGateway::Method').map(routeOf)

  expect(methods.toSorted()).toEqual(
    manifest
      .flatMap(routesOf)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  )
})

test('each endpoint is answered by the function that declares it, which one permission lets the API call', () => {
  // Prepare
  const functionNames = new Map(
    ofApi('AWS::Lambda::Function').map(([id, { Properties }]) => [id, Properties.FunctionName]),
  )

  // Act
  const served = propertiesOf('AWS::ApiGateway::Method').map((method) => {
    expect(method.Integration.Type).toBe('AWS_PROXY')
    const uri = JSON.stringify(method.Integration.Uri)
    const name = [...functionNames].find(([id]) => uri.includes(`"${id}"`))?.[1]
    return `${routeOf(method)} → ${name}`
  })

  // Assess
  expect(served.toSorted()).toEqual(
    manifest
      .flatMap((declaration) =>
        routesOf(declaration).map(
          ({ method, path }) => `${method} ${path} → aktenlage-dev-${declaration.name}`,
        ),
      )
      .toSorted(),
  )
  expect(ofApi('AWS::Lambda::Permission')).toHaveLength(functionNames.size)
})

test('the functions that stream are integrated so, and no others', () => {
  const streaming = new Set(
    manifest.filter(({ streams }) => streams).map(({ name }) => `aktenlage-dev-${name}`),
  )
  const functionNames = new Map(
    ofApi('AWS::Lambda::Function').map(([id, { Properties }]) => [id, Properties.FunctionName]),
  )

  for (const { Integration } of propertiesOf('AWS::ApiGateway::Method')) {
    const [, name] =
      [...functionNames].find(([id]) => JSON.stringify(Integration.Uri).includes(`"${id}"`)) ?? []
    const streams = streaming.has(name)
    expect(Integration.ResponseTransferMode, name).toBe(streams ? 'STREAM' : undefined)
    expect(JSON.stringify(Integration.Uri).includes('response-streaming-invocations'), name).toBe(streams)
    expect(Integration.TimeoutInMillis, name).toBe(streams ? 900_000 : undefined)
  }
  for (const { endpoints, streams, name } of manifest)
    for (const endpoint of Object.values(endpoints ?? {}))
      expect(endpoint.streamed, name).toBe(streams === true)
})

test('only multipart bodies reach the functions as base64', () => {
  expect(only(propertiesOf('AWS::ApiGateway::RestApi')).BinaryMediaTypes).toEqual(['multipart/form-data'])
})

type GatewayResponse = { status: string | undefined; body: unknown; headers: Record<string, string> }

const gatewayResponses = new Map<string, GatewayResponse>(
  propertiesOf('AWS::ApiGateway::GatewayResponse').map((properties) => [
    properties.ResponseType,
    {
      status: properties.StatusCode,
      body: JSON.parse(
        properties.ResponseTemplates['application/json'].replace('$context.requestId', 'the-request'),
      ),
      headers: properties.ResponseParameters,
    },
  ]),
)

test('whatever the gateway answers itself is in the error envelope, with the request id in it and in a header', () => {
  for (const [type, { body, headers }] of gatewayResponses) {
    expect(z.strictObject(ErrorEnvelope.shape).safeParse(body), type).toMatchObject({ success: true })
    expect(body, type).toMatchObject({ error: { request_id: 'the-request' } })
    expect(headers, type).toMatchObject({
      'gatewayresponse.header.X-Request-Id': 'context.requestId',
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
    })
  }
})

test.each([
  ['MISSING_AUTHENTICATION_TOKEN', '404', 'ROUTE_NOT_FOUND'],
  ['INVALID_SIGNATURE', '404', 'ROUTE_NOT_FOUND'],
  ['RESOURCE_NOT_FOUND', '404', 'ROUTE_NOT_FOUND'],
  ['BAD_REQUEST_BODY', '400', 'VALIDATION_ERROR'],
  ['BAD_REQUEST_PARAMETERS', '400', 'VALIDATION_ERROR'],
  ['REQUEST_TOO_LARGE', '413', 'PAYLOAD_TOO_LARGE'],
  ['UNSUPPORTED_MEDIA_TYPE', '415', 'UNSUPPORTED_MEDIA_TYPE'],
  ['THROTTLED', '429', 'RATE_LIMITED'],
  ['QUOTA_EXCEEDED', '429', 'RATE_LIMITED'],
  ['WAF_FILTERED', '403', 'REQUEST_BLOCKED'],
  ['INTEGRATION_FAILURE', '503', 'SERVICE_UNAVAILABLE'],
  ['INTEGRATION_TIMEOUT', '503', 'SERVICE_UNAVAILABLE'],
  ['DEFAULT_5XX', '500', 'INTERNAL_ERROR'],
  ['DEFAULT_4XX', undefined, 'VALIDATION_ERROR'],
])('the gateway answers %s with %s %s', (type, status, code) => {
  expect(gatewayResponses.get(type)).toMatchObject({ status, body: { error: { code } } })
})

test('who is told to come back is told when', () => {
  for (const [type, { status, headers }] of gatewayResponses) {
    const retryAfter = headers['gatewayresponse.header.Retry-After']
    if (status === '429' || status === '503') expect(retryAfter, type).toMatch(/^'[1-9]\d*'$/)
    else expect(retryAfter, type).toBeUndefined()
  }
})

test('the access log holds no query string, no path with its values and no headers', () => {
  const stage = only(propertiesOf('AWS::ApiGateway::Stage'))

  const logged = Object.values(JSON.parse(stage.AccessLogSetting.Format))

  expect(logged).toContain('$context.requestId')
  expect(logged).toContain('$context.resourcePath')
  expect(logged.join(' ')).not.toMatch(
    /query|header|authoriz|\$context\.path\b|protocol|\$input|userAgent|apiKey/i,
  )
  expect(stage.MethodSettings).toMatchObject([{ DataTraceEnabled: false, LoggingLevel: 'ERROR' }])
})

test('no trace holds a query string: the gateway, whose segments hold the whole URL, makes none', () => {
  for (const name of ['dev', 'prod'] as const)
    expect(only(propertiesOf('AWS::ApiGateway::Stage', name)).TracingEnabled).toBe(false)
})

test('the stage is throttled, and its logs end after the days that cdk.json says', () => {
  const stage = only(propertiesOf('AWS::ApiGateway::Stage', 'prod'))

  expect(stage.MethodSettings).toMatchObject([{ ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 }])
  for (const { RetentionInDays } of propertiesOf('AWS::Logs::LogGroup', 'prod'))
    expect(RetentionInDays).toBe(180)
})

test('the firewall limits what one address may ask, with 429 in the error envelope', () => {
  const acl = only(propertiesOf('AWS::WAFv2::WebACL'))

  const { CustomResponse: response } = acl.Rules[0].Action.Block

  expect(acl.Rules[0].Statement.RateBasedStatement).toMatchObject({
    AggregateKeyType: 'IP',
    Limit: 1_200,
    EvaluationWindowSec: 60,
  })
  expect(response).toMatchObject({
    ResponseCode: 429,
  })
  const headers = Object.fromEntries(
    response.ResponseHeaders.map(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]),
  )
  expect(headers).toMatchObject({ 'Retry-After': '60', 'Cache-Control': 'no-store' })
  const body = ErrorEnvelope.parse(
    JSON.parse(acl.CustomResponseBodies[response.CustomResponseBodyKey].Content),
  )
  expect(body.error).toMatchObject({ code: 'RATE_LIMITED', request_id: headers['X-Request-Id'] })
  expect(ofApi('AWS::WAFv2::WebACLAssociation')).toHaveLength(1)
})

test('the firewall lets an upload of more than 8 KB through, and keeps no samples of requests', () => {
  const { Rules } = only(propertiesOf('AWS::WAFv2::WebACL'))

  const common = Rules.map((rule: Resource['Properties']) => rule.Statement.ManagedRuleGroupStatement).find(
    (group: { Name: string } | undefined) => group?.Name === 'AWSManagedRulesCommonRuleSet',
  )

  expect(common.RuleActionOverrides).toContainEqual({
    Name: 'SizeRestrictions_BODY',
    ActionToUse: { Count: {} },
  })
  for (const rule of Rules) expect(rule.VisibilityConfig.SampledRequestsEnabled).toBe(false)
})

test('a stage without a domain is reached through the address that API Gateway gives', () => {
  expect(ofApi('AWS::ApiGateway::DomainName')).toEqual([])
  expect(only(propertiesOf('AWS::ApiGateway::RestApi')).DisableExecuteApiEndpoint).toBeFalsy()
  expect(JSON.stringify(template('dev', 'api').Outputs?.ApiUrl?.Value)).toMatch(
    /execute-api.*\/dev"|execute-api/,
  )
})

test('a stage with a domain is reached through it alone, over TLS 1.2 or better', () => {
  expect(only(propertiesOf('AWS::ApiGateway::DomainName', 'prod'))).toMatchObject({
    DomainName: domain.name,
    SecurityPolicy: 'TLS_1_2',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  })
  expect(ofApi('AWS::ApiGateway::BasePathMapping', 'prod')).toHaveLength(1)
  expect(only(propertiesOf('AWS::ApiGateway::RestApi', 'prod')).DisableExecuteApiEndpoint).toBe(true)
  expect(only(propertiesOf('AWS::Route53::RecordSet', 'prod'))).toMatchObject({
    Name: `${domain.name}.`,
    Type: 'A',
  })
  expect(template('prod', 'api').Outputs?.ApiUrl?.Value).toBe(`https://${domain.name}`)
})
