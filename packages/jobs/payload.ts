import * as z from 'zod'
import type { JobDefinition } from './job.ts'

/** The payloads that are understood: from the definition of a job, or of the messages of a queue. */
type Versions<Payload extends z.ZodType> = Pick<JobDefinition<Payload>, 'version' | 'payload' | 'migrations'>

/** No release can understand this payload: another attempt cannot succeed. */
export class PayloadRefused extends Error {
  override name = 'PayloadRefused'
}

/**
 * The payload of a job or a message in the form of this release. An older version is migrated.
 *
 * @param what `job case.unlink`, for errors
 * @throws PayloadRefused for an older version that no migration accepts
 * @throws Error for a newer version, or a payload that the schema does not accept: this code may be older than the one that
 *   wrote it
 */
export function payloadOf<Payload extends z.ZodType>(
  what: string,
  definition: Versions<Payload>,
  version: number,
  payload: unknown,
): z.output<Payload> {
  if (version > definition.version)
    throw new Error(`The ${what} has version ${version}; this function knows version ${definition.version}.`)
  const current = version === definition.version ? payload : migrated(what, definition, version, payload)
  const checked = definition.payload.safeParse(current)
  if (!checked.success)
    throw new Error(`The payload of the ${what} is malformed: ${z.prettifyError(checked.error)}`)
  return checked.data
}

function migrated(
  what: string,
  { version: known, migrations }: Pick<JobDefinition, 'version' | 'migrations'>,
  version: number,
  payload: unknown,
): unknown {
  const migrate = migrations[version]
  if (migrate === undefined)
    throw new PayloadRefused(`The ${what} has version ${version}; no migration leads to version ${known}.`)
  try {
    return migrate(payload)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PayloadRefused(
      `The payload of the ${what} cannot be migrated from version ${version}: ${reason}`,
      {
        cause: error,
      },
    )
  }
}
