import * as z from 'zod'
import type { Job, JobHandler } from './job.ts'

export type JobRunner = ReturnType<typeof jobRunner>

/** Another attempt cannot succeed: the job is parked with this message until a person handles it. */
export class JobRefused extends Error {
  override name = 'JobRefused'
}

/** Finds the handler of each job. A composition root names all handlers of its function. */
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
    /** Adds handlers. @throws Error where a name is handled already */
    handle,

    /**
     * Runs a job with the handler of its name. The payload of an older version is migrated first.
     *
     * @throws JobRefused for a payload that no migration and no schema accepts
     * @throws Error for an unknown name or a newer version (this code may be older than the one that enqueued the
     *   job), and whatever the handler throws
     */
    async run({ name, version, payload }: Pick<Job, 'name' | 'version' | 'payload'>): Promise<void> {
      const handler = handlers.get(name)
      if (handler === undefined) throw new Error(`This function has no handler for the job ${name}.`)
      const { definition } = handler
      if (version > definition.version) {
        throw new Error(
          `The job ${name} has version ${version}; this function knows version ${definition.version}.`,
        )
      }
      const current = version === definition.version ? payload : migrated(handler, version, payload)
      const checked = definition.payload.safeParse(current)
      if (!checked.success) {
        throw new JobRefused(`The payload of the job ${name} is malformed: ${z.prettifyError(checked.error)}`)
      }
      await handler.run(checked.data)
    },

    /** The names of the jobs that this function can run. */
    names: () => [...handlers.keys()],
  }
}

function migrated({ definition }: JobHandler, version: number, payload: unknown): unknown {
  const { name, migrations } = definition
  const migrate = migrations[version]
  if (migrate === undefined) {
    throw new JobRefused(
      `The job ${name} has version ${version}; no migration leads to version ${definition.version}.`,
    )
  }
  try {
    return migrate(payload)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new JobRefused(
      `The payload of the job ${name} cannot be migrated from version ${version}: ${reason}`,
      { cause: error },
    )
  }
}
