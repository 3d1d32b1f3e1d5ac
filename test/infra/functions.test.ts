import { describe, expect, test } from 'vitest'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { type QueueName, queues } from '#functions/queues.ts'
import {
  executionAttributes,
  lastUseAttributes,
  officeAttributes,
  refusalAttributes,
  tokenUseAttributes,
} from '#infra/constructs/function-rights.ts'
import { type Resource, synthesise } from './synthesis.ts'

const { resources } = synthesise()

const stages = ['dev', 'prod'] as const
const readTable = [
  'dynamodb:BatchGetItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:GetItem',
  'dynamodb:Query',
]
const writeTable = [
  'dynamodb:BatchWriteItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]
const everyFunction = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
]
const actionsOf = {
  none: [],
  health: ['dynamodb:GetItem', 'kms:Decrypt'],
  envelopes: [
    'dynamodb:GetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:BatchWriteItem',
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
  ],
  read: [
    ...readTable,
    'dynamodb:PutItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
  ],
  exports: [
    ...readTable,
    'dynamodb:PutItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
  ],
  write: [
    ...readTable,
    ...writeTable,
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
  ],
}

const bucketActions = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  parts: 's3:AbortMultipartUpload',
  delete: 's3:DeleteObject',
  erase: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
}
const consume = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
]
const textract = [
  'textract:DetectDocumentText',
  'textract:GetDocumentTextDetection',
  'textract:StartDocumentTextDetection',
]

/** The actions that a function needs by its declaration. */
function expectedActions({ needs, consumes }: FunctionDeclaration): string[] {
  const onBucket = Object.values(needs.bucket ?? {})
  const touched = new Set(onBucket.flat())
  return [
    ...everyFunction,
    ...actionsOf[needs.table ?? 'none'],
    ...onBucket.flatMap((actions) => actions.flatMap((action) => bucketActions[action])),
    ...(touched.has('erase') ? ['s3:ListBucketVersions'] : []),
    ...(touched.has('read') || touched.has('parts') ? ['kms:Decrypt'] : []),
    ...(touched.has('write') ? ['kms:GenerateDataKey'] : []),
    ...(needs.sends ?? []).map(() => 'sqs:SendMessage'),
    ...(consumes ? consume : []),
    ...(needs.textract ? textract : []),
    ...(needs.signs ? ['kms:GetPublicKey', 'kms:Sign'] : []),
  ].toSorted()
}

const queueVariables: [QueueName, string][] = [
  ['extract', 'EXTRACT_QUEUE_URL'],
  ['inbound', 'INBOUND_QUEUE_URL'],
  ['mail-events', 'MAIL_EVENTS_QUEUE_URL'],
  ['received-mails', 'RECEIVED_MAILS_QUEUE_URL'],
  ['bea-send', 'BEA_SEND_QUEUE_URL'],
  ['seal', 'SEAL_QUEUE_URL'],
  ['bea-sync', 'BEA_SYNC_QUEUE_URL'],
  ['export-runs', 'EXPORT_RUNS_QUEUE_URL'],
  ['signing-mails', 'SIGNING_MAILS_QUEUE_URL'],
  ['search-index', 'SEARCH_INDEX_QUEUE_URL'],
  ['deliveries', 'DELIVERIES_QUEUE_URL'],
]

const both = (stage: 'dev' | 'prod', type: string) => [
  ...resources(stage, 'api', type),
  ...resources(stage, 'work', type),
]

function find(stage: 'dev' | 'prod', name: string): [string, Resource] {
  const found = both(stage, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.FunctionName === `aktenlage-${stage}-${name}`,
  )
  expect(found, `${name} is deployed exactly once`).toHaveLength(1)
  return found[0] as [string, Resource]
}

const refersTo = (value: unknown, id: string | undefined) => JSON.stringify(value).includes(`{"Ref":"${id}"}`)

/** The alias of a function, by which it is called. */
function aliasOf(stage: 'dev' | 'prod', id: string): string | undefined {
  return both(stage, 'AWS::Lambda::Alias').find(
    ([, { Properties }]) => Properties.FunctionName.Ref === id,
  )?.[0]
}

/** `rate(1 minute)`, `rate(90 minutes)`, `rate(2 hours)` in minutes. */
function minutesOf(rate: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(rate) ?? []
  return Number(count) * { minute: 1, hour: 60, day: 1_440 }[unit as 'minute' | 'hour' | 'day']
}

type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Condition?: unknown }

/** The statements of all policies that name the function's role. The role has no others. */
function rightsOf(stage: 'dev' | 'prod', lambda: Resource): Statement[] {
  const roleId = lambda.Properties.Role['Fn::GetAtt'][0]
  const role = both(stage, 'AWS::IAM::Role').find(([id]) => id === roleId)?.[1]
  expect(role?.Properties.ManagedPolicyArns).toBeUndefined()
  expect(role?.Properties.Policies).toBeUndefined()
  return [...both(stage, 'AWS::IAM::Policy'), ...both(stage, 'AWS::IAM::ManagedPolicy')]
    .filter(([, { Properties }]) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === roleId))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
}

const limitedTo = (partitions: string[]) => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
})

const limitedToAttributes = (partitions: string[], attributes: string[]) => ({
  ...limitedTo(partitions),
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
  StringEqualsIfExists: {
    'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'],
    'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'],
  },
})

/** A workspace's id in a pattern of IAM. */
const anyWorkspace = 'ws_????????????????????????????????????'

/** The statements on the table: their actions and the conditions on these. */
const tableStatements: Record<NonNullable<FunctionDeclaration['needs']['table']>, [string[], unknown][]> = {
  health: [[['dynamodb:GetItem'], limitedTo(['layout'])]],
  envelopes: [
    [
      ['dynamodb:GetItem'],
      limitedTo([
        'layout',
        `${anyWorkspace}#envelope#*`,
        'signing_link#*',
        'sealed_file#*',
        `${anyWorkspace}#webhook_count`,
      ]),
    ],
    [['dynamodb:GetItem'], limitedToAttributes([`${anyWorkspace}#workspace`], officeAttributes)],
    [['dynamodb:UpdateItem'], limitedTo([`${anyWorkspace}#envelope#*`])],
    [
      ['dynamodb:PutItem'],
      limitedTo([
        `${anyWorkspace}#envelope_audit#*`,
        `${anyWorkspace}#envelopes#*`,
        'envelopes#due#?',
        `${anyWorkspace}#timeline#*`,
        `${anyWorkspace}#webhook_events#*`,
        'outbox#??',
      ]),
    ],
    [
      ['dynamodb:DeleteItem'],
      limitedTo([`${anyWorkspace}#envelopes#*`, 'envelopes#due#?', `${anyWorkspace}#envelopes_expiring#*`]),
    ],
    [['dynamodb:BatchWriteItem'], limitedTo(['outbox#??'])],
  ],
  read: [
    [readTable, undefined],
    [['dynamodb:UpdateItem'], limitedToAttributes(['api_key#*'], lastUseAttributes)],
    [['dynamodb:UpdateItem'], limitedToAttributes(['api_key#*'], refusalAttributes)],
    [['dynamodb:PutItem'], limitedTo([`${anyWorkspace}#audit`])],
    [['dynamodb:PutItem'], limitedTo([`${anyWorkspace}#kept_answers`, `${anyWorkspace}#idempotency#*`])],
    [['dynamodb:UpdateItem'], limitedTo([`${anyWorkspace}#allowance`])],
  ],
  exports: [
    [readTable, undefined],
    [['dynamodb:UpdateItem'], limitedToAttributes(['api_key#*'], lastUseAttributes)],
    [['dynamodb:UpdateItem'], limitedToAttributes(['api_key#*'], refusalAttributes)],
    [['dynamodb:PutItem'], limitedTo([`${anyWorkspace}#audit`])],
    [['dynamodb:PutItem'], limitedTo([`${anyWorkspace}#kept_answers`, `${anyWorkspace}#idempotency#*`])],
    [['dynamodb:UpdateItem'], limitedTo([`${anyWorkspace}#allowance`])],
    [['dynamodb:UpdateItem'], limitedToAttributes(['export_token#*'], tokenUseAttributes)],
    [['dynamodb:UpdateItem'], limitedToAttributes([`${anyWorkspace}#export_configs`], executionAttributes)],
  ],
  write: [[[...readTable, ...writeTable].toSorted(), undefined]],
}

/** Each action once for each resource it is allowed on, whichever statement allows it. */
const actions = (statements: Statement[]) =>
  statements.flatMap(({ Action, Resource }) => [Resource].flat().flatMap(() => Action)).toSorted()

test('every queue has a variable', () => {
  expect(queueVariables.map(([name]) => name)).toEqual(Object.keys(queues))
})

test.each([
  // `document.erase` is a job of `documents` and of the sweeper. `extract` removes the text of a document that is gone.
  ['texts', ['disposals', 'documents', 'extract', 'sweeper']],
  // A refused upload, and a copy that another worker has sealed too, are removed at once.
  ['files', ['disposals', 'documents', 'ingestion', 'seal', 'sweeper']],
] as const)('only the functions that remove %s of documents may delete them', (prefix, names) => {
  const deleting = manifest.filter(({ needs }) =>
    needs.bucket?.[prefix]?.some((action) => action === 'delete' || action === 'erase'),
  )

  expect(deleting.map(({ name }) => name).toSorted()).toEqual(names)
})

// S3 allows a presigned request what its signer may do. The local S3 does not check this.
test('only the function that signs addresses of reports on parties may read them', () => {
  const reading = manifest.filter(({ needs }) => needs.bucket?.reports?.includes('read'))
  const signing = manifest.filter(({ endpoints = {} }) => 'downloadAccessReport' in endpoints)

  expect(reading).toEqual(signing)
  expect(signing.map(({ needs }) => needs.bucket?.reports)).toEqual([['read']])
})

test('there is a function that only reads', () => {
  expect(manifest.some(({ needs }) => needs.table === 'read')).toBe(true)
})

describe.each(stages)('in %s', (stage) => {
  test('the functions match the manifest', () => {
    const names = both(stage, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName)

    expect(names.toSorted()).toEqual(manifest.map(({ name }) => `aktenlage-${stage}-${name}`).toSorted())
  })

  test.each(
    manifest.map((declaration) => [declaration.name, declaration] as const),
  )('%s has the rights that its needs name and no others', (name, declaration) => {
    // Prepare
    const [, lambda] = find(stage, name)

    // Act
    const statements = rightsOf(stage, lambda)

    // Assess
    const onSecrets = declaration.needs.secrets ? ['kms:Decrypt', 'kms:Encrypt'] : []
    expect(actions(statements)).toEqual([...expectedActions(declaration), ...onSecrets].toSorted())
    const onTable = statements.filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('dynamodb:')),
    )
    for (const { Resource } of onTable) expect(JSON.stringify(Resource)).toMatch(/Table\w+Arn/)
    expect(onTable.map(({ Action, Condition }) => [[Action].flat().toSorted(), Condition])).toEqual(
      declaration.needs.table === undefined ? [] : tableStatements[declaration.needs.table],
    )
    const onKey = statements.filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('kms:')),
    )
    for (const { Action, Condition, Resource } of onKey) {
      if (JSON.stringify(Resource).includes('SecretsKey'))
        expect(Condition).toEqual({
          StringEquals: { 'kms:EncryptionContext:purpose': declaration.needs.secrets },
          Null: { 'kms:EncryptionContext:workspace_id': 'false' },
        })
      else if (JSON.stringify(Resource).includes('SigningKey'))
        expect([Action].flat().toSorted()).toEqual(['kms:GetPublicKey', 'kms:Sign'])
      else
        expect(JSON.stringify(Condition)).toMatch(
          /^\{"StringEquals":\{"kms:ViaService":"(dynamodb|s3)\.eu-central-1\.amazonaws\.com"\}\}$/,
        )
    }
    for (const [prefix, allowed] of Object.entries(declaration.needs.bucket ?? {})) {
      const onPrefix = statements.filter(({ Resource }) => JSON.stringify(Resource).includes(`/${prefix}/*`))
      expect(onPrefix.flatMap(({ Action }) => Action).toSorted()).toEqual(
        allowed.flatMap((action) => bucketActions[action]).toSorted(),
      )
    }
    for (const { Action, Resource } of statements) {
      if (Resource === '*')
        expect([Action].flat().every((action) => /^(xray|textract):/.test(action))).toBe(true)
    }
  })

  test.each(
    manifest.map((declaration) => [declaration.name, declaration] as const),
  )('%s runs as the manifest says, on Node 24 and arm64, traced', (name, declaration) => {
    const { Properties } = find(stage, name)[1]

    expect(Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: declaration.memoryMegabytes,
      ...(declaration.diskMegabytes && { EphemeralStorage: { Size: declaration.diskMegabytes } }),
      Timeout: declaration.timeoutSeconds,
      TracingConfig: { Mode: 'Active' },
    })
    const { needs, consumes } = declaration
    const variables = Properties.Environment?.Variables ?? {}
    expect(variables.NODE_OPTIONS).toBe(declaration.nodeOptions)
    expect(variables.TABLE_NAME !== undefined).toBe(needs.table !== undefined)
    expect(variables.BUCKET_NAME !== undefined).toBe(needs.bucket !== undefined)
    for (const [queue, variable] of queueVariables) {
      const isUsed = needs.sends?.includes(queue) || consumes?.queue === queue
      expect(variables[variable] !== undefined, variable).toBe(isUsed === true)
    }
    expect(variables.SIGNING_KEY_ID !== undefined).toBe(needs.signs === true)
    expect(variables.SECRETS_KEY_ID !== undefined).toBe(needs.secrets !== undefined)
    expect(variables.SYNC_ALLOW_PRIVATE_NETWORKS).toBe(needs.secrets === 'calendar' ? 'false' : undefined)
    // The stages of this test have no gateway to beA.
    expect(variables.BEA_GATEWAY_URL).toBeUndefined()
  })

  test.each(
    manifest.flatMap((declaration) =>
      declaration.consumes ? [[declaration.name, declaration] as const] : [],
    ),
  )('%s receives one message at a time and reports failures by message', (name, {
    consumes,
    timeoutSeconds,
  }) => {
    const [id] = find(stage, name)

    const mappings = resources(stage, 'work', 'AWS::Lambda::EventSourceMapping').filter(
      ([, { Properties }]) => refersTo(Properties.FunctionName, aliasOf(stage, id)),
    )

    expect(mappings).toHaveLength(1)
    expect(mappings[0]?.[1].Properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: consumes?.maxConcurrency },
    })
    const queue = resources(stage, 'storage', 'AWS::SQS::Queue').find(
      ([, { Properties }]) => Properties.QueueName === `aktenlage-${stage}-${consumes?.queue}`,
    )?.[1]
    expect(queue?.Properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * timeoutSeconds)
    expect(queue?.Properties).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 86_400,
      RedrivePolicy: { maxReceiveCount: consumes && queues[consumes.queue].maxReceives },
    })
  })

  test.each(
    manifest.map((declaration) => [declaration.name, declaration] as const),
  )('%s may be called again and again by messages that follow from each other, if it consumes a queue', (name, {
    consumes,
  }) => {
    expect(find(stage, name)[1].Properties.RecursiveLoop).toBe(consumes && 'Allow')
  })

  test.each(
    manifest.map(({ name }) => name),
  )('the log of %s is kept as many days as the stage says', (name) => {
    const logId = find(stage, name)[1].Properties.LoggingConfig.LogGroup.Ref

    const log = both(stage, 'AWS::Logs::LogGroup').find(([id]) => id === logId)?.[1]

    expect(log?.Properties.RetentionInDays).toBe({ dev: 14, prod: 180 }[stage])
    expect(log?.DeletionPolicy).toBe({ dev: 'Delete', prod: 'RetainExceptOnCreate' }[stage])
  })

  test.each(
    manifest.flatMap(({ name, everyMinutes }) =>
      everyMinutes === undefined ? [] : [[name, everyMinutes] as const],
    ),
  )('%s runs every %i minutes with an empty event and is not repeated', (name, everyMinutes) => {
    const [id] = find(stage, name)

    const rules = resources(stage, 'work', 'AWS::Events::Rule').filter(
      ([, { Properties }]) => Properties.Targets[0].Arn.Ref === aliasOf(stage, id),
    )

    expect(rules).toHaveLength(1)
    const { ScheduleExpression, Targets } = rules[0]?.[1].Properties ?? {}
    expect(minutesOf(ScheduleExpression)).toBe(everyMinutes)
    expect(Targets[0].Input).toBe('{}')
    expect(Targets[0].RetryPolicy).toEqual({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 })
    const repeated = resources(stage, 'work', 'AWS::Lambda::EventInvokeConfig').filter(
      ([, { Properties }]) => Properties.FunctionName.Ref === id,
    )
    // Of the alias alone, which the rule calls.
    expect(repeated.map(([, { Properties }]) => Properties.MaximumRetryAttempts)).toEqual([0])
    for (const [, { Properties }] of repeated)
      expect(refersTo(Properties.Qualifier, aliasOf(stage, id))).toBe(true)
  })
})
