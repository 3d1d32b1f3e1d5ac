import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { CannotStart } from './cannot-start.ts'

/**
 * The address of a service that the environment names instead of the local one. Undefined if it names none.
 *
 * @throws CannotStart if the address is not a URL, or belongs to AWS
 */
export function configuredEndpoint(service: string, environment: NodeJS.ProcessEnv): string | undefined {
  const endpoint = awsEndpoint(service, environment)
  if (endpoint === undefined) return undefined
  const own = `AWS_ENDPOINT_URL_${service}`
  const variable = environment[own] ? own : 'AWS_ENDPOINT_URL'
  if (!URL.canParse(endpoint)) throw new CannotStart(`${variable} must be a URL, not "${endpoint}".`)
  if (new URL(endpoint).hostname.endsWith('.amazonaws.com'))
    throw new CannotStart(`${variable} names AWS itself. npm start works on local data only: unset it.`)
  return endpoint
}
