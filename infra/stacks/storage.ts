import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb'
import { Key } from 'aws-cdk-lib/aws-kms'
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'
import { table as shape } from '#store/table.ts'
import { outputs, type Stage } from '../stage.ts'

/** What lasts: the one table with the key it is encrypted with, and the key for secrets of users. */
export class StorageStack extends Stack {
  readonly table: Table
  readonly key: Key
  readonly secretsKey: Key

  constructor(scope: Construct, id: string, props: StackProps & { stage: Stage }) {
    super(scope, id, props)
    const { protectData } = props.stage
    const removalPolicy = protectData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY

    this.key = new Key(this, 'Key', {
      description: `Encrypts the table of Aktenlage ${props.stage.name}`,
      enableKeyRotation: true,
      removalPolicy,
    })
    // Apart from the table's: who may read the table can read nobody's password with that.
    this.secretsKey = new Key(this, 'SecretsKey', {
      description: `Seals secrets of users of Aktenlage ${props.stage.name}, such as calendar passwords`,
      enableKeyRotation: true,
      removalPolicy,
    })
    this.table = new Table(this, 'Table', {
      partitionKey: { name: shape.partitionKey, type: AttributeType.STRING },
      sortKey: { name: shape.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: shape.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: protectData,
      removalPolicy,
    })
    new CfnOutput(this, outputs.tableName, { value: this.table.tableName })
  }
}
