import { describe, expect, test } from 'vitest'
import { stagesOf } from '#infra/stage.ts'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const given = cdkContext.stages as Record<'dev' | 'prod', object>
const withEverything = {
  stages: {
    ...given,
    prod: {
      ...given.prod,
      domain: { name: 'api.kanzlei.example', hostedZone: { id: 'Z1', name: 'kanzlei.example' } },
      mail: { domain: 'mail.kanzlei.example', hostedZone: { id: 'Z1', name: 'kanzlei.example' } },
      bea: { gatewayUrl: 'https://gateway.example/', gatewayIdent: 'firm' },
      alarmEmail: 'it@kanzlei.example',
      backupVaultArn: 'arn:aws:backup:eu-central-1:210987654321:backup-vault:kanzleien',
    },
  },
}
const later = synthesise(withEverything)
const ofProd = { ...withEverything, stage: 'prod' }
const first = synthesise({ ...ofProd, first: 'true' })

type Synthesised = typeof later
const resourcesOf = ({ stacks }: Synthesised, stage: 'dev' | 'prod') =>
  stacks
    .filter(({ stackName }) => stackName.startsWith(`aktenlage-${stage}-`))
    .flatMap(({ stackName, template }) =>
      Object.entries<Resource>(template.Resources ?? {}).map(([id, resource]) => ({
        place: `${stackName}/${id}`,
        resource,
      })),
    )
const outlivesItsStack = ({ resource }: { resource: Resource }) =>
  /^Retain/.test(resource.DeletionPolicy ?? '')

/** The names of resources in CloudFormation: each is a property that ends so. */
const nameOf = ({ Type, Properties }: Resource): unknown => {
  const [, , kind = ''] = Type.split('::')
  return Properties?.[`${kind}Name`] ?? Properties?.Name
}

describe('a first deployment that fails can be repeated', () => {
  test.each(['dev', 'prod'] as const)('%s retains nothing of a stack whose creation failed', (stage) => {
    const kept = resourcesOf(later, stage).filter(outlivesItsStack)

    expect(kept.length).toBeGreaterThan(stage === 'prod' ? 40 : 0)
    expect(kept.filter(({ resource }) => resource.DeletionPolicy !== 'RetainExceptOnCreate')).toEqual([])
    expect(kept.filter(({ resource }) => resource.UpdateReplacePolicy !== 'Retain')).toEqual([])
  })

  test.each([
    'dev',
    'prod',
  ] as const)('a resource that outlives a stack of %s has a name that the next stack does not ask for', (stage) => {
    const fixed = resourcesOf(later, stage)
      .filter(outlivesItsStack)
      .filter(({ resource }) => {
        const name = nameOf(resource)
        return name !== undefined && !/"Ref":"(AWS::StackId|RestApi\w*)"/.test(JSON.stringify(name))
      })

    expect(fixed).toEqual([])
  })

  test('the log of the firewall and the vault of backups outlive their stack under names that differ in each stack', () => {
    const names = resourcesOf(later, 'prod')
      .filter(outlivesItsStack)
      .flatMap(({ resource }) => nameOf(resource) ?? [])
      .map((name) => JSON.stringify(name))

    expect(names.filter((name) => name.includes('aws-waf-logs-aktenlage-prod-'))).toHaveLength(1)
    expect(names.filter((name) => name.includes('aktenlage-prod-') && !name.includes('waf'))).toHaveLength(1)
  })

  test('its stacks and its table can be deleted, and nothing else differs from later deployments', () => {
    const second = synthesise(ofProd)
    const ofLater = new Map(resourcesOf(second, 'prod').map(({ place, resource }) => [place, resource]))
    const ofFirst = resourcesOf(first, 'prod')

    const different = ofFirst.filter(
      ({ place, resource }) => JSON.stringify(resource) !== JSON.stringify(ofLater.get(place)),
    )

    expect(ofFirst.length).toBe(ofLater.size)
    expect(different.map(({ resource }) => resource.Type)).toEqual(['AWS::DynamoDB::Table'])
    for (const { place, resource } of different) {
      expect(resource.Properties.DeletionProtectionEnabled).toBe(false)
      expect({ ...resource.Properties, DeletionProtectionEnabled: true }).toEqual(
        ofLater.get(place)?.Properties,
      )
    }
    expect(first.stacks.map(({ terminationProtection }) => terminationProtection === true)).toEqual(
      Array(5).fill(false),
    )
  })
})

describe('protection from deletion', () => {
  test('is on unless a deployment is said to be the first', () => {
    const ofProd = later.stacks.filter(({ stackName }) => stackName.startsWith('aktenlage-prod-'))

    expect(ofProd.map(({ terminationProtection }) => terminationProtection)).toEqual(Array(5).fill(true))
    expect(JSON.stringify(later.template('prod', 'storage'))).toContain('"DeletionProtectionEnabled":true')
  })

  test('is missed loudly as long as it is off', () => {
    const warnings = first.stacks.flatMap(({ messages }) =>
      messages.filter(({ level }) => level === 'warning').map(({ entry }) => String(entry.data)),
    )

    expect(warnings).toEqual([expect.stringMatching(/prod .* not protected .* without -c first/)])
  })

  test('is never off for a stage that is not named', () => {
    expect(() => stagesOf({ stages: given, first: 'true' })).toThrow(/-c stage/)
  })

  test.each(['yes', '1', ''])('is not switched by -c first=%s', (value) => {
    expect(() => stagesOf({ stages: given, stage: 'prod', first: value })).toThrow(/first is true or false/)
  })

  test.each([undefined, 'false', false])('stays on with -c first=%s', (value) => {
    expect(stagesOf({ stages: given, stage: 'prod', first: value })[0]?.isFirst).toBe(false)
  })
})
