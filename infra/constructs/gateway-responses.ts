import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { pascalCase } from './group-function.ts'

type GatewayAnswer = {
  types: readonly ResponseType[]
  /** Absent: the status that API Gateway chose. */
  status?: number
  code: string
  message: string
  retryAfterSeconds?: number
}

/** What the gateway answers itself, before or instead of a function: codes and statuses of the interface. */
const answers: readonly GatewayAnswer[] = [
  {
    // No method has an authorizer, so that whatever the gateway says of tokens and signatures means one
    // thing: no method matched, and it tried to read the request as one that is signed for AWS.
    types: [
      ResponseType.MISSING_AUTHENTICATION_TOKEN,
      ResponseType.RESOURCE_NOT_FOUND,
      ResponseType.INVALID_SIGNATURE,
      ResponseType.EXPIRED_TOKEN,
      ResponseType.UNAUTHORIZED,
      ResponseType.ACCESS_DENIED,
      ResponseType.INVALID_API_KEY,
    ],
    status: 404,
    code: 'ROUTE_NOT_FOUND',
    message: 'There is no such path, or not with this method.',
  },
  {
    types: [ResponseType.BAD_REQUEST_BODY, ResponseType.BAD_REQUEST_PARAMETERS],
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'The request is malformed: check its headers and its body.',
  },
  {
    types: [ResponseType.REQUEST_TOO_LARGE],
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message:
      'The request is too large: at most 4.4 MiB can be sent at once. Larger files, up to 200 MiB: POST /api/v1/documents/uploads.',
  },
  {
    types: [ResponseType.UNSUPPORTED_MEDIA_TYPE],
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This content type is not accepted here.',
  },
  {
    types: [ResponseType.THROTTLED, ResponseType.QUOTA_EXCEEDED],
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many requests. Wait a moment, then try again.',
    retryAfterSeconds: 1,
  },
  {
    types: [ResponseType.WAF_FILTERED],
    status: 403,
    code: 'VALIDATION_ERROR',
    message: 'The firewall refused this request. If it is a rightful one, report the request id.',
  },
  {
    types: [ResponseType.INTEGRATION_FAILURE, ResponseType.INTEGRATION_TIMEOUT],
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'The service did not answer in time. Try again in a moment.',
    retryAfterSeconds: 2,
  },
  {
    types: [
      ResponseType.DEFAULT_5XX,
      ResponseType.API_CONFIGURATION_ERROR,
      ResponseType.AUTHORIZER_FAILURE,
      ResponseType.AUTHORIZER_CONFIGURATION_ERROR,
    ],
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side. Try again; if it stays, report the request id.',
  },
  {
    // A status here would become the status of every other 4XX.
    types: [ResponseType.DEFAULT_4XX],
    code: 'VALIDATION_ERROR',
    message: 'The request was refused: check its path, method and headers.',
  },
]

/** Rewrites everything that the gateway answers itself into the error envelope (G1). */
export function addGatewayResponses(api: RestApi): void {
  for (const { types, status, code, message, retryAfterSeconds } of answers) {
    for (const type of types) {
      api.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll('_', '-')), {
        type,
        ...(status !== undefined && { statusCode: String(status) }),
        templates: { 'application/json': errorEnvelope(code, message, '$context.requestId') },
        responseHeaders: {
          'X-Request-Id': 'context.requestId',
          'Cache-Control': "'no-store'",
          'X-Content-Type-Options': "'nosniff'",
          'Strict-Transport-Security': "'max-age=63072000; includeSubDomains'",
          ...(retryAfterSeconds !== undefined && { 'Retry-After': `'${retryAfterSeconds}'` }),
        },
      })
    }
  }
}

/** An error body as JSON text. `requestId` may be a placeholder that is filled in later. */
export function errorEnvelope(code: string, message: string, requestId: string): string {
  return JSON.stringify({ error: { code, message, request_id: requestId } })
}
