import * as z from 'zod'

const Domain = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/),
    /** A certificate of the stage's region. Without one it is made, and proven through the hosted zone. */
    certificateArn: z.string().startsWith('arn:').optional(),
    /** Where the name's address record is written. Without one that is left to whoever runs the DNS. */
    hostedZone: z.strictObject({ id: z.string().min(1), name: z.string().min(1) }).optional(),
  })
  .refine((domain) => domain.certificateArn !== undefined || domain.hostedZone !== undefined, {
    message: 'A domain needs a certificateArn, or a hostedZone that a certificate can be proven through.',
  })

const logRetentionDays = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731] as const

/** What may differ between stages, with the values a stage has that says nothing. */
const Settings = z.strictObject({
  region: z.string().default('eu-central-1'),
  /** The address the API answers under; without it, the one that API Gateway gives. */
  domain: Domain.optional(),
  /** Who is written to when an alarm goes off. */
  alarmEmail: z.email().optional(),
  logRetentionDays: z.literal(logRetentionDays).default(30),
  /** Data outlives its stack and cannot be deleted by mistake. Without it, everything goes with the stack. */
  protectData: z.boolean(),
  /** Whether users may connect calendar servers at private addresses and without TLS: for a stage in one's own network. */
  syncAllowPrivateNetworks: z.boolean().default(false),
  /** For the whole API, all workspaces together. */
  requestsPerSecond: z.int().positive().default(200),
  requestsInBurst: z.int().positive().default(400),
  /** A whole office may share one address. Ten is the least that WAF can count. */
  requestsPerMinuteAndAddress: z.int().gte(10).default(1_200),
})

const Stages = z.strictObject({ dev: Settings, prod: Settings })

export type StageName = keyof z.output<typeof Stages>

/** Everything a stack knows about the stage it is in. */
export type Stage = z.output<typeof Settings> & { name: StageName }

export type StackPurpose = 'storage' | 'api' | 'work' | 'watch'

/**
 * The stages to synthesise, from the context of `cdk.json`: the one named by `-c stage=prod`, otherwise all.
 *
 * @throws Error with every fault of the settings and where it is.
 */
export function stagesOf(context: { stages: unknown; stage?: unknown }): Stage[] {
  const parsed = Stages.safeParse(context.stages)
  if (!parsed.success)
    throw new Error(`The stages in cdk.json are not valid.\n${z.prettifyError(parsed.error)}`)
  const stages = Object.entries(parsed.data).map(([name, settings]) => ({
    name: name as StageName,
    ...settings,
  }))
  if (context.stage === undefined) return stages
  const chosen = stages.filter((stage) => stage.name === context.stage)
  if (chosen.length === 0)
    throw new Error(
      `There is no stage ${context.stage}: choose one of ${Object.keys(parsed.data).join(', ')}.`,
    )
  return chosen
}

/** The name of a stack in CloudFormation. Whoever looks up a stage from outside needs it and `outputs`. */
export function stackName(stage: StageName, purpose: StackPurpose): string {
  return `aktenlage-${stage}-${purpose}`
}

/** The outputs of the stacks: of `storage` the table's name, of `api` where it is reached. */
export const outputs = { tableName: 'TableName', apiUrl: 'ApiUrl' } as const

/** The name of a function in Lambda. Alarms go by it, so that a function can be removed without untying them. */
export function functionName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}`
}

/** The name of a queue that functions send to; alarms go by it. */
export function queueName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}`
}

/** The queue that keeps the messages of a queue that failed for good. */
export function deadLetterQueueName(stage: StageName, name: string): string {
  return `aktenlage-${stage}-${name}-failed`
}

/** The name of the API; its metrics go by it. */
export function apiName(stage: StageName): string {
  return `aktenlage-${stage}`
}
