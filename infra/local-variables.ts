/** The variables that Lambda and the stage set for functions, with the values of `npm start`. */
export const localVariables = {
  AWS_REGION: 'eu-central-1',
  STAGE: 'local',
  TABLE_NAME: 'aktenlage-local',
  BUCKET_NAME: 'aktenlage-local',
  SECRETS_KEY_ID: 'alias/aktenlage-local',
  SIGNING_KEY_ID: 'alias/aktenlage-local-signing',
  MAIL_CONFIGURATION_SET: 'aktenlage-local',
  MAIL_SERVICE_CHECKS_SENDERS: 'true',
  // For local tests the calendar server runs on this machine or in its network.
  SYNC_ALLOW_PRIVATE_NETWORKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  // Without a line for every request, important messages are visible at the terminal.
  LOG_LEVEL: 'WARN',
}
