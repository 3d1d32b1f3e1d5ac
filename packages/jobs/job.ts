import type * as z from 'zod'

/** Work that follows a change: what it is called and what it is told. Apart from its handler, so that a sender never loads a worker. */
export type JobDefinition<Payload extends z.ZodType> = { name: string; payload: Payload }

/** A job to be recorded in the transaction of the change that it follows. */
export type Job = { name: string; payload: unknown }

/**
 * Declares a kind of job. Handlers must be able to do it twice, late, and in any order: it tells what to bring
 * in line, not what to add.
 */
export function defineJob<Payload extends z.ZodType>(definition: JobDefinition<Payload>) {
  return { ...definition, of: (payload: z.input<Payload>): Job => ({ name: definition.name, payload }) }
}

/** What a queue carries, apart from whoever works on it. A message may arrive twice, late, and in any order. */
export type MessageDefinition<Payload extends z.ZodType> = { queue: string; payload: Payload }

/** Declares which queue carries which messages. */
export function defineMessage<Payload extends z.ZodType>(
  definition: MessageDefinition<Payload>,
): MessageDefinition<Payload> {
  return definition
}

/** Puts a message into its queue. It is there once this resolves. */
export type SendMessage<Payload> = (payload: Payload) => Promise<void>
