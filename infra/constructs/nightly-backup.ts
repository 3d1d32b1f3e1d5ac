import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupSelection,
  BackupVault,
} from 'aws-cdk-lib/aws-backup'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { AccountPrincipal, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Arn, ArnFormat, Duration, Validations } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { kept, uniqueName } from '../retention.ts'

/** How many days a copy is kept in the other account, and a backup in this one. */
const [copyDays, backupDays] = [35, 7]

/** The policies of AWS that a backup of DynamoDB and S3 needs, with the right to copy it. */
const policies = ['service-role/AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForS3Backup']

/**
 * A backup every night, with a copy in a vault of another account. An attacker who controls this account cannot delete
 * the copy.
 *
 * AWS Backup encrypts backups of S3, and of DynamoDB with its advanced features, with the key of the vault, whatever
 * key the data has. The other account must be able to decrypt the backups that it copies. So the vault has its own
 * key: with the key of the data, the other account could decrypt the data as well.
 */
export class NightlyBackup extends Construct {
  /** Encrypts the backups. */
  readonly key: Key

  constructor(
    scope: Construct,
    id: string,
    { stage, copyTo, resources }: { stage: string; copyTo: string; resources: string[] },
  ) {
    super(scope, id)
    this.key = this.keySharedWith(accountOf(copyTo), stage)
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: uniqueName(this, `aktenlage-${stage}`),
      encryptionKey: this.key,
      removalPolicy: kept,
    })
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: `aktenlage-${stage}`,
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'nightly',
          scheduleExpression: Schedule.cron({ hour: '1', minute: '0' }),
          deleteAfter: Duration.days(backupDays),
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'CopyVault', copyTo),
              deleteAfter: Duration.days(copyDays),
            },
          ],
        }),
      ],
    })
    new BackupSelection(this, 'Data', {
      backupPlan: plan,
      role: this.role(),
      resources: resources.map((arn) => BackupResource.fromArn(arn)),
      disableDefaultBackupPolicy: true,
    })
  }

  /** A key that the other account may use: AWS Backup copies by its service-linked role of that account. */
  private keySharedWith(account: string, stage: string): Key {
    const key = new Key(this, 'Key', {
      description: `Encrypts the backups of Aktenlage ${stage}`,
      enableKeyRotation: true,
      removalPolicy: kept,
    })
    const allow = (actions: string[], conditions = {}) =>
      key.addToResourcePolicy(
        new PolicyStatement({
          principals: [new AccountPrincipal(account)],
          actions,
          resources: ['*'],
          conditions,
        }),
      )
    allow(['kms:DescribeKey', 'kms:Decrypt', 'kms:GenerateDataKey*'])
    allow(['kms:CreateGrant'], { Bool: { 'kms:GrantIsForAWSResource': true } })
    return key
  }

  private role(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: policies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    })
    for (const name of policies)
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'AWS Backup documents these policies as those that a backup of DynamoDB and of S3 needs.',
      })
    return role
  }
}

/** The account of a vault, by its ARN. */
function accountOf(vaultArn: string): string {
  const { account } = Arn.split(vaultArn, ArnFormat.COLON_RESOURCE_NAME)
  if (account === undefined) throw new Error(`The vault ${vaultArn} has no account.`)
  return account
}

/** The name of a vault, by its ARN. The metrics of copies have it as their dimension. */
export function vaultNameOf(vaultArn: string): string {
  const { resourceName } = Arn.split(vaultArn, ArnFormat.COLON_RESOURCE_NAME)
  if (resourceName === undefined) throw new Error(`The vault ${vaultArn} has no name.`)
  return resourceName
}
