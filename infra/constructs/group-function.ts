import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'
import {
  Architecture,
  Code,
  type FunctionOptions,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { AssetHashType, DockerImage, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { type FunctionDeclaration, manifest, type Needs, type QueueName } from '#functions/manifest.ts'
import { inRepository } from '../in-repository.ts'
import { functionName, type Stage } from '../stage.ts'

/** What every stack that holds functions is given. */
export type FunctionWorld = {
  stage: Stage
  table: Table
  bucket: Bucket
  key: Key
  secretsKey: Key
  queues: Record<QueueName, Queue>
}

/**
 * One Lambda of the manifest, with a role that allows what its `needs` say and nothing else. Everything that
 * all functions have in common is said here.
 */
export class GroupFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    declaration: FunctionDeclaration,
    world: FunctionWorld,
    options: Pick<FunctionOptions, 'retryAttempts' | 'maxEventAge'> = {},
  ) {
    const id = pascalCase(declaration.name)
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: world.stage.logRetentionDays,
      removalPolicy: world.stage.protectData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    )
    const { needs, consumes } = declaration
    const statements = [
      ...tableStatements(needs.table, world),
      ...bucketStatements(needs.bucket, world),
      ...queueStatements(needs.sends, world),
      ...(needs.textract ? [textractStatement()] : []),
      ...(needs.secrets ? [secretsStatement(world)] : []),
    ]
    for (const statement of statements) role.addToPolicy(statement)
    const queues = [...(needs.sends ?? []), ...(consumes ? [consumes.queue] : [])]
    super(scope, id, {
      ...options,
      functionName: functionName(world.stage.name, declaration.name),
      description: `Aktenlage ${world.stage.name}: ${declaration.name}`,
      code: codeOf(declaration),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: declaration.memoryMegabytes,
      timeout: Duration.seconds(declaration.timeoutSeconds),
      tracing: Tracing.ACTIVE,
      role,
      logGroup,
      environment: {
        ...(declaration.nodeOptions && { NODE_OPTIONS: declaration.nodeOptions }),
        ...(world.stage.domain && { SERVICE_BASE_URL: `https://${world.stage.domain.name}` }),
        ...(needs.table && { TABLE_NAME: world.table.tableName }),
        ...(needs.bucket && { BUCKET_NAME: world.bucket.bucketName }),
        ...Object.fromEntries(queues.map((name) => [queueVariable(name), world.queues[name].queueUrl])),
        ...(needs.secrets && {
          SECRETS_KEY_ID: world.secretsKey.keyArn,
          SYNC_ALLOW_PRIVATE_NETWORKS: String(world.stage.syncAllowPrivateNetworks),
        }),
      },
    })

    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: needs.textract
        ? 'X-Ray and Textract know no resources: their actions are allowed on all or on none. The statements hold the sending of segments and the detection of text alone; which documents Textract reads, the rights to the bucket decide.'
        : 'X-Ray knows no resources: a segment can be sent to all of them or to none. The statement holds the two sending actions alone.',
    })
    for (const prefix of Object.keys(needs.bucket ?? {})) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${exportOfArn(world.bucket)}/${prefix}/*]`,
        reason:
          'Documents come and go: what a function may touch is told by the prefix of their keys, and the statement holds the actions that the manifest names for it.',
      })
    }
  }
}

const readActions = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:Query',
  'dynamodb:ConditionCheckItem',
]
const writeActions = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:BatchWriteItem',
]

/** Actions on the table, of some only on partitions whose keys are like these, and only of these attributes; and on its key, through the table alone. */
type TableRights = {
  table: { actions: string[]; partitions?: string[]; attributes?: string[] }[]
  key: string[]
}

const readAndWriteKeyActions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey']

/** What ElectroDB names to note when an API key was used. */
export const lastUse = ['pk', 'sk', 'id', 'last_used_at', '__edb_e__', '__edb_v__']

/** Transactions need no right of their own: DynamoDB checks the right to each of their parts. Nobody may scan. */
const rightsOf: Record<NonNullable<Needs['table']>, TableRights> = {
  health: { table: [{ actions: ['dynamodb:GetItem'], partitions: ['health'] }], key: ['kms:Decrypt'] },
  read: {
    table: [
      { actions: readActions },
      { actions: ['dynamodb:UpdateItem'], partitions: ['api_key#*'], attributes: lastUse },
    ],
    key: readAndWriteKeyActions,
  },
  write: { table: [{ actions: [...readActions, ...writeActions] }], key: readAndWriteKeyActions },
}

function tableStatements(need: Needs['table'], { table, key }: FunctionWorld): PolicyStatement[] {
  if (need === undefined) return []
  const rights = rightsOf[need]
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
              // An answer may show nothing else either.
              StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
            }),
          },
        }),
    ),
    new PolicyStatement({
      actions: rights.key,
      resources: [key.keyArn],
      // The key serves the table only: no function can use it on anything it holds itself.
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` } },
    }),
  ]
}

const bucketActions = { read: 's3:GetObject', write: 's3:PutObject', delete: 's3:DeleteObject' } as const

/** Rights to objects by the prefix of their keys, and to the key they are encrypted with through S3 alone. */
function bucketStatements(
  needs: FunctionDeclaration['needs']['bucket'] = {},
  { bucket, key }: FunctionWorld,
): PolicyStatement[] {
  const entries = Object.entries(needs)
  if (entries.length === 0) return []
  const all = new Set(entries.flatMap(([, actions]) => actions))
  const keyActions = [
    ...(all.has('read') ? ['kms:Decrypt'] : []),
    ...(all.has('write') ? ['kms:GenerateDataKey'] : []),
  ]
  return [
    ...entries.map(
      ([prefix, actions]) =>
        new PolicyStatement({
          actions: actions.map((action) => bucketActions[action]),
          resources: [bucket.arnForObjects(`${prefix}/*`)],
        }),
    ),
    ...(keyActions.length === 0
      ? []
      : [
          new PolicyStatement({
            actions: keyActions,
            resources: [key.keyArn],
            conditions: { StringEquals: { 'kms:ViaService': `s3.${Stack.of(bucket).region}.amazonaws.com` } },
          }),
        ]),
  ]
}

function queueStatements(names: readonly QueueName[] = [], { queues }: FunctionWorld): PolicyStatement[] {
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

/** The variable that a function reads the address of a queue from. */
function queueVariable(name: QueueName): string {
  return `${name.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`
}

/** The name under which the bucket's stack tells other stacks its ARN; cdk-nag calls what it finds by it. */
function exportOfArn(bucket: Bucket): string {
  const stack = Stack.of(bucket)
  return stack.resolve(stack.exportValue(bucket.bucketArn))['Fn::ImportValue']
}

/** To seal and open secrets, each bound to the workspace it belongs to. */
function secretsStatement({ secretsKey }: FunctionWorld): PolicyStatement {
  return new PolicyStatement({
    actions: ['kms:Encrypt', 'kms:Decrypt'],
    resources: [secretsKey.keyArn],
    conditions: { Null: { 'kms:EncryptionContext:workspace_id': 'false' } },
  })
}

let bundles: Map<string, Uint8Array> | undefined

/** The bundles of all functions by their names, made at once when the first is asked for. */
function bundlesOfAll(): Map<string, Uint8Array> {
  if (bundles !== undefined) return bundles
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-bundles-'))
  const fileOf = (name: string) => join(folder, `${name}.mjs`)
  try {
    const pairs = manifest.map(({ name, entry }) => [entry, fileOf(name)])
    const program = [inRepository('infra/constructs/bundling.ts'), JSON.stringify(pairs)]
    execFileSync(process.execPath, program, {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    bundles = new Map(manifest.map(({ name }) => [name, readFileSync(fileOf(name))]))
    return bundles
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The bundle of a function and the assets beside it, for a stack that is to be bundled. */
function codeOf({ name, entry, assets = [] }: FunctionDeclaration): Code {
  return Code.fromAsset(inRepository('functions'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // A container would be asked where the local way gives up, which it does not.
      image: DockerImage.fromRegistry('none'),
      // Tells the functions' codes apart, which all come from one folder.
      command: [entry, ...assets],
      local: {
        tryBundle: (folder) => {
          const bundled = bundlesOfAll().get(name)
          if (bundled === undefined) throw new Error(`The manifest has no function ${name}.`)
          writeFileSync(join(folder, 'index.mjs'), bundled)
          for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
          return true
        },
      },
    },
  })
}

/** `cases-files` → `CasesFiles`, for logical ids. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
