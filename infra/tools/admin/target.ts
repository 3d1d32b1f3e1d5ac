import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRepository } from '#infra/in-repository.ts'
import { outputs, type Stage, stackName, stagesOf } from '#infra/stage.ts'

/** A command line that cannot be run. The message gives the reason and the remedy. */
export class Misuse extends Error {}

/**
 * Sets the environment of this process to the environment of the service that runs on this machine. The service
 * writes it into its data folder.
 *
 * @throws Misuse if no service runs, or if it has not started yet
 */
export function pointAtLocal(): void {
  const folder = process.env.LOCAL_DATA_DIR || '.local'
  try {
    const run = JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'))
    // A service that was killed leaves the file behind.
    requireProcess(run.pid)
    if (run.environment.TABLE_NAME === undefined) throw new Error('The service has not started yet.')
    Object.assign(process.env, run.environment)
  } catch (error) {
    throw new Misuse(
      `No service is ready on the data in ${folder}: start one with npm start and wait for its line Ready, or name a --stage.`,
      { cause: error },
    )
  }
}

/** @throws Error if no such process runs */
function requireProcess(pid: number): void {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/**
 * Sets the environment of this process to the table, the bucket and the signing key of a stage. The stage's
 * region comes from cdk.json, unless AWS_REGION names another. Table and key are outputs of the stage's
 * storage stack.
 *
 * @throws Misuse if there is no such stage or stack, if there are no credentials, or if AWS cannot be reached
 */
export async function pointAtStage(name: string): Promise<void> {
  const stage = readStage(name)
  process.env.AWS_REGION ||= stage.region
  const stack = stackName(stage.name, 'storage')
  const found = await outputsOf(stack, process.env.AWS_REGION)
  const table = found.get(outputs.tableName)
  if (table === undefined)
    throw new Misuse(
      `The stack ${stack} in ${process.env.AWS_REGION} has no output ${outputs.tableName}: deploy it first.`,
    )
  process.env.TABLE_NAME = table
  process.env.STAGE = stage.name
  process.env.BUCKET_NAME = found.get(outputs.bucketName) ?? ''
  // A stage that an earlier version deployed has no signing key; only the commands that use it need one.
  process.env.SIGNING_KEY_ID = found.get(outputs.signingKeyId) ?? ''
}

/**
 * Checks that mails can be sent from a workspace with this inbound domain: their sender is its inbound address, and a
 * stage sends only from its mail domain. A stage without a mail domain sends no mail, and accepts any domain.
 *
 * @throws Misuse if the stage has another mail domain
 */
export function checkInboundDomain(
  { name, mail }: Pick<Stage, 'name'> & { mail?: { domain: string } | undefined },
  inboundDomain: string,
): void {
  if (mail === undefined || mail.domain === inboundDomain) return
  throw new Misuse(
    `The stage ${name} sends mails only from ${mail.domain}, as its setting mail in cdk.json says: use --inbound-domain ${mail.domain}.`,
  )
}

/** The settings of a stage in cdk.json. @throws Misuse if they are not valid, or if there is no such stage */
export function readStage(name: string): Stage {
  try {
    const { context } = JSON.parse(readFileSync(inRepository('cdk.json'), 'utf8'))
    const [stage] = stagesOf({ stages: context.stages, stage: name })
    if (stage !== undefined) return stage
  } catch (error) {
    throw new Misuse(messageOf(error), { cause: error })
  }
  throw new Misuse(`There is no stage ${name} in cdk.json.`)
}

async function outputsOf(stack: string, region: string): Promise<Map<string, string>> {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation')
  const client = new CloudFormationClient({ region })
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((error) => {
    throw new Misuse(explainFailure(error, stack, region), { cause: error })
  })
  return new Map(
    Stacks?.[0]?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
  )
}

/** CloudFormation answers ValidationError for a stack that does not exist; our stack names are always valid. */
function explainFailure(error: unknown, stack: string, region: string): string {
  const name = error instanceof Error ? error.name : undefined
  if (name === 'CredentialsProviderError')
    return `There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (${messageOf(error)}).`
  if (name === 'ValidationError')
    return `There is no stack ${stack} in ${region} for these credentials: deploy the stage first, or name another region in AWS_REGION.`
  return `The stack ${stack} in ${region} cannot be looked up: ${messageOf(error)}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
