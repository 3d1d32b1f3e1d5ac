import { describe, expect, test } from 'vitest'
import { outputs } from '#infra/stage.ts'
import { cdkContext, synthesise } from './synthesis.ts'

const tsaUrl = 'https://tsa.example.de/stamp'
const stages = cdkContext.stages as { dev: object; prod: object }
const { resources, template } = synthesise({
  stages: { ...stages, prod: { ...stages.prod, signing: { tsaUrl } } },
})
const both = ['dev', 'prod'] as const

const signingKey = (stage: 'dev' | 'prod') => {
  const found = resources(stage, 'storage', 'AWS::KMS::Key').filter(
    ([, { Properties }]) => Properties.KeyUsage === 'SIGN_VERIFY',
  )
  expect(found).toHaveLength(1)
  return found[0] as (typeof found)[number]
}

const variablesOf = (stage: 'dev' | 'prod', name: string) =>
  [
    ...resources(stage, 'work', 'AWS::Lambda::Function'),
    ...resources(stage, 'api', 'AWS::Lambda::Function'),
  ].find(([, { Properties }]) => Properties.FunctionName === `aktenlage-${stage}-${name}`)?.[1].Properties
    .Environment?.Variables ?? {}

describe.each(both)('the signing key of %s', (stage) => {
  test('is RSA of 3 072 bits, and outlives its stack', () => {
    const [, key] = signingKey(stage)

    expect(key.Properties).toMatchObject({ KeySpec: 'RSA_3072', KeyUsage: 'SIGN_VERIFY' })
    expect(key).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  })

  test('can be used only for signing, whatever IAM permits', () => {
    const [, key] = signingKey(stage)

    const actions: string[] = key.Properties.KeyPolicy.Statement.flatMap(
      ({ Action }: { Action: string | string[] }) => Action,
    )

    const administration = /^kms:(Get|List|Describe|Put|Enable|Disable|Tag|Untag|Update|Schedule|Cancel)\w+$/
    expect(actions.filter((action) => !administration.test(action))).toEqual(['kms:Sign'])
    expect(actions).toContain('kms:GetPublicKey')
    expect(actions).toContain('kms:PutKeyPolicy')
    expect(actions.join()).not.toContain('*')
  })

  test('may be used by a function that signs, and by no other', () => {
    const [keyId] = signingKey(stage)
    const statements = (['api', 'work'] as const).flatMap((purpose) =>
      resources(stage, purpose, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
        (Properties.PolicyDocument.Statement as { Action: unknown; Resource: unknown }[]).map(
          ({ Action, Resource }) => ({ id, Action, Resource: JSON.stringify(Resource) }),
        ),
      ),
    )

    const onKey = statements.filter(({ Resource }) => Resource.includes(keyId))

    const signing = { Action: ['kms:GetPublicKey', 'kms:Sign'], Resource: expect.stringContaining('Arn') }
    expect(onKey.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual([
      { id: expect.stringMatching(/^DisposalsRole/), ...signing },
      { id: expect.stringMatching(/^SealRole/), ...signing },
    ])
    expect(statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:Sign'))).toEqual(onKey)
    expect(variablesOf(stage, 'seal').SIGNING_KEY_ID).toEqual(
      expect.objectContaining({ 'Fn::ImportValue': expect.stringContaining(keyId) }),
    )
    expect(variablesOf(stage, 'cases').SIGNING_KEY_ID).toBeUndefined()
  })

  test('is found by its output', () => {
    const [keyId] = signingKey(stage)

    expect(template(stage, 'storage').Outputs?.[outputs.signingKeyId]?.Value).toEqual({
      'Fn::GetAtt': [keyId, 'Arn'],
    })
  })
})

test('functions that sign get the address of the time-stamping authority, if the stage has one', () => {
  expect(variablesOf('prod', 'seal').SIGNING_TSA_URL).toBe(tsaUrl)
  expect(variablesOf('dev', 'seal').SIGNING_TSA_URL).toBeUndefined()
  expect(variablesOf('prod', 'cases').SIGNING_TSA_URL).toBeUndefined()
})

test.each(['ftp://tsa.example.de', 'tsa.example.de'])('%s is no address of such an authority', (address) => {
  const misled = { ...stages, prod: { ...stages.prod, signing: { tsaUrl: address } } }

  expect(() => synthesise({ stages: misled })).toThrow('tsaUrl')
})
