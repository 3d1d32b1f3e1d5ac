import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { queues } from '#functions/queues.ts'
import type { Release } from '#infra/app.ts'
import { inRepository } from '#infra/in-repository.ts'
import { withEverything } from './stage-variables.ts'
import { cdkContext, meantToGoWithout, type Resource, synthesise } from './synthesis.ts'

const { stages } = cdkContext as { stages: Record<'dev' | 'prod', object> }
const settingsOfProd = { ...stages.prod, ...meantToGoWithout }
const prod = { stage: 'prod', stages: { ...stages, prod: settingsOfProd } }
const complete: Release = { functions: manifest, queues }
const now = synthesise(prod, complete)
const inProd = (type: string) =>
  (['api', 'work'] as const).flatMap((purpose) => now.resources('prod', purpose, type))
const find = (type: string, id: string): Resource =>
  Object.fromEntries(inProd(type))[id] ?? expect.fail(`${id} is no ${type}`)

describe.each(manifest.map(({ name }) => name))('a new version of %s', (name) => {
  const [functionId] =
    inProd('AWS::Lambda::Function').find(
      ([, { Properties }]) => Properties.FunctionName === `aktenlage-prod-${name}`,
    ) ?? []
  const [aliasId = '', alias] =
    inProd('AWS::Lambda::Alias').find(([, { Properties }]) => Properties.FunctionName.Ref === functionId) ??
    []
  const versionId: string = alias?.Properties.FunctionVersion['Fn::GetAtt'][0]
  const { ApplicationName, DeploymentGroupName } = alias?.UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {}
  const group = () => find('AWS::CodeDeploy::DeploymentGroup', DeploymentGroupName.Ref).Properties
  const alarm = () => find('AWS::CloudWatch::Alarm', group().AlarmConfiguration.Alarms[0].Name.Ref).Properties

  test('gets a tenth of the calls for five minutes, then all of them', () => {
    expect(find('AWS::Lambda::Version', versionId).Properties.FunctionName).toEqual({ Ref: functionId })
    expect(ApplicationName).toEqual(group().ApplicationName)
    expect(group().DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes')
    expect(group().DeploymentStyle).toEqual({
      DeploymentOption: 'WITH_TRAFFIC_CONTROL',
      DeploymentType: 'BLUE_GREEN',
    })
  })

  test('loses them all at its first fault, not at one of another version', () => {
    const { AlarmConfiguration, AutoRollbackConfiguration } = group()
    const version = { 'Fn::GetAtt': [versionId, 'Version'] }
    const watched = JSON.stringify(alarm())

    expect(AlarmConfiguration).toMatchObject({ Enabled: true, Alarms: [expect.anything()] })
    expect(AutoRollbackConfiguration.Enabled).toBe(true)
    expect(AutoRollbackConfiguration.Events).toEqual(
      expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
    )
    expect(alarm()).toMatchObject({ Threshold: 1, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' })
    const dimension = (dimension: string, value: unknown) => JSON.stringify({ Name: dimension, Value: value })
    expect(watched).toContain(dimension('ExecutedVersion', version))
    expect(watched).toContain(dimension('Resource', `aktenlage-prod-${name}:live`))
    const { endpoints, consumes } = manifest.find((one) => one.name === name) ?? {}
    expect(watched.includes('"MetricName":"Faults"')).toBe(endpoints !== undefined || consumes !== undefined)
    if (endpoints || consumes) expect(watched).toContain(dimension('version', version))
  })

  test('is called only through the alias', () => {
    const callers = [
      ...inProd('AWS::Lambda::Permission'),
      ...inProd('AWS::Lambda::EventSourceMapping'),
      ...inProd('AWS::Events::Rule'),
      ...inProd('AWS::ApiGateway::RestApi'),
    ].map(([, { Properties }]) => JSON.stringify(Properties))

    expect(callers.filter((caller) => caller.includes(`{"Ref":"${aliasId}"}`)).length).toBeGreaterThan(0)
    expect(callers.filter((caller) => caller.includes(`"${functionId}"`))).toEqual([])
  })

  test('is counted with its faults by the lines that its log has', () => {
    const source = readFileSync(inRepository(manifest.find((one) => one.name === name)?.entry ?? ''), 'utf8')

    // The metric has the name of the log as its dimension.
    expect(source).toMatch(new RegExp(`\\b(foundation|announcingFoundation|createLog)\\('${name}'\\)`))
  })
})

describe('a version', () => {
  const versionsOf = ({ resources }: typeof now) =>
    (['api', 'work'] as const).flatMap((purpose) =>
      resources('prod', purpose, 'AWS::Lambda::Version').map(([id]) => id),
    )
  const changed = (context: object, release: Partial<Release> = {}) =>
    versionsOf(synthesise({ ...prod, ...context }, { ...complete, ...release })).filter(
      (id) => !versionsOf(now).includes(id),
    )
  const folders = (change: Partial<FunctionDeclaration>): Release => ({
    queues,
    functions: manifest.map((one) => (one.name === 'folders' ? { ...one, ...change } : one)),
  })

  test.each([
    ['memory', { memoryMegabytes: 2048 }],
    ['time limit', { timeoutSeconds: 28 }],
    ['variables', { nodeOptions: '--max-semi-space-size=2' }],
  ])('is new if the %s of the function changed, and only for that function', (_, change) => {
    expect(changed({}, folders(change))).toEqual([expect.stringMatching(/^FoldersCurrentVersion/)])
  })

  test('stays if only alarms, logs, canaries or reserved concurrency changed', () => {
    const settings = {
      ...settingsOfProd,
      logRetentionDays: 30,
      requestsPerSecond: 100,
      concurrency: 1_000,
    }

    expect(changed({ canary: 'false', stages: { ...stages, prod: settings } })).toEqual([])
  })
})

test('with the canary off a release goes to all calls at once, and nothing watches it', () => {
  const at = synthesise({ ...prod, canary: 'false' })
  const types = at.stacks.flatMap(({ template }) =>
    Object.values<Resource>(template.Resources ?? {}).map(({ Type }) => Type),
  )

  expect(types.filter((type) => type === 'AWS::Lambda::Alias')).toHaveLength(manifest.length)
  expect(types.filter((type) => type.startsWith('AWS::CodeDeploy'))).toEqual([])
})

/** The stacks in the order in which a release is deployed, and in which it is taken back: who sends ends before who receives. */
const forward = ['storage', 'mail', 'api', 'work', 'watch'] as const
const backward = ['watch', 'api', 'work', 'mail', 'storage'] as const

/** The rehearsals are of a stage that has all that one can have. */
const full = { stage: 'prod', stages: { ...stages, prod: { ...stages.prod, ...withEverything } } }
const fullNow = synthesise(full, complete)

type Synthesised = typeof now
type Purpose = (typeof forward)[number]

/** The exports and imports of a stack. */
function exchangeOf(synthesised: Synthesised, purpose: Purpose) {
  const { Outputs = {}, ...rest } = synthesised.template('prod', purpose)
  const given = Object.values<{ Value: unknown; Export?: { Name: string } }>(Outputs).flatMap(
    ({ Value, Export }) => (Export ? [[Export.Name, JSON.stringify(Value)] as const] : []),
  )
  const taken = [...JSON.stringify(rest).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  return { gives: new Map(given), takes: new Set(taken) }
}

/**
 * What CloudFormation refuses when one release follows another, stack by stack: an import of what nobody exports, and the end or
 * the change of an export that another stack imports.
 */
function refusals(before: Synthesised, after: Synthesised, order: readonly Purpose[]): string[] {
  const deployed = new Map(forward.map((purpose) => [purpose, exchangeOf(before, purpose)]))
  return order.flatMap((purpose) => {
    const next = exchangeOf(after, purpose)
    const others = [...deployed].filter(([name]) => name !== purpose).map(([, exchange]) => exchange)
    const missing = [...next.takes].filter((name) => !others.some(({ gives }) => gives.has(name)))
    const inUse = [...(deployed.get(purpose)?.gives ?? [])]
      .filter(([name, value]) => next.gives.get(name) !== value)
      .filter(([name]) => others.some(({ takes }) => takes.has(name)))
    deployed.set(purpose, next)
    return [
      ...missing.map((name) => `${purpose} takes ${name}, which nobody gives`),
      ...inUse.map(([name]) => `${purpose} takes away ${name}, which is in use`),
    ]
  })
}

/** A release without some queues, and so without their consumers and what sends to them. */
function withoutQueues(...names: string[]): Release {
  return {
    queues: Object.fromEntries(Object.entries(queues).filter(([name]) => !names.includes(name))),
    functions: manifest
      .filter(({ consumes }) => consumes === undefined || !names.includes(consumes.queue))
      .map((declaration) => ({
        ...declaration,
        needs: {
          ...declaration.needs,
          sends: (declaration.needs.sends ?? []).filter((queue) => !names.includes(queue)),
        },
      })),
  }
}

const withFunctions = (change: (one: FunctionDeclaration) => FunctionDeclaration[]): Release => ({
  queues,
  functions: manifest.flatMap(change),
})

const dropOne = <Value extends object>(all: Value): Value =>
  Object.fromEntries(Object.entries(all).slice(1)) as Value

/** Parts that earlier releases may not have had. */
const earlier: [string, Release][] = [
  ['a queue with its worker', withoutQueues('seal')],
  ['two queues, one of which a worker sends to', withoutQueues('bea-sync', 'export-runs')],
  ['a function behind the API', withFunctions((one) => (one.name === 'folders' ? [] : [one]))],
  ['a function on a schedule', withFunctions((one) => (one.name === 'calendar-withdrawals' ? [] : [one]))],
  [
    'an endpoint of each function',
    withFunctions((one) => [one.endpoints ? { ...one, endpoints: dropOne(one.endpoints) } : one]),
  ],
  [
    'the only right to a key',
    withFunctions(({ needs: { signs: _, secrets: __, ...needs }, ...one }) => [{ ...one, needs }]),
  ],
]

describe.each(earlier)('a release that adds %s', (_, release) => {
  const before = synthesise(full, release)

  test('is deployed in the order of the stacks', () => {
    expect(refusals(before, fullNow, forward)).toEqual([])
  })

  test('is taken back in the reverse order of the stacks', () => {
    expect(refusals(fullNow, before, backward)).toEqual([])
  })
})

/** Settings with which a stage exports less than a stage that has everything. */
const fewerExports: [string, object][] = [
  ['ends its copies in another account', { backupVaultArn: undefined, without: ['backupVaultArn'] }],
  ['gets its mail from a service', { mail: { ...withEverything.mail, receivedBy: 'webhook' } }],
]

describe.each(fewerExports)('a stage that %s', (_, settings) => {
  const after = synthesise({
    ...full,
    stages: { ...stages, prod: { ...stages.prod, ...withEverything, ...settings } },
  })

  test('is deployed in the reverse order of the stacks, and back in their order', () => {
    expect(refusals(fullNow, after, forward)).not.toEqual([])
    expect(refusals(fullNow, after, backward)).toEqual([])
    expect(refusals(after, fullNow, forward)).toEqual([])
  })

  test('finds its setting in the README', () => {
    const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
    const [, removal = ''] = /\n\| removes some of them, (.*?) \| in the order/.exec(readme) ?? []

    expect(removal).toMatch(/`backupVaultArn`.*`receivedBy` to `webhook`/)
  })
})

describe('the order of the stacks matters', () => {
  test('a release that added a queue cannot be taken back in the order in which it came', () => {
    expect(refusals(fullNow, synthesise(full, withoutQueues('seal')), forward)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^storage takes away .*Seal.* which is in use$/)]),
    )
  })

  test('a release that adds one queue and takes another away can be deployed in neither', () => {
    const [before, after] = [withoutQueues('seal'), withoutQueues('bea-sync')].map((release) =>
      synthesise(full, release),
    ) as [Synthesised, Synthesised]

    expect(refusals(before, after, forward)).not.toEqual([])
    expect(refusals(before, after, backward)).not.toEqual([])
  })

  test('the README names it for both ways', () => {
    const readme = readFileSync(inRepository('infra/README.md'), 'utf8')

    expect(readme).toContain(`for stack in ${backward.join(' ')}; do`)
  })
})
