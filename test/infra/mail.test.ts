import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsSolutionsChecks } from 'cdk-nag'
import { describe, expect, test } from 'vitest'
import { type FunctionDeclaration, manifest } from '#functions/manifest.ts'
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
  { ...sweeper, name: 'sends-mails', needs: { mail: 'send' } },
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

  test('mails leave over TLS only, and nobody who bounced or complained gets another', () => {
    expect(propertiesOf(stage, 'AWS::SES::ConfigurationSet')).toMatchObject({
      Name: `aktenlage-${stage}`,
      DeliveryOptions: { TlsPolicy: 'REQUIRE' },
      ReputationOptions: { ReputationMetricsEnabled: true },
      SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
    })
  })

  test('every event of a mail goes to the topic, and what the alarms need to CloudWatch', () => {
    const [topicId] = only(resources(stage, 'mail', 'AWS::SNS::Topic'))
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
    const [topicId, topic] = only(resources(stage, 'mail', 'AWS::SNS::Topic'))
    const [keyId, key] = only(resources(stage, 'mail', 'AWS::KMS::Key'))
    const [setId] = only(resources(stage, 'mail', 'AWS::SES::ConfigurationSet'))
    const { Statement } = propertiesOf(stage, 'AWS::SNS::TopicPolicy').PolicyDocument

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

  test('the topic sends the events as SES wrote them to their queue, and to its dead-letter queue what fails', () => {
    const queueIds = Object.fromEntries(
      resources(stage, 'storage', 'AWS::SQS::Queue').map(([id, { Properties }]) => [
        Properties.QueueName,
        id,
      ]),
    )
    const [topicId, topic] = only(resources(stage, 'mail', 'AWS::SNS::Topic'))
    const exported = (id: string | undefined) =>
      Object.entries(template(stage, 'storage').Outputs ?? {}).find(
        ([, { Value }]) => JSON.stringify(Value) === JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] }),
      )?.[0]

    const { Endpoint, RedrivePolicy, ...rest } = propertiesOf(stage, 'AWS::SNS::Subscription')

    expect(rest).toEqual({ Protocol: 'sqs', RawMessageDelivery: true, TopicArn: { Ref: topicId } })
    const [queue, failed] = ['mail-events', 'mail-events-failed'].map(
      (name) => queueIds[`aktenlage-${stage}-${name}`],
    )
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
                ['arn:aws:sns:eu-central-1:', { Ref: 'AWS::AccountId' }, `:aktenlage-${stage}-mail-events`],
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
    expect(topic.Properties.TopicName).toBe(`aktenlage-${stage}-mail-events`)
  })
})

describe('DNS', () => {
  const records = (stage: StageName) =>
    resources(stage, 'mail', 'AWS::Route53::RecordSet').map(([, { Properties }]) => Properties)
  const [identityId] = only(resources('prod', 'mail', 'AWS::SES::EmailIdentity'))
  const token = (kind: 'Name' | 'Value', number: number) => ({
    'Fn::GetAtt': [identityId, `DkimDNSToken${kind}${number}`],
  })

  test('with a hosted zone the stack makes the records of DKIM, MAIL FROM, SPF and DMARC, under their whole names', () => {
    expect(template('dev', 'mail').Outputs).toBeUndefined()
    for (const { HostedZoneId } of records('dev')) expect(HostedZoneId).toBe(zone.id)
    expect(records('dev').map(({ Type, Name, ResourceRecords }) => [Type, Name, ...ResourceRecords])).toEqual(
      [
        ...[1, 2, 3].map((number) => [
          'CNAME',
          { 'Fn::Join': ['', [token('Name', number), '.']] },
          token('Value', number),
        ]),
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
