import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupSelection,
  BackupVault,
} from 'aws-cdk-lib/aws-backup'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { pascalCase } from '../pascal-case.ts'

/** So long a copy is kept in the other account, and a backup in this one. */
const [copyDays, backupDays] = [35, 7]

/** The policies of AWS that a backup of DynamoDB and S3 needs. */
const policies = ['service-role/AWSBackupServiceRolePolicyForBackup', 'AWSBackupServiceRolePolicyForS3Backup']

/** A backup every night, with a copy in a vault of another account. An attacker who controls this account cannot delete the copy. */
export class NightlyBackup extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { stage: string; copyTo: string; key: IKey; resources: string[]; removalPolicy: RemovalPolicy },
  ) {
    super(scope, id)
    const vault = new BackupVault(this, 'Vault', {
      backupVaultName: `aktenlage-${props.stage}`,
      encryptionKey: props.key,
      removalPolicy: props.removalPolicy,
    })
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: `aktenlage-${props.stage}`,
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'nightly',
          scheduleExpression: Schedule.cron({ hour: '1', minute: '0' }),
          deleteAfter: Duration.days(backupDays),
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'CopyVault', props.copyTo),
              deleteAfter: Duration.days(copyDays),
            },
          ],
        }),
      ],
    })
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: policies.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    })
    for (const name of policies)
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
        reason: 'AWS Backup documents these policies as those that a backup of DynamoDB and of S3 needs.',
      })
    new BackupSelection(this, `${pascalCase(props.stage)}Data`, {
      backupPlan: plan,
      role,
      resources: props.resources.map((arn) => BackupResource.fromArn(arn)),
      disableDefaultBackupPolicy: true,
    })
  }
}
