import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputs, stackName } from '#infra/stage.ts'

/** A command line that cannot be carried out; the message says why and what to do. */
export class Misuse extends Error {}

/**
 * Points this process at the table of the service that runs on this machine, by what it wrote beside its data.
 *
 * @throws Misuse where none runs
 */
export function pointAtLocal(environment: NodeJS.ProcessEnv = process.env): void {
  const folder = environment.LOCAL_DATA_DIR || '.local'
  try {
    const run = JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'))
    Object.assign(environment, run.environment)
  } catch (error) {
    throw new Misuse(
      `No service runs on the data in ${folder}: start one with npm start, or name a --stage.`,
      { cause: error },
    )
  }
}

/**
 * Points this process at the table of a stage, by the outputs of its storage stack.
 *
 * @throws Misuse for a stage that there is not
 */
export async function pointAtStage(
  stage: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if (stage !== 'dev' && stage !== 'prod') throw new Misuse(`There is no stage ${stage}: choose dev or prod.`)
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation')
  const StackName = stackName(stage, 'storage')
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }))
  const table = Stacks?.[0]?.Outputs?.find((output) => output.OutputKey === outputs.tableName)?.OutputValue
  if (table === undefined)
    throw new Misuse(`The stack ${StackName} has no output ${outputs.tableName}: deploy it first.`)
  environment.TABLE_NAME = table
}
