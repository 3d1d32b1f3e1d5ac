import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { stagesOf } from '#infra/stage.ts'
import { cdkContext, type Resource, synthesise } from './synthesis.ts'

const settings = cdkContext.stages as { dev: object; prod: object }
const zone = { id: 'Z0123456789', name: 'kanzlei.example' }
/** `dev` has a hosted zone and a MAIL FROM of its own; `prod` has neither. */
const withMail = {
  dev: {
    ...settings.dev,
    mail: { domain: 'mail.dev.kanzlei.example', hostedZone: zone, mailFromSubdomain: 'env' },
  },
  prod: { ...settings.prod, mail: { domain: 'mail.kanzlei.example' } },
}
const domains = { dev: 'mail.dev.kanzlei.example', prod: 'mail.kanzlei.example' }

const sweeper = manifest.find(({ name }) => name === 'sweeper') as FunctionDeclaration
const functions: readonly FunctionDeclaration[] = [
  ...manifest,
  { ...sweeper, name: 'sends-mails', needs: { mail: 'send' }, alarms: [] },
]

const { app, stacks, resources, template, directory } = synthesise(
  { stages: withMail },
  { checkRulesOfCloudFormation: true, functions },
)
const without = synthesise({}, { functions })

const stages = ['dev', 'prod'] as const
type StageName = (typeof stages)[number]

const only = (found: [string, Resource][]): [string, Resource] => {
  expect(found).toHaveLength(1)
  return found[0] as [string, Resource]
}
/** The topic of the mail stack with this name. */
const topicOf = (stage: StageName, name: string) =>
  only(
    resources(stage, 'mail', 'AWS::SNS::Topic').filter(
      ([, { Properties }]) => Properties.TopicName === `aktenlage-${stage}-${name}`,
    ),
  )

/** The statements of a topic's policy. */
const policyOf = (stage: StageName, topicId: string) =>
  only(
    resources(stage, 'mail', 'AWS::SNS::TopicPolicy').filter(
      ([, { Properties }]) => Properties.Topics[0].Ref === topicId,
    ),
  )[1].Properties.PolicyDocument.Statement

const propertiesOf = (stage: StageName, type: string) => only(resources(stage, 'mail', type))[1].Properties

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown }

/** The statements about SES of each function's role, by the name of the function. */
function rightsToSend(of: typeof resources, stage: StageName): Record<string, Statement[]> {
  const found = (['api', 'work'] as const).flatMap((purpose) =>
    of(stage, purpose, 'AWS::Lambda::Function').map(([, { Properties }]) => {
      const role = Properties.Role['Fn::GetAtt'][0]
      const statements = [
        ...of(stage, purpose, 'AWS::IAM::Policy'),
        ...of(stage, purpose, 'AWS::IAM::ManagedPolicy'),
      ]
        .filter(([, policy]) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
        .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as Statement[])
        .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('ses:')))
      return [Properties.FunctionName.replace(`aktenlage-${stage}-`, ''), statements] as const
    }),
  )
  return Object.fromEntries(found)
}

const variablesOf = (of: typeof resources, stage: StageName): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    (['api', 'work'] as const).flatMap((purpose) =>
      of(stage, purpose, 'AWS::Lambda::Function').map(([, { Properties }]) => [
        Properties.FunctionName.replace(`aktenlage-${stage}-`, ''),
        Properties.Environment?.Variables ?? {},
      ]),
    ),
  )

const ofSes = (resource: string) => ({
  'Fn::Join': ['', [`arn:aws:ses:eu-central-1:`, { Ref: 'AWS::AccountId' }, `:${resource}`]],
})

describe.each(stages)('the rights to send in %s', (stage) => {
  test('a function sends only from the mail domain, and only with the configuration set of the stage', () => {
    const rights = rightsToSend(resources, stage)

    const senders = functions.filter(({ needs }) => needs.mail === 'send')
    expect(senders.length).toBeGreaterThan(0)
    for (const { name } of senders)
      expect(rights[name], name).toEqual([
        {
          Effect: 'Allow',
          Action: 'ses:SendRawEmail',
          Resource: ofSes(`identity/${domains[stage]}`),
          Condition: { StringLike: { 'ses:FromAddress': `*@${domains[stage]}` } },
        },
        {
          Effect: 'Allow',
          Action: 'ses:SendRawEmail',
          Resource: ofSes(`configuration-set/aktenlage-${stage}`),
        },
      ])
  })

  test('a function without the need has no right of SES, and only the others know the configuration set', () => {
    const rights = rightsToSend(resources, stage)
    const variables = variablesOf(resources, stage)

    for (const { name, needs } of functions) {
      if (needs.mail !== 'send') expect(rights[name], name).toEqual([])
      expect(variables[name]?.MAIL_CONFIGURATION_SET, name).toBe(
        needs.mail ? `aktenlage-${stage}` : undefined,
      )
    }
  })

  test('a stage without a mail domain has nothing of SES, and no function may send', () => {
    const rights = rightsToSend(without.resources, stage)
    const variables = variablesOf(without.resources, stage)

    expect(Object.keys(rights)).toContain('sends-mails')
    expect(Object.values(rights).flat()).toEqual([])
    for (const known of Object.values(variables)) expect(known).not.toHaveProperty('MAIL_CONFIGURATION_SET')
    expect(without.stacks.map(({ stackName }) => stackName)).not.toContain(`aktenlage-${stage}-mail`)
    expect(JSON.stringify(without.stacks.map((stack) => stack.template))).not.toMatch(
      /AWS::SES|AWS\/SES|sns\.amazonaws\.com/,
    )
  })
})

describe.each(stages)('the mail stack of %s', (stage) => {
  test('the identity has DKIM, a MAIL FROM that stops no mail, and the configuration set as its default', () => {
    const [setId] = only(resources(stage, 'mail', 'AWS::SES::ConfigurationSet'))

    expect(propertiesOf(stage, 'AWS::SES::EmailIdentity')).toEqual({
      EmailIdentity: domains[stage],
      ConfigurationSetAttributes: { ConfigurationSetName: { Ref: setId } },
      DkimSigningAttributes: { NextSigningKeyLength: 'RSA_2048_BIT' },
      FeedbackAttributes: { EmailForwardingEnabled: false },
      MailFromAttributes: {
        MailFromDomain: { dev: 'env', prod: 'bounce' }[stage].concat('.', domains[stage]),
        BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      },
    })
  })

  test('mails are sent over TLS only, and never again to an address that bounced or complained', () => {
    expect(propertiesOf(stage, 'AWS::SES::ConfigurationSet')).toMatchObject({
      Name: `aktenlage-${stage}`,
      DeliveryOptions: { TlsPolicy: 'REQUIRE' },
      ReputationOptions: { ReputationMetricsEnabled: true },
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    })
  })

  test('every event of a mail goes to the topic, and the events that the alarms need go to CloudWatch', () => {
    const [topicId] = topicOf(stage, 'mail-events')
    const [setId] = only(resources(stage, 'mail', 'AWS::SES::ConfigurationSet'))

    const destinations = resources(stage, 'mail', 'AWS::SES::ConfigurationSetEventDestination').map(
      ([, { Properties }]) => Properties,
    )

    for (const { ConfigurationSetName } of destinations) expect(ConfigurationSetName).toEqual({ Ref: setId })
    expect(destinations.map(({ EventDestination }) => EventDestination)).toEqual([
      {
        Name: 'events',
        Enabled: true,
        MatchingEventTypes: [
          'send',
          'delivery',
          'deliveryDelay',
          'bounce',
          'complaint',
          'reject',
          'renderingFailure',
        ],
        SnsDestination: { TopicARN: { Ref: topicId } },
      },
      {
        Name: 'metrics',
        Enabled: true,
        MatchingEventTypes: ['send', 'reject'],
        CloudWatchDestination: {
          DimensionConfigurations: [
            {
              DimensionName: 'ses:configuration-set',
              DimensionValueSource: 'messageTag',
              DefaultDimensionValue: `aktenlage-${stage}`,
            },
          ],
        },
      },
    ])
  })

  test('the topic is encrypted and takes events over TLS only, from this configuration set only', () => {
    const [topicId, topic] = topicOf(stage, 'mail-events')
    const [keyId, key] = only(resources(stage, 'mail', 'AWS::KMS::Key'))
    const [setId] = only(resources(stage, 'mail', 'AWS::SES::ConfigurationSet'))
    const Statement = policyOf(stage, topicId)

    expect(topic.Properties.KmsMasterKeyId).toEqual({ 'Fn::GetAtt': [keyId, 'Arn'] })
    expect(key.Properties.EnableKeyRotation).toBe(true)
    expect(key.Properties.KeyPolicy.Statement).toContainEqual({
      Effect: 'Allow',
      Principal: { Service: 'ses.amazonaws.com' },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: '*',
    })
    expect(Statement).toHaveLength(2)
    expect(Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    )
    const [allowed] = Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
    expect(allowed).toMatchObject({
      Principal: { Service: 'ses.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: { Ref: topicId },
    })
    expect(allowed.Condition.StringEquals['AWS:SourceAccount']).toEqual({ Ref: 'AWS::AccountId' })
    const from = JSON.stringify(allowed.Condition.StringEquals['AWS:SourceArn'])
    expect(from).toContain(':configuration-set/')
    expect(from).toContain(`{"Ref":"${setId}"}`)
  })

  test.each([
    'mail-events',
    'received-mails',
  ])('the topic %s sends SES’s messages to the queue of its name, and failed ones to its dead-letter queue', (name) => {
    const queueIds = Object.fromEntries(
      resources(stage, 'storage', 'AWS::SQS::Queue').map(([id, { Properties }]) => [
        Properties.QueueName,
        id,
      ]),
    )
    const [topicId] = topicOf(stage, name)
    const exported = (id: string | undefined) =>
      Object.entries(template(stage, 'storage').Outputs ?? {}).find(
        ([, { Value }]) => JSON.stringify(Value) === JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] }),
      )?.[0]

    const subscriptions = resources(stage, 'mail', 'AWS::SNS::Subscription').filter(
      ([, { Properties }]) => Properties.TopicArn.Ref === topicId,
    )
    const { Endpoint, RedrivePolicy, ...rest } = only(subscriptions)[1].Properties

    expect(rest).toEqual({ Protocol: 'sqs', RawMessageDelivery: true, TopicArn: { Ref: topicId } })
    const [queue, failed] = [name, `${name}-failed`].map((one) => queueIds[`aktenlage-${stage}-${one}`])
    expect(queue && failed).toBeDefined()
    expect(Endpoint['Fn::ImportValue']).toContain(exported(queue))
    expect(RedrivePolicy.deadLetterTargetArn['Fn::ImportValue']).toContain(exported(failed))
    for (const id of [queue, failed]) {
      const policies = resources(stage, 'storage', 'AWS::SQS::QueuePolicy').filter(([, { Properties }]) =>
        Properties.Queues.some(({ Ref }: { Ref: string }) => Ref === id),
      )
      const { Statement } = only(policies)[1].Properties.PolicyDocument
      expect(Statement).toContainEqual({
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: { 'Fn::GetAtt': [id, 'Arn'] },
        Condition: {
          ArnEquals: {
            'aws:SourceArn': {
              'Fn::Join': [
                '',
                ['arn:aws:sns:eu-central-1:', { Ref: 'AWS::AccountId' }, `:aktenlage-${stage}-${name}`],
              ],
            },
          },
        },
      })
      expect(
        Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow'),
        id,
      ).toHaveLength(1)
    }
  })
})

describe.each(stages)('receiving in %s', (stage) => {
  const ruleArn = ofSes(`receipt-rule-set/aktenlage-${stage}:receipt-rule/aktenlage-${stage}`)
  const onlyTheRule = {
    StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' }, 'aws:SourceArn': ruleArn },
  }
  const ofThisRule = (statements: { Condition?: unknown }[]) =>
    statements.filter(({ Condition }) => JSON.stringify(Condition ?? {}).includes('receipt-rule'))

  test('a rule of the stage’s own set scans mail of the domain, takes it without TLS too, and stores it', () => {
    const [setId, set] = only(resources(stage, 'mail', 'AWS::SES::ReceiptRuleSet'))
    const [topicId] = topicOf(stage, 'received-mails')

    const { RuleSetName, Rule } = propertiesOf(stage, 'AWS::SES::ReceiptRule')

    expect(set.Properties.RuleSetName).toBe(`aktenlage-${stage}`)
    expect(RuleSetName).toEqual({ Ref: setId })
    expect(Rule).toMatchObject({
      Name: `aktenlage-${stage}`,
      Enabled: true,
      Recipients: [domains[stage]],
      ScanEnabled: true,
      TlsPolicy: 'Optional',
    })
    expect(Rule.Actions).toHaveLength(1)
    const { BucketName, ...action } = Rule.Actions[0].S3Action
    expect(action).toEqual({ ObjectKeyPrefix: 'received/', TopicArn: { Ref: topicId } })
    expect(JSON.stringify(BucketName)).toMatch(/ImportValue.*Files/)
  })

  test('SES may publish to the topic for this rule only; the rule is made after this right', () => {
    const [topicId, topic] = topicOf(stage, 'received-mails')
    const [policyId] = only(
      resources(stage, 'mail', 'AWS::SNS::TopicPolicy').filter(
        ([, { Properties }]) => Properties.Topics[0].Ref === topicId,
      ),
    )

    expect(topic.Properties.KmsMasterKeyId).toBeDefined()
    expect(ofThisRule(policyOf(stage, topicId))).toEqual([
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'ses.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topicId },
        Condition: onlyTheRule,
      }),
    ])
    expect(only(resources(stage, 'mail', 'AWS::SES::ReceiptRule'))[1].DependsOn).toContain(policyId)
  })

  test('SES may store objects under its prefix with the bucket’s key, for this rule only', () => {
    const storage = (type: string) =>
      resources(stage, 'storage', type).map(([, { Properties }]) => Properties)
    const [bucketPolicy] = storage('AWS::S3::BucketPolicy')

    const onBucket = ofThisRule(bucketPolicy?.PolicyDocument.Statement)
    const onKeys = storage('AWS::KMS::Key').flatMap(({ KeyPolicy }) => ofThisRule(KeyPolicy.Statement))

    const allowed = { Effect: 'Allow', Principal: { Service: 'ses.amazonaws.com' }, Condition: onlyTheRule }
    expect(onBucket).toEqual([expect.objectContaining({ ...allowed, Action: 's3:PutObject' })])
    expect(JSON.stringify(onBucket)).toContain('/received/*"')
    expect(onKeys).toEqual([{ ...allowed, Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Resource: '*' }])
  })

  test('messages leave the bucket after 30 days, later than their notices leave the dead-letter queue', () => {
    const [, bucket] = only(resources(stage, 'storage', 'AWS::S3::Bucket'))
    const rules: { Prefix?: string }[] = bucket.Properties.LifecycleConfiguration.Rules

    expect(rules.filter(({ Prefix }) => Prefix === 'received/')).toEqual([
      {
        Id: 'received-mails',
        Prefix: 'received/',
        Status: 'Enabled',
        ExpirationInDays: 30,
        // Its bytes are under `mails/` once it is recorded.
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
    ])
    for (const [, { Properties }] of resources(stage, 'storage', 'AWS::SQS::Queue'))
      expect(Properties.MessageRetentionPeriod).toBe(14 * 24 * 3_600)
  })
})

describe('another way of receiving', () => {
  const stagesWith = (changes: object) => ({
    stages: { ...withMail, prod: { ...withMail.prod, mail: { ...withMail.prod.mail, ...changes } } },
  })

  test('the rule may join an existing set, which the stack does not make', () => {
    const joined = synthesise(stagesWith({ receiptRuleSet: 'aktenlage-dev' }))

    const [, rule] = only(joined.resources('prod', 'mail', 'AWS::SES::ReceiptRule'))
    expect(rule.Properties.RuleSetName).toBe('aktenlage-dev')
    expect(joined.resources('prod', 'mail', 'AWS::SES::ReceiptRuleSet')).toEqual([])
    expect(JSON.stringify(joined.template('prod', 'storage'))).toContain(
      ':receipt-rule-set/aktenlage-dev:receipt-rule/aktenlage-prod',
    )
  })

  test('if a mail service calls the webhook, SES receives nothing: no rule, no topic, no right, no MX', () => {
    const { resources: found, template: templateOf } = synthesise(stagesWith({ receivedBy: 'webhook' }))

    expect(found('prod', 'mail', 'AWS::SES::ReceiptRule')).toEqual([])
    expect(found('prod', 'mail', 'AWS::SNS::Topic')).toHaveLength(1)
    expect(JSON.stringify(templateOf('prod', 'storage'))).not.toMatch(
      /receipt-rule|aktenlage-prod-received-mails"\]/,
    )
    expect(templateOf('prod', 'mail').Outputs).not.toHaveProperty('Mx')
    expect(templateOf('prod', 'mail').Outputs).toHaveProperty('MailFromMx')
  })
})

describe('DNS', () => {
  const records = (stage: StageName) =>
    resources(stage, 'mail', 'AWS::Route53::RecordSet').map(([, { Properties }]) => Properties)
  const [identityId] = only(resources('prod', 'mail', 'AWS::SES::EmailIdentity'))
  const token = (kind: 'Name' | 'Value', number: number) => ({
    'Fn::GetAtt': [identityId, `DkimDNSToken${kind}${number}`],
  })

  test('with a hosted zone the stack makes the records of DKIM, MX, MAIL FROM, SPF and DMARC, under their whole names', () => {
    expect(template('dev', 'mail').Outputs).toBeUndefined()
    for (const { HostedZoneId } of records('dev')) expect(HostedZoneId).toBe(zone.id)
    expect(records('dev').map(({ Type, Name, ResourceRecords }) => [Type, Name, ...ResourceRecords])).toEqual(
      [
        ...[1, 2, 3].map((number) => [
          'CNAME',
          { 'Fn::Join': ['', [token('Name', number), '.']] },
          token('Value', number),
        ]),
        ['MX', 'mail.dev.kanzlei.example.', '10 inbound-smtp.eu-central-1.amazonaws.com'],
        ['MX', 'env.mail.dev.kanzlei.example.', '10 feedback-smtp.eu-central-1.amazonses.com'],
        ['TXT', 'env.mail.dev.kanzlei.example.', '"v=spf1 include:amazonses.com ~all"'],
        ['TXT', '_dmarc.mail.dev.kanzlei.example.', '"v=DMARC1; p=quarantine"'],
      ],
    )
  })

  test('without one, the outputs name them', () => {
    const values = Object.entries(template('prod', 'mail').Outputs ?? {}).map(([id, { Value }]) => [
      id,
      Value,
    ])

    expect(records('prod')).toEqual([])
    expect(Object.fromEntries(values)).toEqual({
      ...Object.fromEntries(
        [1, 2, 3].map((number) => [
          `Dkim${number}`,
          { 'Fn::Join': ['', [token('Name', number), ' CNAME ', token('Value', number)]] },
        ]),
      ),
      Mx: 'mail.kanzlei.example MX 10 inbound-smtp.eu-central-1.amazonaws.com',
      MailFromMx: 'bounce.mail.kanzlei.example MX 10 feedback-smtp.eu-central-1.amazonses.com',
      MailFromSpf: 'bounce.mail.kanzlei.example TXT "v=spf1 include:amazonses.com ~all"',
      Dmarc: '_dmarc.mail.kanzlei.example TXT "v=DMARC1; p=quarantine"',
    })
  })
})

describe('alarms', () => {
  const alarms = resources('prod', 'watch', 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
  const on = (metric: string) =>
    only(
      alarms
        .filter((alarm) => JSON.stringify(alarm).includes(`"MetricName":"${metric}"`))
        .map((Properties) => [metric, { Type: 'AWS::CloudWatch::Alarm', Properties }]),
    )[1].Properties

  test.each([
    ['Reputation.BounceRate', 0.03],
    ['Reputation.ComplaintRate', 0.0005],
  ])('an alarm on the %s of the account goes off at %d, before SES pauses the account', (metric, threshold) => {
    const alarm = on(metric)

    expect(alarm).toMatchObject({
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: threshold,
      EvaluationPeriods: 1,
      TreatMissingData: 'ignore',
    })
    expect(JSON.stringify(alarm)).toContain('"Namespace":"AWS/SES"')
    expect(JSON.stringify(alarm)).not.toContain('Dimensions')
  })

  test('an alarm goes off when SES rejects a mail of this stage', () => {
    const alarm = on('Reject')

    expect(alarm).toMatchObject({ Threshold: 1, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' })
    expect(JSON.stringify(alarm)).toContain(
      '"Dimensions":[{"Name":"ses:configuration-set","Value":"aktenlage-prod"}]',
    )
  })

  test('an alarm goes off when mails are sent and no events come, not for one hour of that kind', () => {
    const alarm = on('Send')

    expect(alarm).toMatchObject({ Threshold: 1, EvaluationPeriods: 24, DatapointsToAlarm: 2 })
    expect(on('NumberOfMessagesPublished')).toBe(alarm)
    expect(JSON.stringify(alarm)).toContain(
      '"Dimensions":[{"Name":"TopicName","Value":"aktenlage-prod-mail-events"}]',
    )
  })

  test('every alarm goes to somebody, and a stage without mail has none of them', () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toHaveLength(1)
    const others = without.resources('prod', 'watch', 'AWS::CloudWatch::Alarm')
    expect(alarms.length - others.length).toBe(4)
  })
})

describe('with mail', () => {
  test('the rules of CloudFormation and of AwsSolutions find nothing', () => {
    const { pluginReports } = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'))

    expect(stacks.map(({ stackName }) => stackName)).toContain('aktenlage-prod-mail')
    expect(pluginReports).toEqual([])
    expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([])
  })

  test('the README names the fixed costs', () => {
    const readme = readFileSync('infra/README.md', 'utf8').replaceAll('\n', ' ')
    const alarmed = (of: typeof resources) =>
      of('prod', 'watch', 'AWS::CloudWatch::Alarm').reduce(
        (sum, [, { Properties }]) =>
          sum + (Properties.Metrics?.filter((one: { MetricStat?: object }) => one.MetricStat).length ?? 1),
        0,
      )

    const keys = resources('prod', 'mail', 'AWS::KMS::Key').length
    const metrics = alarmed(resources) - alarmed(without.resources)
    const published = resources('prod', 'mail', 'AWS::SES::ConfigurationSetEventDestination').flatMap(
      ([
        ,
        {
          Properties: { EventDestination },
        },
      ]) => (EventDestination.CloudWatchDestination ? EventDestination.MatchingEventTypes : []),
    ).length

    expect(readme).toContain(
      `$${keys} for ${keys} key, $${(metrics / 10).toFixed(2)} for alarms over ${metrics} metrics, and $${(published * 0.3).toFixed(2)} for the ${published} metrics`,
    )
    expect(readme).toContain(`together about $${Math.round(keys + metrics / 10 + published * 0.3)}.`)
  })
})

describe('the setting', () => {
  const withProd = (mail: unknown) => ({ stages: { ...settings, prod: { ...settings.prod, mail } } })
  const mailOf = (mail: unknown) => stagesOf(withProd(mail)).find(({ name }) => name === 'prod')?.mail

  test('a domain is enough; a zone may be its own or one above it', () => {
    expect(mailOf({ domain: 'mail.kanzlei.example' })).toEqual({
      domain: 'mail.kanzlei.example',
      mailFromSubdomain: 'bounce',
      receivedBy: 'ses',
      webhookChecksSenders: false,
    })
    for (const domain of ['kanzlei.example', 'mail.kanzlei.example'])
      expect(mailOf({ domain, hostedZone: zone })).toMatchObject({ domain, hostedZone: zone })
    expect(mailOf(undefined)).toBeUndefined()
  })

  test.each([
    ['no domain', {}, /prod\.mail\.domain/],
    ['a domain that is an address', { domain: 'a@kanzlei.example' }, /prod\.mail\.domain/],
    ['a domain in capitals', { domain: 'Kanzlei.example' }, /prod\.mail\.domain/],
    ['a misspelt field', { domain: 'kanzlei.example', mailFrom: 'x' }, /mailFrom/],
    [
      'a MAIL FROM that is a whole domain',
      { domain: 'kanzlei.example', mailFromSubdomain: 'b.kanzlei.example' },
      /prod\.mail\.mailFromSubdomain/,
    ],
    ['an unknown receiver', { domain: 'kanzlei.example', receivedBy: 'imap' }, /prod\.mail\.receivedBy/],
    [
      'a rule set that SES would refuse',
      { domain: 'kanzlei.example', receiptRuleSet: 'a b' },
      /prod\.mail\.receiptRuleSet/,
    ],
    ['no MAIL FROM', { domain: 'kanzlei.example', mailFromSubdomain: '' }, /prod\.mail\.mailFromSubdomain/],
    [
      'a zone of another domain',
      { domain: 'meinekanzlei.example', hostedZone: zone },
      /prod\.mail\.hostedZone/,
    ],
  ])('%s is refused with its name', (_, mail, message) => {
    expect(() => stagesOf(withProd(mail))).toThrow(message)
  })

  test('two stages cannot share a domain', () => {
    const mail = { domain: 'mail.kanzlei.example' }

    expect(() =>
      stagesOf({ stages: { dev: { ...settings.dev, mail }, prod: { ...settings.prod, mail } } }),
    ).toThrow(/Another stage has this mail domain[\s\S]*dev\.mail\.domain/)
  })
})
