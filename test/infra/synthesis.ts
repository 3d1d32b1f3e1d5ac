import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib/core'
import { afterAll } from 'vitest'
import { createApp } from '#infra/app.ts'
import { type StackPurpose, type StageName, stackName } from '#infra/stage.ts'

export type Resource = {
  Type: string
  // biome-ignore lint/suspicious/noExplicitAny: a template is what CloudFormation reads, and has no types
  Properties: Record<string, any>
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
  Metadata?: Record<string, unknown>
}

type Template = { Resources: Record<string, Resource>; Outputs?: Record<string, { Value: unknown }> }

export const cdkContext: Record<string, unknown> = JSON.parse(readFileSync('cdk.json', 'utf8')).context

/**
 * The application as `cdk.json` configures it, changed by `context`, without bundling the functions: what is
 * asserted here does not look into them. CloudFormation's own rules take a second, so that only the test that
 * is about them has them checked; cdk-nag's always are.
 */
export function synthesise(
  context: Record<string, unknown> = {},
  { checkRulesOfCloudFormation = false } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), 'synthesis-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const app = createApp({
    outdir: directory,
    builtinCloudFormationValidation: checkRulesOfCloudFormation,
    context: { ...cdkContext, 'aws:cdk:bundling-stacks': [], ...context },
  })
  const assembly = app.synth()
  const template = (stage: StageName, purpose: StackPurpose): Template =>
    assembly.getStackByName(stackName(stage, purpose)).template
  return {
    app,
    /** Where the templates and the bundles were written. */
    directory,
    stacks: assembly.stacks,
    template,
    /** The resources of this type, by logical id. */
    resources: (stage: StageName, purpose: StackPurpose, type: string): [string, Resource][] =>
      Object.entries(template(stage, purpose).Resources ?? {}).filter(
        ([, resource]) => resource.Type === type,
      ),
    /** Every rule that was acknowledged anywhere, with its reason. */
    acknowledged: (): { id: string; reason: string }[] =>
      app.node
        .findAll()
        .flatMap(({ node }) => node.metadata)
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.entries(data as Record<string, string>))
        .map(([id, reason]) => ({ id, reason })),
  }
}
