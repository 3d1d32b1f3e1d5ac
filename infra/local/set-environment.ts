import { randomBytes } from 'node:crypto'
import { SQSClient } from '@aws-sdk/client-sqs'
import { CannotStart } from './cannot-start.ts'
import type { Credentials } from './emulators/signature.ts'
import { services } from './emulators/start-emulators.ts'

/** What a run works with, besides the addresses of its services. */
export type RunEnvironment = {
  /** What functions sign their requests with, and what the services of this machine demand. */
  credentials: Credentials
  /** What another process needs to work on the same data, without credentials that were not made here. */
  shared: Record<string, string>
}

/**
 * Sets what Lambda and the stage give a function, wherever nobody set it before. Call it before anything else is
 * started: services, clients and loggers read it when they are made.
 *
 * Every run has a secret of its own, which takes the place of any credentials of AWS that the environment holds. Only
 * where `AWS_ENDPOINT_URL_…` names a service do they stay: it may demand them, or keep tables apart by them.
 *
 * @throws CannotStart when `AWS_PROFILE` names credentials that cannot be read.
 */
export async function setEnvironment(environment: NodeJS.ProcessEnv = process.env): Promise<RunEnvironment> {
  const isAllOurs = !['DYNAMODB', ...services].some((service) => environment[`AWS_ENDPOINT_URL_${service}`])
  if (isAllOurs) {
    for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
      delete environment[name]
  }
  for (const [name, value] of Object.entries(defaults)) environment[name] ??= value
  const given = await givenCredentials(environment)
  const credentials = given ?? {
    accessKeyId: 'local',
    secretAccessKey: randomBytes(32).toString('hex'),
  }
  if (given === undefined) {
    environment.AWS_ACCESS_KEY_ID = credentials.accessKeyId
    environment.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey
  }
  const made = given === undefined ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] : []
  const shared = [...Object.keys(defaults), ...made].map((name) => [name, environment[name] ?? ''] as const)
  return { credentials, shared: Object.fromEntries(shared) }
}

async function givenCredentials(environment: NodeJS.ProcessEnv): Promise<Credentials | undefined> {
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

const defaults = {
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'aktenlage-local',
  BUCKET_NAME: 'aktenlage-local',
  SECRETS_KEY_ID: 'alias/aktenlage-local',
  MAIL_CONFIGURATION_SET: 'aktenlage-local',
  // A calendar server to try it with runs on this machine or in this network.
  SYNC_ALLOW_PRIVATE_NETWORKS: 'true',
  // One line per request would bury what matters at a terminal.
  LOG_LEVEL: 'WARN',
}
