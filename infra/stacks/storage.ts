import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { AccountRootPrincipal, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import type { QueueName, QueueSettings, Queues } from '#functions/queues.ts'
import { table as shape } from '#store/table.ts'
import { addEmptyingLog } from '../constructs/emptying-log.ts'
import { signingActions } from '../constructs/function-rights.ts'
import { onlyReceiptRule } from '../constructs/mail-receiving.ts'
import { NightlyBackup } from '../constructs/nightly-backup.ts'
import { objectLifetimeDays } from '../object-lifetimes.ts'
import { pascalCase } from '../pascal-case.ts'
import { kept, logRetentionOf, removalPolicyOf } from '../retention.ts'
import {
  deadLetterQueueName,
  isProtected,
  mailTopicName,
  outputs,
  queueName,
  receivedPrefix,
  receivedTopicName,
  type Stage,
} from '../stage.ts'

/** The data: the table, the bucket, their encryption key, the key for users' secrets, the signing key, and the queues. */
export class StorageStack extends Stack {
  /** The table that the stage uses: its own, or a restored one. */
  readonly table: ITable
  readonly bucket: Bucket
  readonly key: Key
  readonly queues: Record<QueueName, Queue>
  readonly secretsKey: Key
  readonly signingKey: Key
  /** Every key with which data of the stage is encrypted or sealed. */
  readonly keys: readonly Key[]

  constructor(scope: Construct, id: string, props: StackProps & { stage: Stage; queues: Queues }) {
    super(scope, id, props)
    const { protectData } = props.stage
    const removalPolicy = removalPolicyOf(props.stage)

    this.key = new Key(this, 'Key', {
      description: `Encrypts the table and the bucket of Aktenlage ${props.stage.name}`,
      enableKeyRotation: true,
      removalPolicy,
    })
    // A separate key, so that the right to read the table does not reveal a password.
    this.secretsKey = new Key(this, 'SecretsKey', {
      description: `Encrypts secrets of users of Aktenlage ${props.stage.name}, such as calendar passwords, keys of beA and secrets of webhooks`,
      enableKeyRotation: true,
      removalPolicy,
    })
    this.signingKey = this.makeSigningKey(props.stage)
    const ownTable = new Table(this, 'Table', {
      partitionKey: { name: shape.partitionKey, type: AttributeType.STRING },
      sortKey: { name: shape.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: shape.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isProtected(props.stage),
      removalPolicy,
    })
    this.table = this.tableInUse(props.stage, ownTable)
    new CfnOutput(this, outputs.tableName, { value: this.table.tableName })
    this.bucket = this.makeBucket(removalPolicy)
    if (!protectData) addEmptyingLog(this, logRetentionOf(props.stage))
    this.keys = [this.key, this.secretsKey, this.signingKey]
    if (props.stage.backupVaultArn !== undefined) {
      const backup = new NightlyBackup(this, 'Backup', {
        stage: props.stage.name,
        copyTo: props.stage.backupVaultArn,
        resources: [this.table.tableArn, this.bucket.bucketArn],
      })
      this.keys = [...this.keys, backup.key]
    }
    new CfnOutput(this, outputs.bucketName, { value: this.bucket.bucketName })
    const made = Object.entries(props.queues).map(
      ([queue, settings]) => [queue, this.makeQueue(queue, settings, props.stage)] as const,
    )
    // Tests of releases pass other queues, with functions that name only those.
    this.queues = Object.fromEntries(made) as Record<QueueName, Queue>
    const { name, mail } = props.stage
    if (mail) this.admitTopic(this.queues['mail-events'], mailTopicName(name))
    if (mail?.receivedBy === 'ses') {
      this.admitTopic(this.queues['received-mails'], receivedTopicName(name))
      this.admitReceivedMails(props.stage)
    }
  }

  private tableInUse({ tableName }: Stage, own: Table): ITable {
    // The CDK declares optional properties of the class and of the interface differently.
    if (tableName === undefined) return own as ITable
    // CloudFormation cannot remove an export that another stack imports. The other stacks import it until their next
    // deployment.
    this.exportValue(own.tableArn)
    this.exportValue(own.tableName)
    return Table.fromTableAttributes(this, 'RestoredTable', { tableName, encryptionKey: this.key })
  }

  /**
   * Allows a topic of the mail stack to send to a queue, and to send undeliverable messages to the dead-letter queue.
   * The topic's stack imports the queue, so this stack refers to the topic by name: two stacks cannot import each
   * other.
   */
  private admitTopic(queue: Queue, topicName: string): void {
    const topicArn = this.formatArn({ service: 'sns', resource: topicName })
    for (const admitting of [queue, queue.deadLetterQueue?.queue]) {
      admitting?.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('sns.amazonaws.com')],
          actions: ['sqs:SendMessage'],
          resources: [admitting.queueArn],
          conditions: { ArnEquals: { 'aws:SourceArn': topicArn } },
        }),
      )
    }
  }

  /** Allows the stage's receipt rule to store messages. SES stores large ones in parts, for which S3 must decrypt. */
  private admitReceivedMails(stage: Stage): void {
    const ses = (actions: string[], resource: string) =>
      new PolicyStatement({
        principals: [new ServicePrincipal('ses.amazonaws.com')],
        actions,
        resources: [resource],
        conditions: onlyReceiptRule(this, stage),
      })
    this.bucket.addToResourcePolicy(ses(['s3:PutObject'], this.bucket.arnForObjects(`${receivedPrefix}*`)))
    this.key.addToResourcePolicy(ses(['kms:Decrypt', 'kms:GenerateDataKey*'], '*'))
  }

  /**
   * The key that seals documents. It outlives the stack even if the data of the stage is not protected: a deleted key
   * cannot be restored, and the certificate of an authority is useless without it. The policy of the key allows IAM of
   * the account to grant only signing and administration.
   */
  private makeSigningKey(stage: Stage): Key {
    const allow = (actions: string[]) =>
      new PolicyStatement({ principals: [new AccountRootPrincipal()], actions, resources: ['*'] })
    const key = new Key(this, 'SigningKey', {
      description: `Seals signed documents of Aktenlage ${stage.name}`,
      keySpec: KeySpec.RSA_3072,
      keyUsage: KeyUsage.SIGN_VERIFY,
      policy: new PolicyDocument({ statements: [allow(administrationOfKeys), allow(signingActions)] }),
      removalPolicy: kept,
    })
    new CfnOutput(this, outputs.signingKeyId, { value: key.keyArn })
    return key
  }

  /**
   * The bucket of documents, their texts, mails and beA messages. Nothing in it is public. A browser may PUT
   * to a presigned URL from any origin; no other cross-origin request is allowed.
   */
  private makeBucket(removalPolicy: RemovalPolicy): Bucket {
    const bucket = new Bucket(this, 'Files', {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      cors: [{ allowedMethods: [HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['content-type'] }],
      lifecycleRules: [
        {
          id: 'uploads-that-were-not-completed',
          prefix: 'uploads/',
          expiration: Duration.days(objectLifetimeDays['uploads/']),
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          // Once a message is recorded, an empty object replaces it. Other messages stay longer here than in the queue.
          id: 'received-mails',
          prefix: receivedPrefix,
          expiration: Duration.days(objectLifetimeDays[receivedPrefix]),
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          id: 'reports-on-parties',
          prefix: 'reports/',
          expiration: Duration.days(objectLifetimeDays['reports/']),
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          // Search index segments contain the texts, so no old version of them may keep erased data.
          id: 'search-indexes',
          prefix: 'search/',
          noncurrentVersionExpiration: Duration.days(1),
        },
        {
          // An accidental deletion can be undone for a month.
          id: 'deleted-for-good',
          noncurrentVersionExpiration: Duration.days(30),
          expiredObjectDeleteMarker: true,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
      // CloudFormation does not delete a bucket that contains objects.
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    })
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Only the functions of this application read and write the bucket. They log each request with its document; a second bucket of access logs would hold less.',
    })
    return bucket
  }

  private makeQueue(name: string, { visibilitySeconds, maxReceives }: QueueSettings, stage: Stage): Queue {
    const settings = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    }
    const failed = new Queue(this, `${pascalCase(name)}Failed`, {
      ...settings,
      queueName: deadLetterQueueName(stage.name, name),
    })
    return new Queue(this, `${pascalCase(name)}Queue`, {
      ...settings,
      queueName: queueName(stage.name, name),
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      deadLetterQueue: { queue: failed, maxReceiveCount: maxReceives },
    })
  }
}

/** The actions for administering the signing key, without using it. */
const administrationOfKeys = [
  'kms:CancelKeyDeletion',
  'kms:DescribeKey',
  'kms:DisableKey',
  'kms:EnableKey',
  'kms:GetKeyPolicy',
  'kms:GetKeyRotationStatus',
  'kms:ListKeyPolicies',
  'kms:ListResourceTags',
  'kms:PutKeyPolicy',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:UpdateKeyDescription',
]
