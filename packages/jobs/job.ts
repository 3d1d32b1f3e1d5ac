import type * as z from 'zod'
import type { Answered } from '#kernel/idempotency.ts'

/**
 * The kind of a job. A *follow-up* makes the table (and the bucket) consistent with a change. A *hand-over* puts
 * messages on a queue and does nothing else. The consumer of the queue has the right to use SES, KMS, beA or Textract.
 * A function that hands over does not need it.
 */
export type JobKind = 'follow-up' | 'hand-over'

/** A job that is enqueued in the transaction of the change that it follows. */
export type Job = {
  name: string
  version: number
  kind: JobKind
  required: boolean
  payload: unknown
  /** Only the sweeper runs the job, not before this time. Without it, the request that enqueued the job runs it at once. */
  due_at?: Date
}

/** The definition of a job, without its handler. Made by `defineFollowUp` and `defineHandOver`. */
export type JobDefinition<Payload extends z.ZodType = z.ZodType> = {
  /** Unique in the service: `case.unlink`. */
  name: string
  kind: JobKind
  /** Counts the shapes of the payload, from 1. A new shape is a new version. */
  version: number
  payload: Payload
  /** Turns the payload of an older version into the current one. A version that is missing here is refused. */
  migrations: Readonly<Record<number, (payload: unknown) => z.input<Payload>>>
  /** The request that enqueued the job fails with 503 unless the job is done, although the change is stored. */
  required: boolean
  /**
   * Returns what is left of a payload when records are removed for good (R3, R5). This is the payload without the texts
   * of these records, or undefined if the job belongs to them. A job whose payload has only ids needs no `without`.
   */
  without?: Without
}

/** @param isGone whether an id belongs to a removed record */
type Without<Payload = unknown, Left = unknown> = (
  payload: Payload,
  isGone: (id: string) => boolean,
) => Left | undefined

/** A definition with the function that does its jobs. */
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

/** Stores jobs that are the whole change that a request asks for, with its answer, and runs them. */
export type EnqueueJobs = <Answer>(jobs: Job[], change: { answer: Answer }) => Promise<Answered<Answer>>

/** A queue and its messages, without their consumer. A message may arrive twice, late, and in any order. */
export type QueueDefinition<Payload extends z.ZodType> = Pick<
  JobDefinition<Payload>,
  'version' | 'payload' | 'migrations'
> & {
  queue: string
  /** Other texts in the queue, which need no work. They are removed from it. */
  notices?: readonly string[]
}

/**
 * Declares which queue carries which messages. Each message carries the version of its payload; a message without a
 * version has version 1. A payload that the previous release would misread or refuse, such as another kind of message,
 * needs a new version.
 */
export function defineQueue<Payload extends z.ZodType>({
  version = 1,
  migrations = {},
  ...declared
}: Pick<QueueDefinition<Payload>, 'queue' | 'payload' | 'notices'> &
  Partial<Pick<QueueDefinition<Payload>, 'version' | 'migrations'>>): QueueDefinition<Payload> {
  return { ...declared, version, migrations }
}

/** Puts a message into its queue. It is there once this resolves. */
export type SendMessage<Payload> = (payload: Payload) => Promise<void>
