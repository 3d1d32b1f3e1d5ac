import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { errorEnvelope, type GatewayAnswer, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'

/** Answers of the firewall and of the local gateway. API Gateway has no response type for them. */
type OfOthers =
  | 'tooManyAtFirewall'
  | 'noHost'
  | 'unknownMethod'
  | 'unknownVersion'
  | 'longHeaders'
  | 'longAddress'
  | 'tooSlow'
  | 'unmetExpectation'
  | 'busy'
  | 'full'

/** The response types of API Gateway for each answer. */
const occasions: Record<Exclude<keyof typeof gatewayAnswers, OfOthers>, ResponseType[]> = {
  // No method has an authorizer. So an answer about tokens or signatures has only one meaning: no method matched, and
  // the gateway tried to read the request as one that is signed for AWS. `ANY` matches seven methods, so this is also
  // the answer to PROPFIND. It cannot name the methods of the path, since there is one answer for the whole API.
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
  // This answer sets no status: a status here would become the status of every other 4XX.
  refused: [ResponseType.DEFAULT_4XX],
}

/** One entry of `x-amazon-apigateway-gateway-responses`. */
type GatewayResponse = {
  statusCode?: string
  responseParameters: Record<string, string>
  responseTemplates: { 'application/json': string }
}

/** The answers that API Gateway gives itself, by its name for the occasion, in the error envelope (G1). */
export function gatewayResponses(): Record<string, GatewayResponse> {
  return Object.fromEntries(
    Object.entries(occasions).flatMap(([kind, types]) => {
      const response = responseOf(gatewayAnswers[kind as keyof typeof occasions])
      return types.map(({ responseType }) => [responseType, response])
    }),
  )
}

function responseOf(answer: GatewayAnswer): GatewayResponse {
  const headers = { 'X-Request-Id': 'context.requestId', ...quoted(gatewayHeaders(answer)) }
  return {
    ...(answer.status !== undefined && { statusCode: String(answer.status) }),
    responseParameters: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
    ),
    responseTemplates: { 'application/json': errorEnvelope(answer, '$context.requestId') },
  }
}

/** Quotation marks make a value a literal; API Gateway reads a value without them as a name. */
function quoted(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]))
}
