import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Stack } from 'aws-cdk-lib/core'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { pathsOf } from '#functions/manifest.ts'
import { gatewayResponses } from './gateway-responses.ts'

/** A function behind the API and its declaration in the manifest. */
export type ServedFunction = { declaration: FunctionDeclaration; target: IFunction }

type ApiSettings = {
  name: string
  description: string
  /** The only domain under which the API answers. Absent: it answers under API Gateway's own address. */
  domainName: string | undefined
}

/**
 * The API as an OpenAPI 3.0 document for API Gateway to import: each path with the function that answers it, and the
 * answers that API Gateway gives itself. It holds no schemas: the functions validate their input, and the document
 * for people and tools is `/api/v1/openapi.json`. No route has an authorizer: the functions check the API key at
 * every request, so a revoked key stops working at once. An authorizer with a cache cannot promise that.
 *
 * One imported API is one CloudFormation resource, whatever the number of endpoints; a resource for each path and
 * method would exceed the limit of 500 resources in a stack.
 *
 * @throws Error if two functions declare the same path
 */
export function apiDefinition(functions: readonly ServedFunction[], settings: ApiSettings) {
  return {
    openapi: '3.0.1',
    info: { title: settings.name, description: settings.description, version: '1' },
    ...(settings.domainName !== undefined && { servers: [serverAt(settings.domainName)] }),
    paths: definedPaths(functions),
    // API Gateway passes bodies of these types to a function as base64. JSON must not be one of them.
    'x-amazon-apigateway-binary-media-types': ['multipart/form-data'],
    'x-amazon-apigateway-minimum-compression-size': 1_024,
    'x-amazon-apigateway-gateway-responses': gatewayResponses(),
  }
}

function serverAt(domainName: string) {
  return {
    url: `https://${domainName}`,
    'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true },
  }
}

type Operation = {
  parameters: { name: string; in: 'path'; required: true; schema: { type: 'string' } }[]
  responses: Record<string, { description: string }>
  'x-amazon-apigateway-integration': Integration
}

type PathItem = { 'x-amazon-apigateway-any-method': Operation }

type Integration = {
  type: 'aws_proxy'
  httpMethod: 'POST'
  uri: string
  passthroughBehavior: 'when_no_match'
  responseTransferMode?: 'STREAM'
  timeoutInMillis?: number
}

/**
 * Each path with the one function that answers it, whatever the method. The function accepts HEAD wherever it
 * has GET, and refuses a method that the path does not have with 405 and `Allow`. API Gateway alone would
 * answer 403 or 404.
 */
function definedPaths(functions: readonly ServedFunction[]): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {}
  for (const { declaration, target } of functions) {
    const integration = integrationOf(declaration, target)
    for (const path of pathsOf(declaration)) {
      if (paths[path] !== undefined) throw new Error(`Two functions declare ${path}: it needs one.`)
      paths[path] = {
        'x-amazon-apigateway-any-method': {
          parameters: parametersOf(path),
          responses: anyAnswer,
          'x-amazon-apigateway-integration': integration,
        },
      }
    }
  }
  return paths
}

/** OpenAPI requires an answer for every operation. The function sets the status of each answer itself. */
const anyAnswer = { 200: { description: 'The answer of the function, passed on unchanged.' } }

function parametersOf(path: string): Operation['parameters'] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

/** How API Gateway calls a function. A streaming function is called with another action and another time limit. */
function integrationOf(
  { streams, timeoutSeconds }: Pick<FunctionDeclaration, 'streams' | 'timeoutSeconds'>,
  target: IFunction,
): Integration {
  const action = streams
    ? `2021-11-15/functions/${target.functionArn}/response-streaming-invocations`
    : `2015-03-31/functions/${target.functionArn}/invocations`
  return {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: Stack.of(target).formatArn({
      service: 'apigateway',
      account: 'lambda',
      resource: 'path',
      resourceName: action,
    }),
    passthroughBehavior: 'when_no_match',
    ...(streams && { responseTransferMode: 'STREAM', timeoutInMillis: timeoutSeconds * 1_000 }),
  }
}
