import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { errorEnvelope, type GatewayAnswer, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'
import { pascalCase } from './group-function.ts'

/** When API Gateway gives which answer. What the firewall says itself is not here. */
const occasions: Record<Exclude<keyof typeof gatewayAnswers, 'tooManyFromAddress'>, ResponseType[]> = {
  // No method has an authorizer, so that whatever the gateway says of tokens and signatures means one
  // thing: no method matched, and it tried to read the request as one that is signed for AWS.
  unknownRoute: [
    ResponseType.MISSING_AUTHENTICATION_TOKEN,
    ResponseType.RESOURCE_NOT_FOUND,
    ResponseType.INVALID_SIGNATURE,
    ResponseType.EXPIRED_TOKEN,
    ResponseType.UNAUTHORIZED,
    ResponseType.ACCESS_DENIED,
    ResponseType.INVALID_API_KEY,
  ],
  malformed: [ResponseType.BAD_REQUEST_BODY, ResponseType.BAD_REQUEST_PARAMETERS],
  tooLarge: [ResponseType.REQUEST_TOO_LARGE],
  unsupportedMedia: [ResponseType.UNSUPPORTED_MEDIA_TYPE],
  tooMany: [ResponseType.THROTTLED, ResponseType.QUOTA_EXCEEDED],
  blocked: [ResponseType.WAF_FILTERED],
  unavailable: [ResponseType.INTEGRATION_FAILURE, ResponseType.INTEGRATION_TIMEOUT],
  fault: [
    ResponseType.DEFAULT_5XX,
    ResponseType.API_CONFIGURATION_ERROR,
    ResponseType.AUTHORIZER_FAILURE,
    ResponseType.AUTHORIZER_CONFIGURATION_ERROR,
  ],
  // It has no status: one here would become the status of every other 4XX.
  refused: [ResponseType.DEFAULT_4XX],
}

/** Rewrites everything that the gateway answers itself into the error envelope (G1). */
export function addGatewayResponses(api: RestApi): void {
  for (const [kind, types] of Object.entries(occasions)) {
    const answer: GatewayAnswer = gatewayAnswers[kind as keyof typeof occasions]
    for (const type of types) {
      api.addGatewayResponse(pascalCase(type.responseType.toLowerCase().replaceAll('_', '-')), {
        type,
        ...(answer.status !== undefined && { statusCode: String(answer.status) }),
        templates: { 'application/json': errorEnvelope(answer, '$context.requestId') },
        responseHeaders: { 'X-Request-Id': 'context.requestId', ...quoted(gatewayHeaders(answer)) },
      })
    }
  }
}

/** Values that stand for themselves; without quotation marks API Gateway reads them as names. */
function quoted(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]))
}
