import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '#infra/app.ts'
import { machineArchitecture } from '#infra/architecture.ts'
import { inRepository } from '#infra/in-repository.ts'
import { stackName } from '#infra/stage.ts'
import { samContext, samEnvironment, samTemplate, type Template } from './sam-environment.ts'

/**
 * `npm run sam` writes the files that `sam local invoke` needs: `cdk.out/sam-api.json` and
 * `cdk.out/sam-work.json` with the bundles beside them, and `events/env.json`.
 */
const outdir = inRepository('cdk.out')
const context = JSON.parse(readFileSync(inRepository('cdk.json'), 'utf8')).context
const assembly = createApp({ outdir, context: { ...context, ...samContext, stage: 'dev' } }).synth()
const templates = (['api', 'work'] as const).map((purpose) => {
  const template: Template = assembly.getStackByName(stackName('dev', purpose)).template
  const forSam = samTemplate(template, machineArchitecture().name)
  writeFileSync(join(outdir, `sam-${purpose}.json`), JSON.stringify(forSam))
  return forSam
})
const environment = Object.assign({}, ...templates.map(samEnvironment))
writeFileSync(inRepository('events/env.json'), `${JSON.stringify(environment, null, 2)}\n`)
