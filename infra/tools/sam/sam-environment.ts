import { queues } from '#functions/queues.ts'
import { localVariables } from '#infra/local-variables.ts'
import { queueVariable } from '#queue/queue-variable.ts'

/** The parts of a CDK template that are read here. */
export type Template = {
  Resources: Record<
    string,
    { Type: string; Properties?: Record<string, unknown>; Metadata?: Record<string, unknown> }
  >
}

/**
 * Makes the CDK write metadata into a template by which SAM finds the code of a function, and its id without a hash. The
 * command line of the CDK sets both by itself.
 */
export const samContext = { 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true }

/** The address at which a SAM container reaches services of this machine, such as LocalStack. */
const endpoint = 'http://host.docker.internal:4566'

/** The variables of each function by its name, in the format of `sam local invoke --env-vars`. */
type SamEnvironment = Record<string, Record<string, string>>

/**
 * The variables of the functions of a template, with the names that `npm start` gives to the table, bucket
 * and queues.
 *
 * @throws Error for a variable that refers to something else
 */
export function samEnvironment(template: Template): SamEnvironment {
  return Object.fromEntries(
    functionsOf(template).map(({ FunctionName, Environment }) => [
      FunctionName,
      Object.fromEntries(
        Object.entries(Environment?.Variables ?? {}).map(([name, value]) => [
          name,
          localValueOf(name, value),
        ]),
      ),
    ]),
  )
}

/**
 * The template for `sam local invoke`: its containers have the architecture of this machine, and its functions have
 * `AWS_ENDPOINT_URL`, since SAM sets only variables that are in the template.
 */
export function samTemplate(template: Template, architecture: string): Template {
  const copy = structuredClone(template)
  for (const properties of functionsOf(copy)) {
    properties.Architectures = [architecture]
    properties.Environment = {
      Variables: { ...properties.Environment?.Variables, AWS_ENDPOINT_URL: endpoint },
    }
  }
  return copy
}

type FunctionProperties = {
  FunctionName: string
  Architectures?: string[]
  Environment?: { Variables: Record<string, unknown> }
}

function functionsOf({ Resources }: Template): FunctionProperties[] {
  return Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => Properties as FunctionProperties)
    .filter(({ FunctionName }) => FunctionName !== undefined)
}

function localValueOf(name: string, value: unknown): string {
  const local = values[name]
  if (local !== undefined) return local
  if (typeof value === 'string') return value
  throw new Error(`There is no local value for ${name}.`)
}

const values: Record<string, string> = {
  ...localVariables,
  AWS_ENDPOINT_URL: endpoint,
  ...Object.fromEntries(
    Object.keys(queues).map((name) => [
      queueVariable(name),
      `${endpoint}/000000000000/${localVariables.TABLE_NAME}-${name}`,
    ]),
  ),
}
