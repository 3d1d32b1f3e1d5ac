import type { Engine } from './engine.ts'
import type { KeyService } from './key-service.ts'

/**
 * Sets what Lambda and the stage give a function, wherever nobody set it before. Call it before any function
 * is loaded: clients and loggers read it when they are made.
 *
 * @returns what another process needs to work on the same table, without credentials that are not made up here.
 */
export function setEnvironment(
  engine: Engine,
  environment: NodeJS.ProcessEnv = process.env,
  keyService?: Pick<KeyService, 'endpoint'>,
): Record<string, string> {
  environment.AWS_ENDPOINT_URL_DYNAMODB = engine.endpoint
  // A profile would win over the credentials below and might ask AWS for a login that nothing here needs.
  if (engine.isOurs) delete environment.AWS_PROFILE
  if (keyService !== undefined) environment.AWS_ENDPOINT_URL_KMS ??= keyService.endpoint
  for (const [name, value] of Object.entries(defaults)) environment[name] ??= value

  return Object.fromEntries(
    ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_KMS', ...Object.keys(defaults)]
      .map((name) => [name, environment[name] ?? ''] as const)
      .filter(([name, value]) => !name.includes('ACCESS_KEY') || value === credential),
  )
}

const credential = 'local'

const defaults = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: credential,
  AWS_SECRET_ACCESS_KEY: credential,
  TABLE_NAME: 'aktenlage-local',
  BUCKET_NAME: 'aktenlage-local',
  SECRETS_KEY_ID: 'alias/aktenlage-local',
  // A calendar server to try it with runs on this machine or in this network.
  SYNC_ALLOW_PRIVATE_NETWORKS: 'true',
  // One line per request would bury what matters at a terminal.
  LOG_LEVEL: 'WARN',
}
