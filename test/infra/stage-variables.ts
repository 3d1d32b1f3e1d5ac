import type { FunctionDeclaration } from '#functions/declaration.ts'
import { functionName, type StageName } from '#infra/stage.ts'
import { cdkContext, meantToGoWithout, type Resource, synthesise } from './synthesis.ts'

/** The variables of a function as a template has them: text, or a reference to a resource. */
export type Variables = Record<string, string | object>

/** All that a stage can have. */
export const withEverything = {
  protectData: true,
  domain: { name: 'api.kanzlei.example', hostedZone: { id: 'Z0123456789', name: 'kanzlei.example' } },
  mail: { domain: 'mail.kanzlei.example', webhookChecksSenders: true },
  signing: { tsaUrl: 'https://zeitstempel.example/tsa' },
  bea: { gatewayUrl: 'https://gateway.example/', gatewayIdent: 'kanzlei' },
  alarmEmail: 'alarm@kanzlei.example',
  backupVaultArn: 'arn:aws:backup:eu-central-1:210987654321:backup-vault:kanzleien',
  syncAllowPrivateNetworks: true,
}

/**
 * Gives the variables of functions in the stages of `cdk.json`, and in a stage that has all that one can have.
 *
 * @param ofDev the resources of the stage `dev`
 */
export function stageVariables(ofDev: ReturnType<typeof synthesise>['resources']) {
  const stages = cdkContext.stages as object
  const ofProd = synthesise({
    stage: 'prod',
    stages: { ...stages, prod: { ...Reflect.get(stages, 'prod'), ...meantToGoWithout } },
  }).resources
  const ofFull = synthesise({ stage: 'prod', stages: { ...stages, prod: withEverything } }).resources
  const sources = [
    { stage: 'dev', label: 'dev', resources: ofDev },
    { stage: 'prod', label: 'prod', resources: ofProd },
    { stage: 'prod', label: 'a stage with everything', resources: ofFull },
  ] as const

  const variablesIn = (
    { stage, resources }: { stage: StageName; resources: typeof ofDev },
    name: string,
  ): Variables => {
    const functions: [string, Resource][] = [
      ...resources(stage, 'api', 'AWS::Lambda::Function'),
      ...resources(stage, 'work', 'AWS::Lambda::Function'),
    ]
    const found = functions.find(
      ([, { Properties }]) => Properties.FunctionName === functionName(stage, name),
    )
    if (found === undefined) throw new Error(`${stage} has no function ${name}.`)
    return found[1].Properties.Environment?.Variables ?? {}
  }

  return {
    /** The variables of a function in each stage; stages that differ in nothing but their names are one. */
    of({ name }: Pick<FunctionDeclaration, 'name'>): { stages: string; variables: Variables }[] {
      const variants = sources.map((source) => ({
        label: source.label,
        variables: withoutNameOf(source.stage, variablesIn(source, name)),
      }))
      return [...Map.groupBy(variants, ({ variables }) => JSON.stringify(variables)).values()].map(
        (alike) => ({
          stages: alike.map(({ label }) => label).join(', '),
          variables: alike[0]?.variables ?? {},
        }),
      )
    },
    /** The variables of a function in the stage that has everything. */
    inFull: ({ name }: Pick<FunctionDeclaration, 'name'>) => variablesIn(sources[2], name),
  }
}

/** References name resources of a stack, which are others in each stage; the names of variables are not. */
function withoutNameOf(stage: StageName, variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value.replaceAll(`aktenlage-${stage}`, 'aktenlage-stage').replace(new RegExp(`^${stage}$`), 'stage')
        : resource,
    ]),
  )
}

const resource = { resource: true }
