import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { queues } from '#functions/queues.ts'
import { outputs, stagesOf } from '#infra/stage.ts'
import { table } from '#store/table.ts'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const { app, acknowledged, resources, stacks, template, directory } = synthesise(
  {},
  { checkRulesOfCloudFormation: true },
)

const only = (found: [string, Resource][]): Resource => {
  expect(found).toHaveLength(1)
  return (found[0] as [string, Resource])[1]
}

describe('stacks', () => {
  test('both stages have every stack, and production is protected from deletion', () => {
    const protectedFromDeletion = stacks.map(({ stackName, terminationProtection }) => [
      stackName,
      terminationProtection === true,
    ])

    expect(Object.fromEntries(protectedFromDeletion)).toEqual({
      'aktenlage-dev-storage': false,
      'aktenlage-dev-api': false,
      'aktenlage-dev-work': false,
      'aktenlage-dev-watch': false,
      'aktenlage-prod-storage': true,
      'aktenlage-prod-api': true,
      'aktenlage-prod-work': true,
      'aktenlage-prod-watch': true,
    })
  })

  test('every stack is synthesised for the region of its stage and for any account', () => {
    for (const { environment } of stacks)
      expect(environment).toMatchObject({ account: 'unknown-account', region: 'eu-central-1' })
  })

  test('every stack has fewer than 400 resources; CloudFormation allows 500', () => {
    for (const stack of stacks)
      expect(Object.keys(stack.template.Resources ?? {}).length, stack.stackName).toBeLessThan(400)
  })

  test("every template has less than half of CloudFormation's limit of 1 MB", () => {
    for (const stack of stacks)
      expect(JSON.stringify(stack.template).length, stack.stackName).toBeLessThan(500_000)
  })

  test('the rules of CloudFormation find nothing, not even a warning', () => {
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'))

    expect(cdkContext['@aws-cdk/core:validateAgainstDefaultRules']).toBe(true)
    expect(report.pluginReports).toEqual([])
  })

  test('the AwsSolutions rules find nothing but what is acknowledged with a reason', () => {
    const report = new AwsSolutionsChecks().validateScope(app)

    expect(report.violations).toEqual([])
    expect(acknowledged().length).toBeGreaterThan(0)
    for (const { id, reason } of acknowledged()) expect(reason.length, id).toBeGreaterThan(60)
  })

  test('no function of the dev stage leaves a log behind: each writes into one of its stack and can create none', () => {
    const ofDev = stacks.filter(({ stackName }) => stackName.startsWith('aktenlage-dev-'))
    const functions = ofDev.flatMap(({ template: { Resources } }) => {
      const all = Object.entries<Resource>(Resources ?? {})
      return all.flatMap(([id, { Type, Properties }]) => {
        if (Type !== 'AWS::Lambda::Function') return []
        const log = Resources[Properties.LoggingConfig?.LogGroup?.Ref]
        const roleId = Properties.Role['Fn::GetAtt'][0]
        const policies = all.filter(
          ([, { Type, Properties }]) =>
            Type === 'AWS::IAM::Policy' && JSON.stringify(Properties.Roles).includes(roleId),
        )
        const rights = JSON.stringify([Resources[roleId], policies])
        return [{ id, kept: log?.DeletionPolicy, days: log?.Properties.RetentionInDays, rights }]
      })
    })

    expect(functions.length).toBe(manifest.length + 1)
    expect(functions.filter(({ kept, days }) => kept !== 'Delete' || days !== 14)).toEqual([])
    expect(
      functions.filter(({ rights }) => /AWSLambdaBasicExecutionRole|CreateLogGroup/.test(rights)),
    ).toEqual([])
    expect(functions.filter(({ rights }) => !rights.includes('logs:PutLogEvents'))).toEqual([])
  })

  test('programs outside the stacks find the table and the API by the names of the outputs', () => {
    expect(template('prod', 'storage').Outputs).toHaveProperty(outputs.tableName)
    expect(template('prod', 'api').Outputs).toHaveProperty(outputs.apiUrl)
  })
})

describe('storage', () => {
  const keysOf = (stage: 'dev' | 'prod', purpose: string) =>
    resources(stage, 'storage', 'AWS::KMS::Key').filter(([, { Properties }]) =>
      Properties.Description.startsWith(purpose),
    )

  test.each([
    'dev',
    'prod',
  ] as const)('in %s the table has the shape that the store expects, is encrypted with our key and can be restored', (stage) => {
    const { Properties } = only(resources(stage, 'storage', 'AWS::DynamoDB::Table'))
    const [keyId] = keysOf(stage, 'Encrypts the table')[0] ?? []

    expect(Properties).toMatchObject({
      KeySchema: [
        { AttributeName: table.partitionKey, KeyType: 'HASH' },
        { AttributeName: table.sortKey, KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: table.partitionKey, AttributeType: 'S' },
        { AttributeName: table.sortKey, AttributeType: 'S' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: table.timeToLive, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: { 'Fn::GetAtt': [keyId, 'Arn'] },
      },
    })
    expect(Properties.GlobalSecondaryIndexes).toBeUndefined()
    expect(only(keysOf(stage, 'Encrypts the table')).Properties.EnableKeyRotation).toBe(true)
    expect(only(keysOf(stage, 'Encrypts secrets')).Properties.EnableKeyRotation).toBe(true)
  })

  test.each([
    'dev',
    'prod',
  ] as const)('in %s the bucket is private, encrypted with our key, versioned and reached over TLS only', (stage) => {
    const bucket = only(resources(stage, 'storage', 'AWS::S3::Bucket'))
    const [keyId] =
      resources(stage, 'storage', 'AWS::KMS::Key').find(([, { Properties }]) =>
        /Encrypts the table/.test(Properties.Description),
      ) ?? []

    expect(bucket.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: {
              SSEAlgorithm: 'aws:kms',
              KMSMasterKeyID: { 'Fn::GetAtt': [keyId, 'Arn'] },
            },
          },
        ],
      },
      VersioningConfiguration: { Status: 'Enabled' },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    })
    const policy = only(resources(stage, 'storage', 'AWS::S3::BucketPolicy')).Properties.PolicyDocument
    expect(policy.Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    )
    // On dev, whose data goes with its stack, what empties the bucket may delete its objects.
    const allowed = policy.Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
    expect(allowed.map(({ Principal }: { Principal: unknown }) => JSON.stringify(Principal))).toEqual(
      stage === 'prod' ? [] : [expect.stringContaining('CustomS3AutoDeleteObjects')],
    )
  })

  test('uploads that were not completed and received messages are removed, and deleted objects can be restored for a month', () => {
    const { LifecycleConfiguration, CorsConfiguration } = only(
      resources('prod', 'storage', 'AWS::S3::Bucket'),
    ).Properties

    expect(LifecycleConfiguration.Rules).toMatchObject([
      { Prefix: 'uploads/', ExpirationInDays: 2, Status: 'Enabled' },
      { Prefix: 'received/', ExpirationInDays: 30, Status: 'Enabled' },
      { Prefix: 'reports/', ExpirationInDays: 15, Status: 'Enabled' },
      { Prefix: 'search/', NoncurrentVersionExpiration: { NoncurrentDays: 1 }, Status: 'Enabled' },
      {
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        Status: 'Enabled',
      },
    ])
    for (const rule of LifecycleConfiguration.Rules)
      if (!['uploads/', 'received/', 'reports/'].includes(rule.Prefix))
        expect(rule.ExpirationInDays).toBeUndefined()
    expect(CorsConfiguration.CorsRules).toEqual([
      { AllowedMethods: ['PUT'], AllowedOrigins: ['*'], AllowedHeaders: ['content-type'] },
    ])
  })

  test('production keeps its table, bucket and keys when the stack is deleted', () => {
    const prodTable = only(resources('prod', 'storage', 'AWS::DynamoDB::Table'))

    expect(prodTable.Properties.DeletionProtectionEnabled).toBe(true)
    const keys = resources('prod', 'storage', 'AWS::KMS::Key').map(([, key]) => key)
    expect(keys).toHaveLength(3)
    const bucket = only(resources('prod', 'storage', 'AWS::S3::Bucket'))
    for (const kept of [prodTable, bucket, ...keys]) {
      expect(kept).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })

  test('a deployment keeps the table, the bucket and the keys: with another id CloudFormation would make new ones', () => {
    const types = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key']
    const ids = types.flatMap((type) => resources('prod', 'storage', type).map(([id]) => id))

    const keys = ['Key961B73FD', 'SecretsKey317DCF94', 'SigningKeyEEFC2790']
    expect(ids).toEqual(['TableCD117FA1', 'Files8E6940B8', ...keys])
  })

  test('the deletion of a development stack deletes its data', () => {
    const devTable = only(resources('dev', 'storage', 'AWS::DynamoDB::Table'))

    expect(devTable.DeletionPolicy).toBe('Delete')
    expect(devTable.Properties.DeletionProtectionEnabled).toBe(false)
  })
})

describe('watch', () => {
  const alarms = resources('prod', 'watch', 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
  type Metric = { MetricName: string; Dimensions?: { Name: string; Value: unknown }[] }
  // An alarm on a metric with a label has a list of metrics; an alarm on a metric without a label has its fields itself.
  const watched: Metric[] = alarms.flatMap(
    (alarm) =>
      alarm.Metrics?.flatMap(
        ({ MetricStat }: { MetricStat?: { Metric: Metric } }) => MetricStat?.Metric ?? [],
      ) ?? [alarm],
  )
  const metricsOn = (dimension: string, value: string) =>
    watched
      .filter(({ Dimensions }) =>
        Dimensions?.some(({ Name, Value }) => Name === dimension && Value === value),
      )
      .map(({ MetricName }) => MetricName)
      .toSorted()

  test.each(
    manifest.map(({ name }) => name),
  )('an alarm goes off when %s fails, is throttled or comes close to its time limit', (name) => {
    expect(metricsOn('FunctionName', `aktenlage-prod-${name}`)).toEqual(
      expect.arrayContaining(['Duration', 'Errors', 'Throttles']),
    )
  })

  test.each(
    manifest.filter(({ everyMinutes }) => everyMinutes).map(({ name }) => name),
  )('an alarm goes off when %s does not run, and ends with the next run', (name) => {
    const ofName = alarms.filter((alarm) => JSON.stringify(alarm).includes(`aktenlage-prod-${name}"`))
    const on = (metric: string) =>
      only(
        ofName
          .filter((alarm) => JSON.stringify(alarm).includes(`"MetricName":"${metric}"`))
          .map((Properties) => [metric, { Type: 'AWS::CloudWatch::Alarm', Properties }]),
      ).Properties

    expect(on('Invocations')).toMatchObject({
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    })
    expect(on('Errors')).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    })
    expect(resources('prod', 'work', 'AWS::SQS::Queue')).toEqual([])
  })

  test.each(
    Object.keys(queues),
  )('an alarm goes off when messages of %s are in the dead-letter queue or wait long', (name) => {
    expect(metricsOn('QueueName', `aktenlage-prod-${name}-failed`)).toEqual([
      'ApproximateNumberOfMessagesVisible',
    ])
    expect(metricsOn('QueueName', `aktenlage-prod-${name}`)).toEqual(['ApproximateAgeOfOldestMessage'])
  })

  test('an alarm goes off when events for endpoints wait ten minutes, and other messages an hour', () => {
    const limitOf = (queue: string) =>
      alarms
        .filter((alarm) => JSON.stringify(alarm).includes('ApproximateAgeOfOldestMessage'))
        .filter((alarm) => JSON.stringify(alarm).includes(`"aktenlage-prod-${queue}"`))
        .map(({ Threshold }) => Threshold)

    expect(limitOf('deliveries')).toEqual([600])
    expect(limitOf('extract')).toEqual([3_600])
  })

  test.each(
    manifest.flatMap(({ name, alarms = [] }) => alarms.map((alarm) => [alarm.metric, name, alarm] as const)),
  )('an alarm %s goes off by a line of the log of %s', (metric, _, { above }) => {
    const [alarm, ...others] = alarms.filter(({ MetricName }) => MetricName === metric)

    expect(others).toEqual([])
    expect(alarm).toMatchObject({
      ...(above
        ? { Statistic: 'Maximum', Threshold: above.limit, ComparisonOperator: 'GreaterThanThreshold' }
        : { Statistic: 'Sum', Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold' }),
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    })
  })

  test('an alarm goes off when the API fails or is slow, and when the table throttles or fails', () => {
    expect(metricsOn('ApiName', 'aktenlage-prod')).toEqual(['5XXError'])
    expect(watched.filter(({ MetricName }) => MetricName === 'AnswerMilliseconds')).toHaveLength(1)
    const fails = alarms.find(({ MetricName, Metrics }) =>
      JSON.stringify([MetricName, Metrics]).includes('5XXError'),
    )
    expect(fails).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 })
    const ofTable = watched.filter(({ Dimensions }) => Dimensions?.some(({ Name }) => Name === 'TableName'))
    expect(new Set(ofTable.map(({ MetricName }) => MetricName))).toEqual(
      new Set(['ReadThrottleEvents', 'WriteThrottleEvents', 'SystemErrors']),
    )
  })

  test('every alarm goes to the topic, which is encrypted and lets CloudWatch use its key and publish', () => {
    const [topicId] = resources('prod', 'watch', 'AWS::SNS::Topic')[0] ?? []
    const topic = only(resources('prod', 'watch', 'AWS::SNS::Topic'))
    const key = only(resources('prod', 'watch', 'AWS::KMS::Key'))

    for (const { AlarmActions } of alarms) expect(AlarmActions).toEqual([{ Ref: topicId }])
    expect(topic.Properties.KmsMasterKeyId).toBeDefined()
    const forCloudWatch = {
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }
    expect(key.Properties.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({ ...forCloudWatch, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
    )
    const topicPolicy = only(resources('prod', 'watch', 'AWS::SNS::TopicPolicy')).Properties.PolicyDocument
    expect(topicPolicy.Statement).toContainEqual(
      expect.objectContaining({ ...forCloudWatch, Action: 'sns:Publish', Resource: { Ref: topicId } }),
    )
  })

  test('the address that a stage names receives the alarms', () => {
    const { prod } = cdkContext.stages as Record<string, object>
    const named = synthesise({
      stages: { ...(cdkContext.stages as object), prod: { ...prod, alarmEmail: 'it@kanzlei.example' } },
    })

    const subscription = only(named.resources('prod', 'watch', 'AWS::SNS::Subscription'))

    expect(subscription.Properties).toMatchObject({ Protocol: 'email', Endpoint: 'it@kanzlei.example' })
    expect(subscription.Properties.TopicArn).toEqual({
      Ref: named.resources('prod', 'watch', 'AWS::SNS::Topic')[0]?.[0],
    })
  })

  test('there is a dashboard', () => {
    only(resources('prod', 'watch', 'AWS::CloudWatch::Dashboard'))
  })
})

describe('settings', () => {
  const valid = cdkContext.stages as Record<string, Record<string, unknown>>
  const withProd = (settings: Record<string, unknown>) => ({
    stages: { ...valid, prod: { ...valid.prod, ...settings } },
  })

  test('one stage can be chosen', () => {
    expect(stagesOf({ stages: valid, stage: 'prod' }).map(({ name }) => name)).toEqual(['prod'])
    expect(() => stagesOf({ stages: valid, stage: 'test' })).toThrow(/dev, prod/)
  })

  test.each([
    ['a misspelt setting', { alarmMail: 'a@kanzlei.example' }, /alarmMail/],
    ['days that CloudWatch does not accept', { logRetentionDays: 31 }, /logRetentionDays/],
    [
      'a domain without a certificate and without a zone',
      { domain: { name: 'api.kanzlei.example' } },
      /certificateArn/,
    ],
    ['a limit that WAF does not accept', { requestsPerMinuteAndAddress: 5 }, /requestsPerMinuteAndAddress/],
    [
      'an allowance of keys above the limit of the firewall',
      { requestsPerSecondAndWorkspace: 100 },
      /at least 32 times requestsPerSecondAndWorkspace.*requestsPerMinuteAndKey/s,
    ],
  ])('%s is refused with its name', (_, settings, message) => {
    expect(() => stagesOf(withProd(settings))).toThrow(message)
  })
})

describe('a stage that uses a restored table', () => {
  const { prod } = cdkContext.stages as Record<string, object>
  const restored = synthesise({
    stages: { ...(cdkContext.stages as object), prod: { ...prod, tableName: 'aktenlage-prod-restored' } },
  })
  const arn = JSON.stringify({
    'Fn::Join': [
      '',
      ['arn:aws:dynamodb:eu-central-1:', { Ref: 'AWS::AccountId' }, ':table/aktenlage-prod-restored'],
    ],
  })

  test('gives functions, rights, alarms and programs that table alone, and keeps its own', () => {
    const functions = (['api', 'work'] as const).flatMap((purpose) =>
      restored.resources('prod', purpose, 'AWS::Lambda::Function'),
    )
    const rights = (['api', 'work'] as const)
      .flatMap((purpose) => restored.resources('prod', purpose, 'AWS::IAM::Policy'))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('dynamodb:')))

    const used = functions.flatMap(
      ([, { Properties }]) => Properties.Environment?.Variables?.TABLE_NAME ?? [],
    )
    expect(new Set(used)).toEqual(new Set(['aktenlage-prod-restored']))
    expect(new Set(rights.map(({ Resource }) => JSON.stringify(Resource)))).toEqual(new Set([arn]))
    expect(JSON.stringify(restored.template('prod', 'watch'))).toContain('aktenlage-prod-restored')
    expect(restored.template('prod', 'storage').Outputs?.[outputs.tableName]?.Value).toBe(
      'aktenlage-prod-restored',
    )
    expect(only(restored.resources('prod', 'storage', 'AWS::DynamoDB::Table')).DeletionPolicy).toBe(
      'RetainExceptOnCreate',
    )
  })

  test('still exports the values of its own table that its other stacks import until they are deployed', () => {
    const exportsOf = (synthesised: typeof restored) =>
      Object.keys(synthesised.template('prod', 'storage').Outputs ?? {}).filter((name) =>
        /^ExportsOutput.*Table/.test(name),
      )

    expect(exportsOf(restored)).toEqual(
      expect.arrayContaining(exportsOf({ resources, template } as typeof restored)),
    )
    expect(exportsOf({ resources, template } as typeof restored).length).toBeGreaterThan(0)
  })
})
