import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib/core'
import { afterAll } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { queues } from '#functions/queues.ts'
import { createApp, type Release } from '#infra/app.ts'
import { type StackPurpose, type StageName, stackName } from '#infra/stage.ts'

export type Resource = {
  Type: string
  // biome-ignore lint/suspicious/noExplicitAny: a template is what CloudFormation reads, and has no types
  Properties: Record<string, any>
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
  // biome-ignore lint/suspicious/noExplicitAny: as its properties
  UpdatePolicy?: Record<string, any>
  Metadata?: Record<string, unknown>
}

type Template = { Resources: Record<string, Resource>; Outputs?: Record<string, { Value: unknown }> }

export const cdkContext: Record<string, unknown> = JSON.parse(readFileSync('cdk.json', 'utf8')).context

/** A stage with data to protect that is chosen says what it is meant to go without. */
export const meantToGoWithout = { without: ['alarmEmail', 'backupVaultArn', 'mail'] }

/**
 * Synthesises the application as `cdk.json` configures it, changed by `context`. It does not bundle the functions,
 * since no test of the templates looks into them. cdk-nag's rules are always checked. CloudFormation's own rules take a
 * second, so they are checked only for their own test.
 */
export function synthesise(
  context: Record<string, unknown> = {},
  {
    checkRulesOfCloudFormation = false,
    ...release
  }: Partial<Release> & { checkRulesOfCloudFormation?: boolean } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'synthesis-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const app = createApp(
    {
      outdir: directory,
      builtinCloudFormationValidation: checkRulesOfCloudFormation,
      context: { ...cdkContext, 'aws:cdk:bundling-stacks': [], ...context },
    },
    { functions: manifest, queues, ...release },
  )
  const assembly = app.synth()
  const template = (stage: StageName, purpose: StackPurpose): Template =>
    assembly.getStackByName(stackName(stage, purpose)).template
  return {
    app,
    /** The folder of the templates and the bundles. */
    directory,
    stacks: assembly.stacks,
    template,
    /** The resources of this type, by logical id. */
    resources: (stage: StageName, purpose: StackPurpose, type: string): [string, Resource][] =>
      Object.entries(template(stage, purpose).Resources ?? {}).filter(
        ([, resource]) => resource.Type === type,
      ),
    /** Every acknowledged rule with its reason. */
    acknowledged: (): { id: string; reason: string }[] =>
      app.node
        .findAll()
        .flatMap(({ node }) => node.metadata)
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.entries(data as Record<string, string>))
        .map(([id, reason]) => ({ id, reason })),
  }
}
