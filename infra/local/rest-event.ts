import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Match } from './find-route.ts'

/** A request as it arrived, with its body read. */
export type Arrived = {
  request: IncomingMessage
  /** The target without its query, as sent. */
  path: string
  /** What follows the question mark, as sent. */
  query: string
  body: Buffer
  requestId: string
}

/**
 * The event that a REST API with Lambda proxy integration sends for a request, where `multipart/form-data` is
 * the only binary media type: that body arrives in base64, every other one as UTF-8 text in which broken bytes
 * have become U+FFFD.
 */
export function restEvent(arrived: Arrived, { route, pathParameters }: Match): APIGatewayProxyEvent {
  const { request, path, query, body, requestId } = arrived
  const headers = grouped(headersOf(request))
  const parameters = grouped([...new URLSearchParams(query)])
  const isBase64Encoded = mediaType(request.headers['content-type']) === binaryMediaType
  const httpMethod = request.method ?? ''
  const now = new Date()

  return {
    resource: route.path,
    path,
    httpMethod,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: query === '' ? null : lastOf(parameters),
    multiValueQueryStringParameters: query === '' ? null : parameters,
    pathParameters,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'local',
      authorizer: undefined,
      // Not the header Host, which the caller chooses: on AWS only the API's own names lead here.
      domainName: `${request.socket.localAddress}:${request.socket.localPort}`,
      domainPrefix: 'local',
      extendedRequestId: requestId,
      httpMethod,
      identity: {
        ...nobody,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? null,
      },
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: now.toISOString(),
      requestTimeEpoch: now.getTime(),
      resourceId: 'local',
      resourcePath: route.path,
      stage: 'local',
    },
    body: body.length === 0 ? null : body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64Encoded && body.length > 0,
  }
}

/** The binary media type of the API, for bodies in both directions. */
export const binaryMediaType = 'multipart/form-data'

/** The type of a `Content-Type` or `Accept` header without its parameters. */
export function mediaType(header: string | undefined): string | undefined {
  return header?.split(';')[0]?.trim().toLowerCase()
}

type Pair = [name: string, value: string]

/** The headers as sent, names in their case, with those that API Gateway adds. */
function headersOf({ rawHeaders, socket }: IncomingMessage): Pair[] {
  const sent: Pair[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    sent.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  return [
    ...sent.filter(([name]) => !/^x-forwarded-(for|proto|port)$/i.test(name)),
    ['X-Forwarded-For', socket.remoteAddress ?? ''],
    ['X-Forwarded-Port', String(socket.localPort ?? '')],
    ['X-Forwarded-Proto', 'http'],
  ]
}

/** Built from entries, so that a name like `__proto__` is a name like any other. */
function grouped(pairs: Pair[]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries([...groups].map(([name, values]) => [name, values.map(([, value]) => value)]))
}

function lastOf(groups: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? '']))
}

const nobody = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
}
