import SwaggerParser from '@apidevtools/swagger-parser'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as cases from '#functions/cases/endpoints.ts'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest, pathsOf } from '#functions/manifest.ts'
import { ErrorEnvelope } from '#http/error-envelope.ts'
import { apiName } from '#infra/stage.ts'
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

const functionNames = new Map(
  ofApi('AWS::Lambda::Function').map(([id, { Properties }]) => [id, Properties.FunctionName]),
)

/** The functions behind the aliases of the stack. */
const aliases = new Map(
  ofApi('AWS::Lambda::Alias').map(([id, { Properties }]) => [
    id,
    functionNames.get(Properties.FunctionName.Ref),
  ]),
)

/** The name of the one function of the stack whose alias a value of the template refers to. */
function nameOfFunction(uri: unknown): string {
  const text = JSON.stringify(uri)
  return only([...aliases].filter(([id]) => text.includes(`{"Ref":"${id}"}`)))[1]
}

type Method = {
  parameters: { name: string; in: string; required: boolean }[]
  security?: unknown
  // biome-ignore lint/suspicious/noExplicitAny: an integration is what API Gateway reads, and has no types
  'x-amazon-apigateway-integration': Record<string, any>
}

const definitionIn = (stage: 'dev' | 'prod') => only(propertiesOf('AWS::ApiGateway::RestApi', stage)).Body
const definition = definitionIn('dev')

const methods = Object.entries<Record<string, Method>>(definition.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    path,
    route: `${method.toUpperCase()} ${path}`,
    operation,
    integration: operation['x-amazon-apigateway-integration'],
  })),
)

const everyMethod = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** Standard tools read each method by itself; "any method" is an extension of API Gateway. */
const withStandardMethods = ({ paths, ...rest }: typeof definition) => ({
  ...rest,
  paths: Object.fromEntries(
    Object.entries<Record<string, Method>>(paths).map(([path, item]) => {
      const { 'x-amazon-apigateway-any-method': any, ...others } = item
      return [path, { ...others, ...(any && Object.fromEntries(everyMethod.map((method) => [method, any]))) }]
    }),
  ),
})

const anyAnswer = { description: 'Any' }

/** The faults that a strict validator finds. It changes what it is given. */
const faultsOf = (document: object): Promise<string | undefined> =>
  SwaggerParser.validate(structuredClone(document) as never).then(
    () => undefined,
    (error: Error) => error.message,
  )

test.each([
  ['dev', 'as it is', definition],
  ['prod', 'as it is', definitionIn('prod')],
  ['dev', 'with each method by itself', withStandardMethods(definition)],
  ['prod', 'with each method by itself', withStandardMethods(definitionIn('prod'))],
])('the definition of %s is valid OpenAPI 3.0, %s', async (_, __, document) => {
  expect(await faultsOf(document)).toBeUndefined()
})

test.each<[string, (operation: Record<string, unknown>) => void]>([
  ['without an answer', (operation) => Object.assign(operation, { responses: {} })],
  [
    'with an answer without a description',
    (operation) => Object.assign(operation, { responses: { 200: {} } }),
  ],
  [
    'with an answer of a status in words',
    (operation) => Object.assign(operation, { responses: { ok: anyAnswer } }),
  ],
  ['with a field that OpenAPI does not have', (operation) => Object.assign(operation, { returns: {} })],
  [
    'with a placeholder that may be missing',
    (operation) => Object.assign((operation.parameters as object[])[0] ?? {}, { required: false }),
  ],
])('the validator of these tests refuses an operation %s', async (_, spoil) => {
  const spoilt = structuredClone(withStandardMethods(definition))
  spoil(spoilt.paths['/api/v1/cases/{id}']?.get ?? {})

  expect(await faultsOf(spoilt)).toBeDefined()
})

test('the API has the paths of the manifest and no others, each with any method', () => {
  expect(methods.map(({ route }) => route).toSorted()).toEqual(
    manifest
      .flatMap(pathsOf)
      .map((path) => `X-AMAZON-APIGATEWAY-ANY-METHOD ${path}`)
      .toSorted(),
  )
  expect(ofApi('AWS::ApiGateway::Resource')).toEqual([])
  expect(ofApi('AWS::ApiGateway::Method')).toEqual([])
})

test('each path is answered by the one function that declares it, which knows all its methods', () => {
  const answered = methods.map(({ path, integration }) => {
    expect(integration).toMatchObject({ type: 'aws_proxy', httpMethod: 'POST' })
    return `${path} → ${nameOfFunction(integration.uri)}`
  })

  expect(answered.toSorted()).toEqual(
    manifest
      .flatMap((declaration) =>
        pathsOf(declaration).map((path) => `${path} → aktenlage-dev-${declaration.name}`),
      )
      .toSorted(),
  )
  expect(new Set(methods.map(({ path }) => path)).size).toBe(methods.length)
})

test('every function behind the API has one permission, which lets this API call it', () => {
  const permissions = propertiesOf('AWS::Lambda::Permission')
  const [apiId] = only(ofApi('AWS::ApiGateway::RestApi'))

  expect(permissions.map(({ FunctionName }) => nameOfFunction(FunctionName)).toSorted()).toEqual(
    [...functionNames.values()].toSorted(),
  )
  for (const permission of permissions) {
    expect(permission).toMatchObject({
      Action: 'lambda:InvokeFunction',
      Principal: 'apigateway.amazonaws.com',
    })
    expect(JSON.stringify(permission.SourceArn)).toContain(`{"Ref":"${apiId}"},"/*/*/*"`)
  }
})

test('no path is there before its function may be called', () => {
  const [, deployment] = only(ofApi('AWS::ApiGateway::Deployment'))
  const permissions = ofApi('AWS::Lambda::Permission').map(([id]) => id)

  expect(permissions.length).toBeGreaterThan(20)
  expect(deployment.DependsOn).toEqual(expect.arrayContaining(permissions))
})

test('no route asks API Gateway for an authorizer or a key: the functions check both', () => {
  expect(definition.security).toBeUndefined()
  for (const { route, operation } of methods) expect(operation.security, route).toBeUndefined()
})

test('a route declares the parameters of its path', () => {
  for (const { route, path, operation } of methods) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(operation.parameters, route).toEqual(
      names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    )
  }
})

test('the paths fit into one API: below the quota of 300 resources, with one parameter name at each place', () => {
  // Prepare
  const places = new Map<string, Set<string>>()
  for (const path of Object.keys(definition.paths)) {
    const segments = path.split('/').slice(1)
    for (const [depth, segment] of segments.entries()) {
      const parent = segments.slice(0, depth).join('/')
      places.set(parent, (places.get(parent) ?? new Set()).add(segment))
    }
  }

  // Act
  const resourceCount = [...places.values()].reduce((sum, { size }) => sum + size, 1)
  const ambiguous = [...places].filter(
    ([, segments]) => [...segments].filter((segment) => segment.startsWith('{')).length > 1,
  )

  // Assess
  expect(resourceCount).toBeLessThanOrEqual(300)
  expect(ambiguous.map(([parent]) => parent)).toEqual([])
})

test('only the functions that stream are called for streams, with their own time limit', () => {
  const streaming = new Set(
    manifest.filter(({ streams }) => streams).map(({ name }) => `aktenlage-dev-${name}`),
  )

  for (const { route, integration } of methods) {
    const streams = streaming.has(nameOfFunction(integration.uri))
    expect(integration.responseTransferMode, route).toBe(streams ? 'STREAM' : undefined)
    expect(integration.timeoutInMillis, route).toBe(streams ? 900_000 : undefined)
    const [start, , end] = integration.uri['Fn::Join'][1]
    const version = streams ? '2021-11-15' : '2015-03-31'
    expect(start, route).toBe(`arn:aws:apigateway:eu-central-1:lambda:path/${version}/functions/`)
    expect(end, route).toBe(streams ? '/response-streaming-invocations' : '/invocations')
  }
  expect(streaming.size).toBeGreaterThan(0)
  for (const { endpoints, streams, name } of manifest)
    for (const endpoint of Object.values(endpoints ?? {}))
      expect(endpoint.streamed, name).toBe(streams === true)
})

test('only multipart bodies reach the functions as base64', () => {
  expect(definition['x-amazon-apigateway-binary-media-types']).toEqual(['multipart/form-data'])
  expect(only(propertiesOf('AWS::ApiGateway::RestApi')).BinaryMediaTypes).toBeUndefined()
})

test('answers of 1 KB and more are compressed', () => {
  expect(definition['x-amazon-apigateway-minimum-compression-size']).toBe(1_024)
})

test('an import replaces the whole API, and fails if it cannot take the whole definition', () => {
  expect(only(propertiesOf('AWS::ApiGateway::RestApi'))).toMatchObject({
    Mode: 'overwrite',
    FailOnWarnings: true,
  })
})

test('the API is regional: streams may pause for five minutes there, elsewhere for 30 seconds', () => {
  expect(only(propertiesOf('AWS::ApiGateway::RestApi'))).toMatchObject({
    EndpointConfiguration: { Types: ['REGIONAL'] },
    Parameters: { endpointConfigurationTypes: 'REGIONAL' },
  })
})

test('the API is named as the alarms expect it, since an import takes the name from the title', () => {
  for (const stage of ['dev', 'prod'] as const) {
    expect(only(propertiesOf('AWS::ApiGateway::RestApi', stage)).Name).toBe(apiName(stage))
    expect(definitionIn(stage).info.title).toBe(apiName(stage))
  }
})

describe('a changed definition', () => {
  const withFunction = (name: string, change: (declaration: FunctionDeclaration) => FunctionDeclaration) =>
    manifest.map((declaration) => (declaration.name === name ? change(declaration) : declaration))
  const without = (name: string) => (declaration: FunctionDeclaration) => {
    const { [name]: removed, ...endpoints } = declaration.endpoints ?? {}
    expect(removed).toBeDefined()
    return { ...declaration, endpoints }
  }
  const deployedBy = (functions: readonly FunctionDeclaration[]) => {
    const synthesis = synthesise({ stage: 'dev' }, { functions: [...functions] })
    const [id] = only(synthesis.resources('dev', 'api', 'AWS::ApiGateway::Deployment'))
    const stage = only(synthesis.resources('dev', 'api', 'AWS::ApiGateway::Stage'))[1]
    expect(stage.Properties.DeploymentId).toEqual({ Ref: id })
    return { id, template: synthesis.template('dev', 'api') }
  }
  const today = deployedBy(manifest)

  test.each([
    ['a path less', withFunction('cases', without('getCaseTimeline'))],
    [
      'a longer time limit of a stream',
      withFunction('documents-files', (it) => ({ ...it, timeoutSeconds: 600 })),
    ],
    [
      'a path that another function answers',
      withFunction('cases', without('getCaseTimeline')).map((declaration) =>
        declaration.name === 'parties'
          ? {
              ...declaration,
              endpoints: { ...declaration.endpoints, getCaseTimeline: cases.getCaseTimeline },
            }
          : declaration,
      ),
    ],
  ])('is deployed: %s', (_, functions) => {
    expect(deployedBy(functions).id).not.toBe(today.id)
  })

  test('is not deployed again if nothing changed', () => {
    expect(deployedBy(manifest).id).toBe(today.id)
  })

  test('needs no more resources of CloudFormation for more paths', () => {
    const fewer = deployedBy(withFunction('cases', without('getCaseTimeline'))).template

    expect(Object.keys(fewer.Resources)).toHaveLength(Object.keys(today.template.Resources).length)
  })

  test('is refused if two functions declare the same path', () => {
    const twice = withFunction('parties', (it) => ({
      ...it,
      endpoints: { ...it.endpoints, getCase: cases.getCase },
    }))

    expect(() => deployedBy(twice)).toThrow('Two functions declare /api/v1/cases/{id}')
  })
})

type GatewayResponse = { status: string | undefined; body: unknown; headers: Record<string, string> }

const gatewayResponses = new Map<string, GatewayResponse>(
  // biome-ignore lint/suspicious/noExplicitAny: what API Gateway reads has no types
  Object.entries<any>(definition['x-amazon-apigateway-gateway-responses']).map(([type, response]) => [
    type,
    {
      status: response.statusCode,
      body: JSON.parse(
        response.responseTemplates['application/json'].replace('$context.requestId', 'the-request'),
      ),
      headers: response.responseParameters,
    },
  ]),
)

test('the gateway’s own answers are in the error envelope, with the request id in the body and in a header', () => {
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

test('429 says after how many seconds to try again, and no answer after which a change may have been made does', () => {
  for (const [type, { status, headers }] of gatewayResponses) {
    const retryAfter = headers['gatewayresponse.header.Retry-After']
    if (status === '429') expect(retryAfter, type).toMatch(/^'[1-9]\d*'$/)
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

test('no trace holds a query string: the gateway, which would trace the whole URL, makes no traces', () => {
  for (const name of ['dev', 'prod'] as const)
    expect(only(propertiesOf('AWS::ApiGateway::Stage', name)).TracingEnabled).toBe(false)
})

test('the stage is throttled, and its logs are kept as many days as cdk.json says', () => {
  const stage = only(propertiesOf('AWS::ApiGateway::Stage', 'prod'))

  expect(stage.MethodSettings).toMatchObject([{ ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 }])
  for (const { RetentionInDays } of propertiesOf('AWS::Logs::LogGroup', 'prod'))
    expect(RetentionInDays).toBe(180)
})

test('the firewall counts by key, and by address only if there is no key', () => {
  const { Rules } = only(propertiesOf('AWS::WAFv2::WebACL'))
  const [byKey, byAddress] = Rules.map(
    ({ Statement }: { Statement: { RateBasedStatement?: unknown } }) => Statement.RateBasedStatement,
  )

  expect(byKey).toMatchObject({
    AggregateKeyType: 'CUSTOM_KEYS',
    CustomKeys: [
      {
        Header: {
          Name: 'authorization',
          // However a key is written, its requests are counted together.
          TextTransformations: [
            { Priority: 0, Type: 'COMPRESS_WHITE_SPACE' },
            { Priority: 1, Type: 'LOWERCASE' },
          ],
        },
      },
    ],
    Limit: 3_000,
  })
  expect(byAddress).toMatchObject({ AggregateKeyType: 'IP' })
  expect(byAddress.ScopeDownStatement.NotStatement.Statement).toEqual(byKey.ScopeDownStatement)
  const { FieldToMatch, RegexString } = byKey.ScopeDownStatement.RegexMatchStatement
  const isKey = (header: string) => new RegExp(RegexString).test(header)
  expect(FieldToMatch).toEqual({ SingleHeader: { Name: 'authorization' } })
  expect(isKey(`Bearer ak_01993f5e-2c18-7f0b-b5e6-7d3f9a2c4e05_${'a'.repeat(43)}`)).toBe(true)
  expect(['', 'Bearer', 'Bearer x', 'Basic abc'].some(isKey)).toBe(false)
})

test('the log of the firewall holds no path, no query and no header with a secret', () => {
  const { RedactedFields, LoggingFilter } = only(propertiesOf('AWS::WAFv2::LoggingConfiguration'))

  const headers = RedactedFields.flatMap(
    ({ SingleHeader }: { SingleHeader?: { Name: string } }) => SingleHeader?.Name ?? [],
  )
  expect(RedactedFields).toEqual(expect.arrayContaining([{ UriPath: {} }, { QueryString: {} }]))
  expect(headers).toEqual(expect.arrayContaining(['authorization', 'cookie', 'referer', 'x-service-token']))
  expect(LoggingFilter.DefaultBehavior).toBe('DROP')
})

test('details of a match quote neither bodies nor queries in the log of the firewall', () => {
  const { DataProtectionConfig } = only(propertiesOf('AWS::WAFv2::WebACL'))

  expect(DataProtectionConfig.DataProtections).toEqual([
    { Field: { FieldType: 'BODY' }, Action: 'SUBSTITUTION' },
    { Field: { FieldType: 'QUERY_STRING' }, Action: 'SUBSTITUTION' },
  ])
})

test('rules of the firewall that read query strings only count, since names of cases hold ./.', () => {
  const { Rules } = only(propertiesOf('AWS::WAFv2::WebACL'))
  const counted = Rules.flatMap(
    ({
      Statement,
    }: {
      Statement: { ManagedRuleGroupStatement?: { RuleActionOverrides?: { Name: string }[] } }
    }) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides?.map(({ Name }) => Name) ?? [],
  )

  expect(counted).toEqual(
    expect.arrayContaining([
      'SizeRestrictions_QUERYSTRING',
      'CrossSiteScripting_QUERYARGUMENTS',
      'GenericLFI_QUERYARGUMENTS',
      'GenericRFI_QUERYARGUMENTS',
      'EC2MetaDataSSRF_QUERYARGUMENTS',
      'RestrictedExtensions_QUERYARGUMENTS',
    ]),
  )
})

test('the gateway publishes no metrics of single methods', () => {
  const stage = only(propertiesOf('AWS::ApiGateway::Stage', 'prod'))

  expect(stage.MethodSettings).toMatchObject([{ MetricsEnabled: false }])
})

test.each([
  [1, 1_200],
  [2, 200],
])('the firewall limits the requests of one address by rule %i to %i a minute, with 429 in the error envelope', (at, limit) => {
  const acl = only(propertiesOf('AWS::WAFv2::WebACL'))

  const { CustomResponse: response } = acl.Rules[at].Action.Block

  expect(acl.Rules[at].Statement.RateBasedStatement).toMatchObject({
    AggregateKeyType: 'IP',
    Limit: limit,
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

test('the lower limit applies only to the public signing pages', () => {
  const { ScopeDownStatement } = only(propertiesOf('AWS::WAFv2::WebACL')).Rules[2].Statement
    .RateBasedStatement
  const { FieldToMatch, RegexString, TextTransformations } = ScopeDownStatement.RegexMatchStatement
  const isLimited = (path: string) => new RegExp(RegexString).test(path)

  expect(FieldToMatch).toEqual({ UriPath: {} })
  expect(TextTransformations).toEqual([{ Priority: 0, Type: 'URL_DECODE' }])
  const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'
  const limited = [
    `/sign/${token}`,
    `/sign/${token}/open`,
    `/sign/${token}/documents/sigdoc_1`,
    '/verify',
    '/api/v1/signing/verify',
    `/prod/sign/${token}`,
    '/dev/verify',
    '/dev/api/v1/signing/verify',
  ]
  const others = [
    '/',
    '/health',
    '/api/v1/signing/envelopes',
    '/api/v1/cases',
    `/shared/${token}`,
    '/api/v1/deadlines/1/verify',
    '/signature',
  ]
  expect(limited.filter((path) => !isLimited(path))).toEqual([])
  expect(others.filter(isLimited)).toEqual([])
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

test('a stage without a domain is reached under the address that API Gateway gives', () => {
  expect(ofApi('AWS::ApiGateway::DomainName')).toEqual([])
  expect(only(propertiesOf('AWS::ApiGateway::RestApi')).DisableExecuteApiEndpoint).toBeFalsy()
  expect(definition.servers).toBeUndefined()
  expect(JSON.stringify(template('dev', 'api').Outputs?.ApiUrl?.Value)).toMatch(
    /execute-api.*\/dev"|execute-api/,
  )
})

test('a stage with a domain is reached only under it, over TLS 1.2 or better', () => {
  expect(only(propertiesOf('AWS::ApiGateway::DomainName', 'prod'))).toMatchObject({
    DomainName: domain.name,
    SecurityPolicy: 'TLS_1_2',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  })
  expect(ofApi('AWS::ApiGateway::BasePathMapping', 'prod')).toHaveLength(1)
  expect(only(propertiesOf('AWS::ApiGateway::RestApi', 'prod')).DisableExecuteApiEndpoint).toBe(true)
  expect(definitionIn('prod').servers).toEqual([
    {
      url: `https://${domain.name}`,
      'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true },
    },
  ])
  expect(only(propertiesOf('AWS::Route53::RecordSet', 'prod'))).toMatchObject({
    Name: `${domain.name}.`,
    Type: 'A',
  })
  expect(template('prod', 'api').Outputs?.ApiUrl?.Value).toBe(`https://${domain.name}`)
  for (const [, { Properties }] of resources('prod', 'api', 'AWS::Lambda::Function'))
    expect(Properties.Environment.Variables.SERVICE_BASE_URL).toBe(`https://${domain.name}`)
})
