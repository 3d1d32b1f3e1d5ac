import { readFileSync } from 'node:fs'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { stagesOf } from '#infra/stage.ts'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const account = '210987654321'
const backupVaultArn = `arn:aws:backup:eu-central-1:${account}:backup-vault:kanzleien`
const stages = cdkContext.stages as Record<'dev' | 'prod', object>
const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
const { app, resources } = synthesise({ stages: { ...stages, prod: { ...stages.prod, backupVaultArn } } })

const inStorage = (type: string) => resources('prod', 'storage', type)
function only(found: [string, Resource][]): [string, Resource] {
  expect(found).toHaveLength(1)
  return found[0] as [string, Resource]
}
const keyOfBackups = () =>
  only(inStorage('AWS::KMS::Key').filter(([, { Properties }]) => /backups/.test(Properties.Description)))

describe('a stage with a vault in another account', () => {
  test('backs up its table and its bucket every night, and copies both there for 35 days', () => {
    const [vaultId] = only(inStorage('AWS::Backup::BackupVault'))
    const [planId, { Properties: plan }] = only(inStorage('AWS::Backup::BackupPlan'))
    const [, { Properties: selection }] = only(inStorage('AWS::Backup::BackupSelection'))
    const [tableId] = only(inStorage('AWS::DynamoDB::Table'))
    const [bucketId] = only(inStorage('AWS::S3::Bucket'))

    expect(plan.BackupPlan.BackupPlanRule).toMatchObject([
      {
        TargetBackupVault: { 'Fn::GetAtt': [vaultId, 'BackupVaultName'] },
        ScheduleExpression: 'cron(0 1 * * ? *)',
        Lifecycle: { DeleteAfterDays: 7 },
        CopyActions: [{ DestinationBackupVaultArn: backupVaultArn, Lifecycle: { DeleteAfterDays: 35 } }],
      },
    ])
    expect(selection.BackupPlanId).toEqual({ 'Fn::GetAtt': [planId, 'BackupPlanId'] })
    expect(selection.BackupSelection.Resources).toEqual([
      { 'Fn::GetAtt': [tableId, 'Arn'] },
      { 'Fn::GetAtt': [bucketId, 'Arn'] },
    ])
  })

  test('has a deleted object in its copies as long as the README says: a backup holds old versions, too', () => {
    const [, { Properties: plan }] = only(inStorage('AWS::Backup::BackupPlan'))
    const [, { Properties: bucket }] = only(inStorage('AWS::S3::Bucket'))
    const [{ CopyActions }] = plan.BackupPlan.BackupPlanRule
    const days = Math.max(
      ...bucket.LifecycleConfiguration.Rules.map(
        (rule: Resource['Properties']) => rule.NoncurrentVersionExpiration.NoncurrentDays,
      ),
    )

    const [, said] =
      /a deleted object is gone from the copies of the bucket after (\d+) days/.exec(readme) ?? []
    expect(Number(said)).toBe(days + CopyActions[0].Lifecycle.DeleteAfterDays)
  })

  test('backs up by a role of AWS Backup alone, with the policies for DynamoDB and S3', () => {
    const [, { Properties: selection }] = only(inStorage('AWS::Backup::BackupSelection'))
    const [roleId] = selection.BackupSelection.IamRoleArn['Fn::GetAtt']
    const { Properties: role } = Object.fromEntries(inStorage('AWS::IAM::Role'))[roleId] as Resource

    const [trusted] = role.AssumeRolePolicyDocument.Statement
    expect(role.AssumeRolePolicyDocument.Statement).toHaveLength(1)
    expect(trusted.Principal).toEqual({ Service: 'backup.amazonaws.com' })
    expect(JSON.stringify(role.ManagedPolicyArns)).toContain(
      'policy/service-role/AWSBackupServiceRolePolicyForBackup',
    )
    expect(JSON.stringify(role.ManagedPolicyArns)).toContain('policy/AWSBackupServiceRolePolicyForS3Backup')
    const ofRole = inStorage('AWS::IAM::Policy').filter(([, { Properties }]) =>
      JSON.stringify(Properties.Roles).includes(roleId),
    )
    expect(ofRole).toEqual([])
  })

  test('lets the other account read its backups, and nothing else', () => {
    const [vaultKeyId, { Properties: key }] = keyOfBackups()
    const [, { Properties: vault }] = only(inStorage('AWS::Backup::BackupVault'))
    const mentions = (value: unknown) => JSON.stringify(value).includes(account)
    const granted = key.KeyPolicy.Statement.filter(mentions)

    expect(vault.EncryptionKeyArn).toEqual({ 'Fn::GetAtt': [vaultKeyId, 'Arn'] })
    expect(key.EnableKeyRotation).toBe(true)
    expect(granted.map(({ Action, Condition }: Record<string, unknown>) => [Action, Condition])).toEqual([
      [['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey*'], undefined],
      ['kms:CreateGrant', { Bool: { 'kms:GrantIsForAWSResource': true } }],
    ])
    const others = (['storage', 'api', 'work', 'watch'] as const).flatMap((purpose) =>
      ['AWS::KMS::Key', 'AWS::S3::BucketPolicy', 'AWS::IAM::Policy'].flatMap((type) =>
        resources('prod', purpose, type).filter(([id, found]) => id !== vaultKeyId && mentions(found)),
      ),
    )
    expect(others.map(([id]) => id)).toEqual([])
  })

  test('keeps its backups and their key when the stack is deleted', () => {
    for (const [, kept] of [only(inStorage('AWS::Backup::BackupVault')), keyOfBackups()])
      expect(kept).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  })

  test('breaks none of the AwsSolutions rules', () => {
    expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([])
  })

  test('raises an alarm when nights pass without a copy of the table or of the bucket', () => {
    const alarms = resources('prod', 'watch', 'AWS::CloudWatch::Alarm')
      .filter(([id]) => id.startsWith('BackupMissing'))
      .map(([, { Properties }]) => Properties)

    expect(alarms).toHaveLength(1)
    expect(alarms[0]).toMatchObject({
      Namespace: 'AWS/Backup',
      MetricName: 'NumberOfCopyJobsCompleted',
      // AWS Backup publishes them under the name of the vault that they go to.
      Dimensions: [{ Name: 'BackupVaultName', Value: 'kanzleien' }],
      Statistic: 'Sum',
      Period: 86_400,
      Threshold: 2,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    })
  })
})

test('a stage without a vault in another account has no backup of AWS Backup, and no alarm for it', () => {
  const ofDev = (['storage', 'watch'] as const).flatMap((purpose) =>
    ['AWS::Backup::BackupVault', 'AWS::Backup::BackupPlan', 'AWS::CloudWatch::Alarm'].flatMap((type) =>
      resources('dev', purpose, type).filter(([id]) => /Backup/.test(id)),
    ),
  )

  expect(ofDev).toEqual([])
})

test('a stage whose data goes with its stack has no backup, which would stay', () => {
  const settings = { stages: { ...stages, dev: { ...stages.dev, backupVaultArn } } }

  expect(() => stagesOf(settings)).toThrow(/protectData must be true/)
})
