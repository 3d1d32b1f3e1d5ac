import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { systemClock } from '#kernel/clock.ts'
import { localAccount } from './aws-place.ts'
import type { Match } from './find-route.ts'

/** A request with its body. */
type Arrived = {
  request: IncomingMessage
  /** The path as sent. */
  path: string
  /** The query as sent, without the question mark. */
  query: string
  body: Buffer
  requestId: string
}

/**
 * The event of a request to a REST API with Lambda proxy integration. `multipart/form-data` is the only binary media
 * type: its body is base64. Every other body is UTF-8 text, with U+FFFD for invalid bytes.
 */
export function restEvent(arrived: Arrived, { route, pathParameters }: Match): APIGatewayProxyEvent {
  const { request, path, query, body, requestId } = arrived
  const headers = grouped(headersOf(request))
  const parameters = grouped([...new URLSearchParams(query)])
  const isBase64Encoded = mediaType(request.headers['content-type']) === binaryMediaType
  const httpMethod = request.method ?? ''
  const now = systemClock.now()

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
      accountId: localAccount,
      apiId: 'local',
      authorizer: undefined,
      // Not the header Host, which the caller chooses. On AWS this is one of the API's own names.
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

/** The media type in a `Content-Type` or `Accept` header, without parameters. */
export function mediaType(header: string | undefined): string | undefined {
  return header?.split(';')[0]?.trim().toLowerCase()
}

type Pair = [name: string, value: string]

/** The headers as sent, with the case of their names, and the headers that API Gateway adds. */
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

/** Groups values by name. It builds the object from entries, so that `__proto__` is an ordinary name. */
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
