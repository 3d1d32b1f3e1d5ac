import { describe, expect, test } from 'vitest'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const given = cdkContext.stages as Record<'dev' | 'prod', object>
const complete = {
  protectData: true,
  alarmEmail: 'it@kanzlei.example',
  backupVaultArn: 'arn:aws:backup:eu-central-1:210987654321:backup-vault:kanzleien',
  mail: { domain: 'mail.kanzlei.example' },
}
const withProd = (prod: object, more: object = {}) => ({ stages: { ...given, prod }, ...more })
const safe = synthesise(withProd(complete, { stage: 'prod' }))

const warningsOf = ({ stacks }: typeof safe) =>
  stacks.flatMap(({ messages }) =>
    messages.filter(({ level }) => level === 'warning').map(({ entry }) => String(entry.data)),
  )
const without = (...settings: string[]) =>
  Object.fromEntries(Object.entries(complete).filter(([name]) => !settings.includes(name)))

describe('a stage with data to protect that is deployed', () => {
  test('is complete with an address for alarms, a vault and a mail domain', () => {
    expect(warningsOf(safe)).toEqual([])
  })

  test.each([
    ['alarmEmail', /nobody receives its alarms/],
    ['backupVaultArn', /all its data is lost with its account/],
    ['mail', /it sends no mail/],
  ])('is refused without %s, with the consequence in the message', (setting, says) => {
    const synthesis = () => synthesise(withProd(without(setting), { stage: 'prod' }))

    expect(synthesis).toThrow(says)
    expect(synthesis).toThrow(new RegExp(`has no ${setting}`))
  })

  test('gets a message with everything that is missing', () => {
    const synthesis = () => synthesise({ stage: 'prod', stages: given })

    for (const setting of ['alarmEmail', 'backupVaultArn', 'mail'])
      expect(synthesis).toThrow(new RegExp(`has no ${setting}`))
  })

  test('may do without the settings it names, with a warning each time, and is refused if it does not name them', () => {
    const meant = { ...without('mail', 'backupVaultArn'), without: ['mail', 'backupVaultArn'] }
    const halfMeant = { ...without('mail', 'backupVaultArn'), without: ['mail'] }

    expect(warningsOf(synthesise(withProd(meant, { stage: 'prod' })))).toEqual([
      expect.stringMatching(/has no backupVaultArn/),
      expect.stringMatching(/has no mail/),
    ])
    expect(() => synthesise(withProd(halfMeant, { stage: 'prod' }))).toThrow(/has no backupVaultArn/)
    expect(() => synthesise(withProd(halfMeant, { stage: 'prod' }))).not.toThrow(/has no mail/)
  })

  test.each([
    ['what it has', { ...complete, without: ['mail'] }],
    ['what nobody misses', { ...complete, without: ['domain'] }],
  ])('cannot be said to go without %s', (_, prod) => {
    expect(() => synthesise(withProd(prod, { stage: 'prod' }))).toThrow(/without/)
  })
})

test('a stage whose data goes with its stack needs none of it', () => {
  expect(warningsOf(synthesise({ stage: 'dev', stages: given }))).toEqual([])
})

test('the templates of all stages are made without any of it, with a warning for each', () => {
  expect(warningsOf(synthesise({ stages: given }))).toEqual([
    expect.stringMatching(/^The stage prod, .* has no alarmEmail: nobody receives its alarms/),
    expect.stringMatching(/^The stage prod, .* has no backupVaultArn/),
    expect.stringMatching(/^The stage prod, .* has no mail/),
  ])
})

test('an alarm on several metrics goes off if only one of them has a value', () => {
  type Part = { Id: string; Expression?: string; MetricStat?: object }
  const alarms = (['api', 'work', 'watch'] as const)
    .flatMap((purpose) => safe.resources('prod', purpose, 'AWS::CloudWatch::Alarm'))
    .flatMap(([id, { Properties }]) => {
      const parts: Part[] = Properties.Metrics ?? []
      const expression = parts.find(({ Expression }) => Expression)?.Expression
      const ids = parts.flatMap(({ Id, MetricStat }) => (MetricStat ? [Id] : []))
      return expression === undefined ? [] : [{ alarm: id.replace(/[0-9A-F]{8}$/, ''), expression, ids }]
    })
  // Metrics of faults have no value while there are no faults. An expression without a value sets off nothing.
  const unfilled = alarms.filter(({ expression, ids }) => {
    const rest = ids.reduce((text, id) => text.replaceAll(`FILL(${id}, 0)`, ''), expression)
    return ids.some((id) => new RegExp(`\\b${id}\\b`).test(rest))
  })

  expect(alarms.map(({ alarm }) => alarm)).toEqual(
    expect.arrayContaining(['TableThrottled', 'TableFailing', 'MailEventsMissing']),
  )
  expect(unfilled).toEqual([])
})

describe('a key that is disabled or scheduled for deletion', () => {
  const only = (type: string): [string, Resource] => {
    const found = safe.resources('prod', 'watch', type)
    expect(found).toHaveLength(1)
    return found[0] as [string, Resource]
  }
  const [, { Properties: rule }] = only('AWS::Events::Rule')
  const [topicId] = only('AWS::SNS::Topic')

  test('is reported at once for every key: of the data, the secrets, the seals and the backups', () => {
    const outputs = Object.entries(safe.template('prod', 'storage').Outputs ?? {})
    const exportOf = (id: string) =>
      outputs.find(
        ([, { Value }]) =>
          JSON.stringify(Value) === JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] }) &&
          !/^SigningKeyId/.test(id),
      )
    const keys = safe.resources('prod', 'storage', 'AWS::KMS::Key').map(([id]) => id)
    const watched = JSON.stringify(rule.EventPattern.detail.resources.ARN)

    expect(keys).toHaveLength(4)
    expect(rule.EventPattern.detail.resources.ARN).toHaveLength(4)
    for (const id of keys) {
      expect(exportOf(id), id).toBeDefined()
      expect(watched).toContain(`ExportsOutputFnGetAtt${id}Arn`)
    }
    expect(rule.EventPattern).toMatchObject({
      source: ['aws.kms'],
      'detail-type': ['AWS API Call via CloudTrail'],
      detail: { eventName: ['DisableKey', 'ScheduleKeyDeletion'], errorCode: [{ exists: false }] },
    })
    expect(rule.State).toBe('ENABLED')
  })

  test('reaches the address of the alarms, with the key and who did it', () => {
    const [target] = rule.Targets
    const { Properties: policy } = only('AWS::SNS::TopicPolicy')[1]
    const { Properties: key } = only('AWS::KMS::Key')[1]
    const events = { Service: 'events.amazonaws.com' }

    expect(rule.Targets).toHaveLength(1)
    expect(target.Arn).toEqual({ Ref: topicId })
    expect(Object.values(target.InputTransformer.InputPathsMap)).toEqual([
      '$.detail.eventName',
      '$.detail.requestParameters.keyId',
      '$.detail.userIdentity.arn',
    ])
    expect(policy.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Allow', Action: 'sns:Publish', Principal: events }),
    )
    expect(key.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({ Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Principal: events }),
    )
  })
})

describe('what is deleted from the bucket', () => {
  const [[, bucket] = []] = safe.resources('prod', 'storage', 'AWS::S3::Bucket')
  // biome-ignore lint/suspicious/noExplicitAny: a template has no types
  const rules: Record<string, any>[] = bucket?.Properties.LifecycleConfiguration.Rules

  test('is gone for good after 30 days, with the mark of its deletion', () => {
    expect(rules.filter(({ Prefix }) => Prefix === undefined)).toEqual([
      expect.objectContaining({
        Status: 'Enabled',
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
        ExpiredObjectDeleteMarker: true,
      }),
    ])
  })

  test('is gone a day after it expired by itself, since nobody deleted it by mistake', () => {
    const expiring = rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)

    expect(expiring.map(({ Prefix, ExpirationInDays }) => [Prefix, ExpirationInDays])).toEqual([
      ['uploads/', 2],
      ['received/', 30],
      ['reports/', 15],
    ])
    for (const { Status, NoncurrentVersionExpiration } of expiring)
      expect([Status, NoncurrentVersionExpiration]).toEqual(['Enabled', { NoncurrentDays: 1 }])
  })
})
