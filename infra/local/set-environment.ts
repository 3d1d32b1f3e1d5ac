import type { Engine } from './engine.ts'

/**
 * Sets what Lambda and the stage give a function, wherever nobody set it before. Call it before any function
 * is loaded: clients and loggers read it when they are made.
 */
export function setEnvironment(engine: Engine, environment: NodeJS.ProcessEnv = process.env): void {
  environment.AWS_ENDPOINT_URL_DYNAMODB = engine.endpoint
  // A profile would win over the credentials below and might ask AWS for a login that nothing here needs.
  if (engine.isOurs) delete environment.AWS_PROFILE
  for (const [name, value] of Object.entries(defaults)) environment[name] ??= value
}

const defaults = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  TABLE_NAME: 'aktenlage-local',
  // One line per request would bury what matters at a terminal.
  POWERTOOLS_LOG_LEVEL: 'WARN',
}
