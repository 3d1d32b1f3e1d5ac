/**
 * The address that replaces the endpoint of an AWS service: `AWS_ENDPOINT_URL_S3`, or `AWS_ENDPOINT_URL`, which is one
 * address for all services, as in LocalStack. Undefined if the environment has neither. The SDK reads the same
 * variables; this function is for decisions that the SDK does not make.
 *
 * @param service the SDK's name of the service in the variable, such as `S3` or `DYNAMODB`
 */
export function awsEndpoint(
  service: string,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  return environment[`AWS_ENDPOINT_URL_${service}`] || environment.AWS_ENDPOINT_URL || undefined
}
