import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Stack } from 'aws-cdk-lib/core'
import type { Needs } from '#functions/declaration.ts'
import type { QueueName } from '#functions/queues.ts'
import { mailConfigurationSetName, type Stage } from '../stage.ts'

/** The stage and the resources that a stack passes to each of its functions. */
export type FunctionProps = {
  stage: Stage
  table: ITable
  bucket: Bucket
  key: Key
  secretsKey: Key
  signingKey: Key
  queues: Record<QueueName, Queue>
}

/** The statements that allow a function what its `needs` name. */
export function statementsFor(needs: Needs, resources: FunctionProps): PolicyStatement[] {
  return [
    ...tableStatements(needs.table, resources),
    ...bucketStatements(needs.bucket, resources),
    ...queueStatements(needs.sends, resources),
    ...(needs.textract ? [textractStatement()] : []),
    ...(needs.secrets ? [secretsStatement(needs.secrets, resources)] : []),
    ...(needs.signs ? [signingStatement(resources)] : []),
    ...(needs.mail === 'send' ? mailStatements(resources) : []),
  ]
}

const readActions = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'].map(ofTable)
const writeActions = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(ofTable)

function ofTable(action: string): string {
  return `dynamodb:${action}`
}

/**
 * Rights to the table and to its key. Some actions are limited to partitions whose keys match a pattern, and to named
 * attributes. The key is used through the table only.
 */
type TableRights = {
  table: { actions: string[]; partitions?: string[]; attributes?: string[] }[]
  key: string[]
}

const readAndWriteKeyActions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey']

/** The attributes that ElectroDB names when it reads the office data that signers may see. */
export const officeAttributes = withOwn('name', 'time_zone')

/** Partitions of workspaces, as a pattern for IAM: a `?` is one character of the workspace's id. */
const ofWorkspaces = (partition: string) => `ws_${'?'.repeat(36)}#${partition}`

/**
 * The lists whose entries a signer's change adds and removes. An envelope that all have signed never expires.
 */
const listsEntered = [ofWorkspaces('envelopes#*'), 'envelopes#due#?']
const listsLeft = [...listsEntered, ofWorkspaces('envelopes_expiring#*')]

/**
 * The right to envelopes alone, for the page that anybody on the internet may call. The page cannot search: a read
 * needs the id, which a magic link or a digest gives. It can neither read nor remove entries of an audit trail, a
 * timeline or the log of events. IAM cannot distinguish a new item from one that replaces another, but the stores put
 * new ones only.
 */
const envelopeRights: TableRights['table'] = [
  {
    actions: ['dynamodb:GetItem'],
    partitions: [
      'layout',
      ofWorkspaces('envelope#*'),
      'signing_link#*',
      'sealed_file#*',
      ofWorkspaces('webhook_count'),
    ],
  },
  {
    actions: ['dynamodb:GetItem'],
    partitions: [ofWorkspaces('workspace')],
    attributes: officeAttributes,
  },
  { actions: ['dynamodb:UpdateItem'], partitions: [ofWorkspaces('envelope#*')] },
  {
    actions: ['dynamodb:PutItem'],
    partitions: [
      ofWorkspaces('envelope_audit#*'),
      ...listsEntered,
      ofWorkspaces('timeline#*'),
      ofWorkspaces('webhook_events#*'),
      'outbox#??',
    ],
  },
  { actions: ['dynamodb:DeleteItem'], partitions: listsLeft },
  // Finished jobs are removed in batches.
  { actions: ['dynamodb:BatchWriteItem'], partitions: ['outbox#??'] },
]

/** The attributes that ElectroDB names when a store records the last use of an API key, or that it was refused. */
export const lastUseAttributes = withOwn('id', 'last_used_at')
export const refusalAttributes = withOwn('id', 'refused_at')

/**
 * The same for the function that executes exports: when a token was used, and when a configuration was
 * executed.
 */
export const tokenUseAttributes = withOwn('token_sha256', 'last_used_at')
export const executionAttributes = withOwn('workspace_id', 'id', 'last_executed_at', 'version')

/** These attributes of an item, with its key and the attributes that ElectroDB adds. */
function withOwn(...attributes: string[]): string[] {
  return ['pk', 'sk', ...attributes, '__edb_e__', '__edb_v__']
}

const readRights: TableRights['table'] = [
  { actions: readActions },
  { actions: ['dynamodb:UpdateItem'], partitions: ['api_key#*'], attributes: lastUseAttributes },
  { actions: ['dynamodb:UpdateItem'], partitions: ['api_key#*'], attributes: refusalAttributes },
  // The first use of a key, its refusals and fetched exports. The store puts new entries only.
  { actions: ['dynamodb:PutItem'], partitions: [ofWorkspaces('audit')] },
  // The answer to a POST with an Idempotency-Key, and its note.
  {
    actions: ['dynamodb:PutItem'],
    partitions: [ofWorkspaces('kept_answers'), ofWorkspaces('idempotency#*')],
  },
  // Every request of a key is counted.
  { actions: ['dynamodb:UpdateItem'], partitions: [ofWorkspaces('allowance')] },
]

/** Transactions need no separate right: DynamoDB checks the right to each part. No function may scan. */
export const tableRights: Record<NonNullable<Needs['table']>, TableRights> = {
  health: { table: [{ actions: ['dynamodb:GetItem'], partitions: ['layout'] }], key: ['kms:Decrypt'] },
  envelopes: { table: envelopeRights, key: readAndWriteKeyActions },
  read: { table: readRights, key: readAndWriteKeyActions },
  exports: {
    table: [
      ...readRights,
      { actions: ['dynamodb:UpdateItem'], partitions: ['export_token#*'], attributes: tokenUseAttributes },
      {
        actions: ['dynamodb:UpdateItem'],
        partitions: [ofWorkspaces('export_configs')],
        attributes: executionAttributes,
      },
    ],
    key: readAndWriteKeyActions,
  },
  write: { table: [{ actions: [...readActions, ...writeActions] }], key: readAndWriteKeyActions },
}

function tableStatements(
  need: Needs['table'],
  { table, key }: Pick<FunctionProps, 'table' | 'key'>,
): PolicyStatement[] {
  if (need === undefined) return []
  const rights = tableRights[need]
  return [
    ...rights.table.map(
      ({ actions, partitions, attributes }) =>
        new PolicyStatement({
          actions,
          resources: [table.tableArn],
          conditions: {
            ...(partitions && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } }),
            ...(attributes && {
              'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
              // Otherwise a read that names no attributes, or the answer to an update, could show all of them.
              StringEqualsIfExists: {
                'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'],
                'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'],
              },
            }),
          },
        }),
    ),
    new PolicyStatement({
      actions: rights.key,
      resources: [key.keyArn],
      // Only DynamoDB uses the key for a function; a function cannot decrypt anything with it by itself.
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` } },
    }),
  ]
}

const bucketActions = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  parts: 's3:AbortMultipartUpload',
  delete: 's3:DeleteObject',
  erase: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
} as const

/** Rights to objects by the prefix of their keys, and to the bucket's encryption key through S3 only. */
function bucketStatements(
  needs: Needs['bucket'] = {},
  { bucket, key }: Pick<FunctionProps, 'bucket' | 'key'>,
): PolicyStatement[] {
  const entries = Object.entries(needs)
  if (entries.length === 0) return []
  const all = new Set(entries.flatMap(([, actions]) => actions))
  const keyActions = [
    // S3 decrypts the parts of an upload to assemble them.
    ...(all.has('read') || all.has('parts') ? ['kms:Decrypt'] : []),
    ...(all.has('write') ? ['kms:GenerateDataKey'] : []),
  ]
  const onObjects = entries.map(
    ([prefix, actions]) =>
      new PolicyStatement({
        actions: actions.flatMap((action) => bucketActions[action]),
        resources: [bucket.arnForObjects(`${prefix}/*`)],
      }),
  )
  const erased = entries.filter(([, actions]) => actions.includes('erase')).map(([prefix]) => `${prefix}/*`)
  const onList =
    erased.length === 0
      ? []
      : [
          new PolicyStatement({
            actions: ['s3:ListBucketVersions'],
            resources: [bucket.bucketArn],
            conditions: { StringLike: { 's3:prefix': erased } },
          }),
        ]
  if (keyActions.length === 0) return [...onObjects, ...onList]
  const onKey = new PolicyStatement({
    actions: keyActions,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `s3.${Stack.of(bucket).region}.amazonaws.com` } },
  })
  return [...onObjects, ...onList, onKey]
}

function queueStatements(
  names: readonly QueueName[] = [],
  { queues }: Pick<FunctionProps, 'queues'>,
): PolicyStatement[] {
  if (names.length === 0) return []
  return [
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      resources: names.map((name) => queues[name].queueArn),
    }),
  ]
}

function textractStatement(): PolicyStatement {
  return new PolicyStatement({
    actions: [
      'textract:DetectDocumentText',
      'textract:StartDocumentTextDetection',
      'textract:GetDocumentTextDetection',
    ],
    resources: ['*'],
  })
}

/** The right to encrypt and decrypt secrets of one purpose, each bound to its workspace by the encryption context. */
function secretsStatement(
  purpose: NonNullable<Needs['secrets']>,
  { secretsKey }: Pick<FunctionProps, 'secretsKey'>,
): PolicyStatement {
  return new PolicyStatement({
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    resources: [secretsKey.keyArn],
    conditions: {
      StringEquals: { 'kms:EncryptionContext:purpose': purpose },
      Null: { 'kms:EncryptionContext:workspace_id': 'false' },
    },
  })
}

/** The right to sign with the signing key, and to read its public key. */
function signingStatement({ signingKey }: Pick<FunctionProps, 'signingKey'>): PolicyStatement {
  return new PolicyStatement({ actions: signingActions, resources: [signingKey.keyArn] })
}

/** The actions for signing. The policy of the key permits no other use of it. */
export const signingActions = ['kms:Sign', 'kms:GetPublicKey']

/**
 * The right to send from the stage's mail domain, with the stage's configuration set. SES checks the right to the
 * identity, and to the configuration set that the call names or that is the identity's default. So a call cannot use
 * another one. If the stage sends no mail, there are no statements.
 */
function mailStatements({ stage, table }: Pick<FunctionProps, 'stage' | 'table'>): PolicyStatement[] {
  if (stage.mail === undefined) return []
  const sending = (resource: string, resourceName: string, conditions = {}) =>
    new PolicyStatement({
      actions: ['ses:SendRawEmail'],
      resources: [Stack.of(table).formatArn({ service: 'ses', resource, resourceName })],
      conditions,
    })
  const { domain } = stage.mail
  return [
    // Without this condition, the right to send from a domain includes its subdomains.
    sending('identity', domain, { StringLike: { 'ses:FromAddress': `*@${domain}` } }),
    sending('configuration-set', mailConfigurationSetName(stage.name)),
  ]
}
