import type * as z from 'zod'
import type { Answered } from '#kernel/idempotency.ts'

/**
 * The kind of a job. A *follow-up* makes the table (and the bucket) consistent with a change. A *hand-over* only puts
 * messages on a queue. The consumer of the queue has the right to use SES, KMS, beA or Textract. The function that
 * hands over does not need this right.
 */
export type JobKind = 'follow-up' | 'hand-over'

/** A job that is enqueued in the transaction of the change that it follows. */
export type Job = {
  name: string
  version: number
  kind: JobKind
  required: boolean
  payload: unknown
  /**
   * If set, only the sweeper runs the job, after this time. Otherwise the request that enqueued the job runs it at
   * once.
   */
  due_at?: Date
}

/** The definition of a job, without its handler. Made by `defineFollowUp` and `defineHandOver`. */
export type JobDefinition<Payload extends z.ZodType = z.ZodType> = {
  /** Unique in the service, such as `case.unlink`. */
  name: string
  kind: JobKind
  /** The version of the payload, from 1. A new shape needs a new version. */
  version: number
  payload: Payload
  /**
   * A function for each older version, which turns its payload into the current one. A payload of a version that is
   * missing here is refused.
   */
  migrations: Readonly<Record<number, (payload: unknown) => z.input<Payload>>>
  /** If the job fails, the request that enqueued it fails with 503, although its change is stored. */
  required: boolean
  /**
   * Called when records are removed for good (R3, R5). Returns the payload without their texts, or undefined if the
   * whole job must be removed. A job whose payload has only ids needs no `without`.
   */
  without?: Without
}

/** @param isGone whether an id belongs to a removed record */
type Without<Payload = unknown, Left = unknown> = (
  payload: Payload,
  isGone: (id: string) => boolean,
) => Left | undefined

/** A definition with the function that runs its jobs. */
export type JobHandler = {
  definition: JobDefinition
  /** Runs a job; the payload is the output of the definition's schema. */
  run: (payload: unknown) => Promise<void>
}

type Declared<Payload extends z.ZodType> = Pick<JobDefinition<Payload>, 'name' | 'version' | 'payload'> &
  Partial<Pick<JobDefinition<Payload>, 'migrations' | 'required'>> & {
    without?: Without<z.output<Payload>, z.input<Payload>>
  }

/**
 * Declares a follow-up. Its handler must be able to run twice, late, and in any order: the payload says what to
 * make consistent, not what to add.
 */
export function defineFollowUp<Payload extends z.ZodType>(declared: Declared<Payload>) {
  const definition = define('follow-up', declared)
  return {
    ...definition,
    of: jobsOf(definition),
    handledBy: (run: (payload: z.output<Payload>) => Promise<void>): JobHandler => ({
      definition,
      run: (payload) => run(payload as z.output<Payload>),
    }),
  }
}

/** Declares a hand-over to `queue`. Its messages may be sent twice, late, and in any order. */
export function defineHandOver<Payload extends z.ZodType, Message extends z.ZodType>(
  declared: Declared<Payload> & {
    queue: QueueDefinition<Message>
    messagesOf: (payload: z.output<Payload>) => z.input<Message>[]
  },
) {
  const definition = define('hand-over', declared)
  return {
    ...definition,
    of: jobsOf(definition),
    queue: declared.queue,
    handledBy: (send: SendMessage<z.input<Message>>): JobHandler => ({
      definition,
      run: async (payload) => {
        await Promise.all(declared.messagesOf(payload as z.output<Payload>).map(send))
      },
    }),
  }
}

function define<Payload extends z.ZodType>(
  kind: JobKind,
  { name, version, payload, migrations = {}, required = false, without }: Declared<Payload>,
): JobDefinition<Payload> {
  const definition = { name, kind, version, payload, migrations, required }
  if (without === undefined) return definition
  return { ...definition, without: (stored, isGone) => without(stored as z.output<Payload>, isGone) }
}

function jobsOf<Payload extends z.ZodType>({ name, version, kind, required }: JobDefinition<Payload>) {
  return (payload: z.input<Payload>, due_at?: Date): Job => ({
    name,
    version,
    kind,
    required,
    payload,
    ...(due_at !== undefined && { due_at }),
  })
}

/** For a request whose only change is to enqueue jobs: stores the jobs and the answer, then runs the jobs. */
export type EnqueueJobs = <Answer>(jobs: Job[], change: { answer: Answer }) => Promise<Answered<Answer>>

/**
 * The definition of a queue and its messages, without the consumer. Messages may arrive twice, late, and in any order.
 */
export type QueueDefinition<Payload extends z.ZodType> = Pick<
  JobDefinition<Payload>,
  'version' | 'payload' | 'migrations'
> & {
  queue: string
  /** Texts that other publishers put into the queue, and that need no work. They are removed from it. */
  notices?: readonly string[]
}

/**
 * Declares a queue and its messages. Each message contains the version of its payload; without one it has version 1.
 * Give a payload a new version whenever its shape or its meaning changes, also for a new value of `kind`.
 */
export function defineQueue<Payload extends z.ZodType>({
  version = 1,
  migrations = {},
  ...declared
}: Pick<QueueDefinition<Payload>, 'queue' | 'payload' | 'notices'> &
  Partial<Pick<QueueDefinition<Payload>, 'version' | 'migrations'>>): QueueDefinition<Payload> {
  return { ...declared, version, migrations }
}

/** Puts a message into its queue. When this resolves, the queue has accepted it. */
export type SendMessage<Payload> = (payload: Payload) => Promise<void>
