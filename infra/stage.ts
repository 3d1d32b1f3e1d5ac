import * as z from 'zod'

const domainName = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)

const HostedZone = z.strictObject({ id: z.string().min(1), name: z.string().min(1) })

const Domain = z
  .strictObject({
    name: domainName,
    /**
     * A certificate in the stage's region. Absent: the stack creates one and validates it in the hosted zone.
     */
    certificateArn: z.string().startsWith('arn:').optional(),
    /** The zone that gets the address record. Absent: the operator of the DNS adds the record. */
    hostedZone: HostedZone.optional(),
  })
  .refine((domain) => domain.certificateArn !== undefined || domain.hostedZone !== undefined, {
    message: 'A domain needs a certificateArn, or a hostedZone to validate a new certificate in.',
  })

const Mail = z
  .strictObject({
    /**
     * Mails are sent from addresses of this domain. The inbound addresses of workspaces must belong to it.
     */
    domain: domainName,
    /**
     * The zone that gets the domain's records. Absent: the operator of the DNS adds the records that the outputs name.
     */
    hostedZone: HostedZone.optional(),
    /** The subdomain of the envelope's sender (MAIL FROM), to which bounces go. */
    mailFromSubdomain: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
      .default('bounce'),
    /**
     * The service that receives the domain's mail: SES, or a mail service that calls the webhook, such as
     * Mailgun.
     */
    receivedBy: z.enum(['ses', 'webhook']).default('ses'),
    /**
     * The mail service that calls the webhook writes the results of SPF and DKIM into every mail. False: a sender could have
     * written them, so they prove nothing, and no mail of the webhook is filed without a person.
     */
    webhookChecksSenders: z.boolean().default(false),
    /**
     * The receipt rule set of SES to which the stage adds its rule. Absent: the stage creates its own. A region of an
     * account has one active set.
     */
    receiptRuleSet: z
      .string()
      .regex(/^[a-zA-Z0-9][\w-]{0,62}[a-zA-Z0-9]$/)
      .optional(),
  })
  .refine(({ domain, hostedZone }) => !hostedZone || `.${domain}`.endsWith(`.${hostedZone.name}`), {
    path: ['hostedZone'],
    message: 'The domain is not in this zone.',
  })

const Signing = z.strictObject({
  /** The authority that time-stamps seals (RFC 3161). Absent: seals have no time stamp. */
  tsaUrl: z.url({ protocol: /^https?$/ }).optional(),
})

const Bea = z.strictObject({
  /** The REST gateway of bea.expert. */
  gatewayUrl: z.url({ protocol: /^https$/ }).endsWith('/'),
  /**
   * The account identifier of the subscription (`bex-ident`). It names the paying firm, and opens no postbox.
   */
  gatewayIdent: z.string().min(1),
  /** The version of the gateway's login functions. */
  loginVersion: z.literal([1, 2]).default(2),
})

const logRetentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731] as const

/** Further settings that a stage with protected data needs. */
export const wantedSettings = ['alarmEmail', 'backupVaultArn', 'mail'] as const

/** The settings of a stage with their defaults. */
const Settings = z.strictObject({
  region: z.string().default('eu-central-1'),
  /** The domain of the API. Absent: the API has API Gateway's own address. */
  domain: Domain.optional(),
  /** How mail is sent and received. Absent: the stage sends no mail. */
  mail: Mail.optional(),
  /** How documents are sealed. */
  signing: Signing.optional(),
  /** The gateway to beA. Absent: no postbox can be connected. */
  bea: Bea.optional(),
  /** The address to which alarms are sent. */
  alarmEmail: z.email().optional(),
  logRetentionDays: z.literal(logRetentionDays).default(30),
  /** A new version of a function gets 10 % of the calls for five minutes, then all of them if none failed. */
  canary: z.boolean().default(true),
  /**
   * True: data outlives its stack and cannot be deleted by mistake. False: data is deleted with its stack.
   */
  protectData: z.boolean(),
  /**
   * The part of the account's Lambda concurrency that the stage may count on. Absent: no function has a
   * reserved part. Lambda requires that 100 of the account stay unreserved.
   */
  concurrency: z.int().min(200).max(100_000).optional(),
  /** Settings that protected data needs and that this stage deliberately does not have. */
  without: z.array(z.enum(wantedSettings)).default([]),
  /**
   * How many messages of a queue are processed at once, if it differs from the manifest. SQS accepts 2 or
   * more.
   */
  workersOfQueues: z.record(z.string(), z.int().min(2).max(1_000)).default({}),
  /**
   * The ARN of a backup vault in another account, which gets a copy of the table and the bucket every night. Absent:
   * the stage has only the restore of the table to a second and the versions of the bucket, both in its own account.
   */
  backupVaultArn: z
    .string()
    .regex(/^arn:aws[\w-]*:backup:[\w-]+:\d{12}:backup-vault:[\w-]+$/)
    .optional(),
  /** A restored table of this account. The stage uses it instead of its own table, which stays. */
  tableName: z
    .string()
    .regex(/^[\w.-]{3,255}$/)
    .optional(),
  /**
   * Users may connect calendar servers at private addresses and without TLS. For a stage in a separate
   * network.
   */
  syncAllowPrivateNetworks: z.boolean().default(false),
  /**
   * How many requests a workspace may send per second. After a pause it may send four times as many at once. Each of
   * its API keys may send half of it. 0: no limit per workspace.
   */
  requestsPerSecondAndWorkspace: z.int().min(0).default(50),
  /** For the whole API, all workspaces together. */
  requestsPerSecond: z.int().positive().default(200),
  requestsInBurst: z.int().positive().default(400),
  /**
   * Higher than the allowance of a key: further requests do not reach a function. WAF accepts no limit below
   * 10.
   */
  requestsPerMinuteAndKey: z.int().gte(10).default(3_000),
  /** How many requests without an API key the firewall accepts in a minute from one address. */
  requestsPerMinuteAndAddress: z.int().gte(10).default(1_200),
})

/**
 * CloudFormation cannot delete a vault with backups, so the stack of a stage with a vault could not be
 * deleted.
 */
const backsUpOnlyWhatIsProtected = ({ backupVaultArn, protectData }: z.output<typeof Settings>) =>
  backupVaultArn === undefined || protectData

/** In a minute a key may send half of its firm's requests, and at first as many as in four seconds at once. */
const firewallAllowsAllowance = ({
  requestsPerMinuteAndKey,
  requestsPerSecondAndWorkspace,
}: z.output<typeof Settings>) => requestsPerMinuteAndKey >= ((60 + 4) / 2) * requestsPerSecondAndWorkspace

const Stage = Settings.refine(backsUpOnlyWhatIsProtected, {
  path: ['backupVaultArn'],
  message: 'Backups are kept when the stage is deleted: protectData must be true.',
})
  .refine(firewallAllowsAllowance, {
    path: ['requestsPerMinuteAndKey'],
    message:
      'The firewall would refuse a key before its allowance does: set at least 32 times requestsPerSecondAndWorkspace.',
  })
  .refine((settings) => settings.without.every((name) => settings[name] === undefined), {
    path: ['without'],
    message: 'The stage has a setting that its `without` lists.',
  })

const Stages = z
  .strictObject({ dev: Stage, prod: Stage })
  .refine(({ dev, prod }) => dev.mail === undefined || dev.mail.domain !== prod.mail?.domain, {
    path: ['dev', 'mail', 'domain'],
    message:
      'Another stage has this mail domain. SES has one identity for it, and its answers go to one stage.',
  })

export type StageName = keyof z.output<typeof Stages>

/** A stage with its settings. */
export type Stage = z.output<typeof Settings> & {
  name: StageName
  /**
   * The first deployment, which may fail: resources that a failed creation must delete are not protected yet.
   */
  isFirst: boolean
}

/** Whether the stage's stacks and its table are protected from deletion. */
export function isProtected({ protectData, isFirst }: Stage): boolean {
  return protectData && !isFirst
}

export type StackPurpose = 'storage' | 'mail' | 'api' | 'work' | 'watch'

/**
 * Reads the stages to synthesise from the context of `cdk.json`: the stage that `-c stage=prod` names, otherwise all.
 * With `-c first=true` in addition, the stage is deployed for the first time. `-c canary=false` overrides the setting
 * of the stages.
 *
 * @throws Error with every fault of the settings and its place.
 */
export function stagesOf(context: {
  stages: unknown
  stage?: unknown
  first?: unknown
  canary?: unknown
}): Stage[] {
  const parsed = Stages.safeParse(context.stages)
  if (!parsed.success)
    throw new Error(`The stages in cdk.json are not valid.\n${z.prettifyError(parsed.error)}`)
  const isFirst = switchOf('first', context.first) ?? false
  const canary = switchOf('canary', context.canary)
  if (isFirst && context.stage === undefined)
    throw new Error('One stage is deployed for the first time: name it with -c stage=….')
  const stages = Object.entries(parsed.data).map(([name, settings]) => ({
    name: name as StageName,
    isFirst,
    ...settings,
    ...(canary !== undefined && { canary }),
  }))
  if (context.stage === undefined) return stages
  const chosen = stages.filter((stage) => stage.name === context.stage)
  if (chosen.length === 0)
    throw new Error(
      `There is no stage ${context.stage}: choose one of ${Object.keys(parsed.data).join(', ')}.`,
    )
  return chosen
}

/** A boolean option of the command line, whose values are strings. */
function switchOf(name: string, value: unknown): boolean | undefined {
  if (value === undefined) return undefined
  if (['true', 'false'].includes(String(value))) return String(value) === 'true'
  throw new Error(`-c ${name} is true or false, not ${JSON.stringify(value)}.`)
}

/** The name of a stack in CloudFormation. Programs outside the stacks look up a stage by it and by `outputs`. */
export function stackName(stage: StageName, purpose: StackPurpose): string {
  return `aktenlage-${stage}-${purpose}`
}

/**
 * The outputs of the stacks: `storage` has the names of table, bucket and signing key, `api` the API's
 * address.
 */
export const outputs = {
  tableName: 'TableName',
  bucketName: 'BucketName',
  signingKeyId: 'SigningKeyId',
  apiUrl: 'ApiUrl',
} as const

/**
 * The name of a function in Lambda. Alarms use the name, so that removing a function does not block another
 * stack.
 */
export function functionName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}`
}

/** The name of a queue in SQS; alarms use it. */
export function queueName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}`
}

/** The name of the dead-letter queue of a queue. */
export function deadLetterQueueName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}-failed`
}

/** The name of the configuration set of SES; rights, functions and alarms use it. */
export function mailConfigurationSetName(stage: StageName): string {
  return `aktenlage-${stage}`
}

/** The name of the topic of mail events; the policy of the queue uses it. */
export function mailTopicName(stage: StageName): string {
  return `aktenlage-${stage}-mail-events`
}

/** The name of the topic of received mails; the policy of the queue uses it. */
export function receivedTopicName(stage: StageName): string {
  return `aktenlage-${stage}-received-mails`
}

/** The name of the receipt rule set of SES that holds the stage's rule. */
export function receiptRuleSetName({ name, mail }: Pick<Stage, 'name' | 'mail'>): string {
  return mail?.receiptRuleSet ?? `aktenlage-${name}`
}

/** The name of the stage's receipt rule; policies use it. */
export function receiptRuleName(stage: StageName): string {
  return `aktenlage-${stage}`
}

/** The prefix under which SES stores received messages in the bucket. */
export const receivedPrefix = 'received/'

/** The name of the API; its metrics have it as a dimension. */
export function apiName(stage: StageName): string {
  return `aktenlage-${stage}`
}

/** The namespace of the metrics that count lines of logs. */
export function logMetricNamespace(stage: string): string {
  return `Aktenlage/${stage}`
}
