/**
 * The address under which a service of AWS is called in place of AWS itself: `AWS_ENDPOINT_URL_S3`, or `AWS_ENDPOINT_URL`,
 * which names one address for all services, as LocalStack has. Undefined if the environment names none. The SDK reads the
 * same variables; this is for what it does not decide by itself.
 *
 * @param service as the SDK names it in the variable, such as `S3` or `DYNAMODB`
 */
export function awsEndpoint(
  service: string,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  return environment[`AWS_ENDPOINT_URL_${service}`] || environment.AWS_ENDPOINT_URL || undefined
}
