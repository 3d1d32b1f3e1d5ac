import { randomBytes } from 'node:crypto'
import { SQSClient } from '@aws-sdk/client-sqs'
import { localVariables } from '#infra/local-variables.ts'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { CannotStart } from './cannot-start.ts'
import type { Credentials } from './emulators/signature.ts'
import { services } from './emulators/start-emulators.ts'

/** The environment of a run, without the addresses of its services. */
type RunEnvironment = {
  /** Functions sign their requests with these credentials, and the local services require them. */
  credentials: Credentials
  /** The variables that another process needs for the same data. They contain no AWS credentials. */
  shared: Record<string, string>
}

/**
 * Sets the variables that Lambda and the stage set for a function, unless they are set. Call it before anything is
 * started: services, clients and loggers read them when they are created.
 *
 * Every run has its own secret, which replaces AWS credentials in the environment. These stay only if an
 * `AWS_ENDPOINT_URL` or `AWS_ENDPOINT_URL_…` names a service: it may require them, or use them to separate tables.
 *
 * @throws CannotStart if `AWS_PROFILE` names credentials that cannot be read
 */
export async function setEnvironment(environment: NodeJS.ProcessEnv = process.env): Promise<RunEnvironment> {
  const isAllOurs = !['DYNAMODB', ...services].some((service) => awsEndpoint(service, environment))
  if (isAllOurs) {
    for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
      delete environment[name]
  }
  for (const [name, value] of Object.entries(localVariables)) environment[name] ??= value
  const configured = await configuredCredentials(environment)
  const credentials = configured ?? {
    accessKeyId: 'local',
    secretAccessKey: randomBytes(32).toString('hex'),
  }
  if (configured === undefined) {
    environment.AWS_ACCESS_KEY_ID = credentials.accessKeyId
    environment.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey
  }
  const made = configured === undefined ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] : []
  const shared = [...Object.keys(localVariables), ...made].map(
    (name) => [name, environment[name] ?? ''] as const,
  )
  return { credentials, shared: Object.fromEntries(shared) }
}

async function configuredCredentials(environment: NodeJS.ProcessEnv): Promise<Credentials | undefined> {
  const { AWS_PROFILE: profile, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secret } = environment
  if (profile) return credentialsOf(profile)
  return accessKeyId && secret ? { accessKeyId, secretAccessKey: secret } : undefined
}

async function credentialsOf(profile: string): Promise<Credentials> {
  const client = new SQSClient({ profile })
  try {
    const { accessKeyId, secretAccessKey } = await client.config.credentials()
    return { accessKeyId, secretAccessKey }
  } catch (error) {
    throw new CannotStart(
      `AWS_PROFILE names the profile ${profile}, whose credentials cannot be read (${String(error)}). Unset it, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
      error,
    )
  } finally {
    client.destroy()
  }
}
