import type { Job, JobHandler } from './job.ts'
import { payloadOf } from './payload.ts'

export type JobRunner = ReturnType<typeof jobRunner>

/** Runs jobs with their handlers. A composition root adds all handlers of its function. */
export function jobRunner(...first: JobHandler[]) {
  const handlers = new Map<string, JobHandler>()
  const handle = (...more: JobHandler[]): void => {
    for (const handler of more) {
      const { name } = handler.definition
      if (handlers.has(name)) throw new Error(`There are two handlers for the job ${name}.`)
      handlers.set(name, handler)
    }
  }
  handle(...first)

  return {
    /** Adds handlers. @throws Error if a job has a handler already */
    handle,

    /**
     * Runs a job with its handler.
     *
     * @throws as `payloadOf`, an Error if there is no handler, and what the handler throws
     */
    async run({ name, version, payload }: Pick<Job, 'name' | 'version' | 'payload'>): Promise<void> {
      const handler = handlers.get(name)
      if (handler === undefined) throw new Error(`This function has no handler for the job ${name}.`)
      await handler.run(payloadOf(`job ${name}`, handler.definition, version, payload))
    },

    /** The definitions of the jobs that this function can run. */
    definitions: () => [...handlers.values()].map(({ definition }) => definition),
  }
}
