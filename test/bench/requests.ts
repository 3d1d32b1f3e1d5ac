import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

/** A request to the service. */
export type Request = {
  method: string
  /** The path as the endpoint declares it: `/api/v1/cases/{id}`. */
  resource: string
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Instead of `body`: a form with one file. */
  file?: SentFile
  key?: string
  idempotencyKey?: string
}

/** A file in a form. Its field is `file` by default. */
export type SentFile = { field?: string; name: string; bytes: Uint8Array }

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

const sample = readFileSync(new URL('../../events/cases-get.json', import.meta.url), 'utf8')

/** The event that API Gateway sends for a request, like `events/cases-get.json`. */
export function eventOf(request: Request): APIGatewayProxyEvent {
  const { method, resource, params, query, body, file, key, idempotencyKey } = request
  const event: APIGatewayProxyEvent = JSON.parse(sample)
  const { Authorization: _, ...headers } = event.headers
  const { Authorization: __, ...multiValueHeaders } = event.multiValueHeaders
  const path = resource.replaceAll(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? '')
  const sent: Record<string, string> = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(file !== undefined && { 'Content-Type': formType }),
  }
  return {
    ...event,
    httpMethod: method,
    resource,
    path,
    pathParameters: params ?? null,
    headers: { ...headers, ...sent },
    multiValueHeaders: {
      ...multiValueHeaders,
      ...Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    },
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters:
      query === undefined
        ? null
        : Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    requestContext: {
      ...event.requestContext,
      httpMethod: method,
      path,
      resourcePath: resource,
      requestId: randomUUID(),
    },
    body:
      file !== undefined ? formOf(file).toString('base64') : body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: file !== undefined,
  }
}

const boundary = 'a-boundary-that-no-file-holds'

/** The content type of `formOf`. */
export const formType = `multipart/form-data; boundary=${boundary}`

/** A form with one file. */
export function formOf({ field = 'file', name, bytes }: SentFile): Buffer<ArrayBuffer> {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** The part of a Lambda's context that functions use. */
export function contextOf(name: string, timeoutSeconds = 29): Context {
  const deadline = performance.now() + timeoutSeconds * 1_000
  return {
    awsRequestId: randomUUID(),
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:123456789012:function:${name}`,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'bench',
    memoryLimitInMB: '1024',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.round(deadline - performance.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}

/** Sends the request to a handler. @throws Error with the answer if its status is an error */
export async function ask(handler: Handler, request: Request): Promise<APIGatewayProxyResult> {
  const answer = await handler(eventOf(request), contextOf('bench'))
  if (answer.statusCode >= 300)
    throw new Error(`${request.method} ${request.resource}: ${answer.statusCode} ${answer.body}`)
  return answer
}
