import { routeNotFound } from '#http/route-not-found.ts'

/**
 * An answer that the gateway gives itself, before it calls a function or instead of the function's answer.
 */
export type GatewayAnswer = {
  /** Absent: API Gateway chooses the status. */
  status?: number
  /** One of the codes of the interface. */
  code: string
  message: string
  retryAfterSeconds?: number
}

/**
 * The answers that the gateway gives itself, on AWS and locally. Functions use the same texts for the same
 * cases.
 */
export const gatewayAnswers = {
  unknownRoute: { status: 404, ...routeNotFound },
  malformed: invalid(
    'The request is malformed: percent-encode its address in UTF-8 (ü is %C3%BC), and check its headers and its body.',
  ),
  noHost: invalid('The header Host is missing: send it, also with HTTP/1.0.'),
  unknownMethod: invalid(
    'The request begins with a method that HTTP does not have: its methods are GET, HEAD, POST, PUT, PATCH, DELETE and others, in capital letters.',
  ),
  unknownVersion: invalid('This version of HTTP is not supported: send HTTP/1.1.'),
  longHeaders: invalid('The address or the headers are too long: at most 10 240 characters each.'),
  longAddress: invalid('The address is too long: at most 10 240 characters.'),
  tooSlow: invalid('The request did not arrive in time: send it again.'),
  unmetExpectation: {
    status: 417,
    code: 'VALIDATION_ERROR',
    message: 'The value of the header Expect is not supported: only 100-continue is.',
  },
  tooLarge: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message:
      'The request is too large: at most 6 MB can be sent at once, of a form with files 4.4 MiB. Larger files, up to 200 MiB: POST /api/v1/documents/uploads.',
  },
  unsupportedMedia: {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'This content type is not accepted here.',
  },
  tooMany: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many requests. Wait a moment, then try again.',
    retryAfterSeconds: 1,
  },
  tooManyAtFirewall: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many requests with your key, or from your address. Wait a minute, then try again.',
    retryAfterSeconds: 60,
  },
  blocked: {
    status: 403,
    code: 'REQUEST_BLOCKED',
    message: 'The firewall refused this request. If it is a rightful one, report the request id.',
  },
  busy: {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'The service is busy or has just been started. Nothing was changed: try again in a moment.',
    retryAfterSeconds: 2,
  },
  full: {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'The disk of the service is full. Nothing was changed: make room, then try again.',
    retryAfterSeconds: 60,
  },
  unavailable: {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    // The gateway does not know what the function has done. Without a Retry-After, clients do not retry
    // automatically.
    message:
      'The service did not answer in time. It is not known whether a change was made: check before you send it again.',
  },
  fault: {
    status: 500,
    code: 'INTERNAL_ERROR',
    message:
      'Something went wrong on our side. Before you send a change again, check whether it was made. If the error persists, report the request id.',
  },
  refused: {
    code: 'VALIDATION_ERROR',
    message: 'The request was refused: check its path, method and headers.',
  },
} as const satisfies Record<string, GatewayAnswer>

/** The headers of an answer without `X-Request-Id` and the content type. */
export function gatewayHeaders({ retryAfterSeconds }: GatewayAnswer): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  }
}

/** The body of an answer in the error envelope (G1). `requestId` may be a placeholder that API Gateway fills in. */
export function errorEnvelope({ code, message }: GatewayAnswer, requestId: string): string {
  return JSON.stringify({ error: { code, message, request_id: requestId } })
}

function invalid(message: string) {
  return { status: 400, code: 'VALIDATION_ERROR', message } as const
}
