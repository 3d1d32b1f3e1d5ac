import * as z from 'zod'
import type { JobDefinition } from './job.ts'

/** The part of the definition of a job or of a queue that describes its payloads. */
type PayloadDefinition<Payload extends z.ZodType> = Pick<
  JobDefinition<Payload>,
  'version' | 'payload' | 'migrations'
>

/** A payload that cannot be migrated. Another attempt cannot succeed. */
export class PayloadRefused extends Error {
  override name = 'PayloadRefused'
}

/**
 * Checks the payload of a job or a message. A payload of an older version is migrated first.
 *
 * @param owner the job or message in the texts of errors, such as `job case.unlink`
 * @throws PayloadRefused if an older version cannot be migrated
 * @throws Error for a newer version, or a payload that does not match the schema. Another attempt may succeed, because
 *   newer code may have written the payload
 */
export function payloadOf<Payload extends z.ZodType>(
  owner: string,
  definition: PayloadDefinition<Payload>,
  version: number,
  payload: unknown,
): z.output<Payload> {
  if (version > definition.version)
    throw new Error(`The ${owner} has version ${version}; this function knows version ${definition.version}.`)
  const current = version === definition.version ? payload : migrated(owner, definition, version, payload)
  const checked = definition.payload.safeParse(current)
  if (!checked.success)
    throw new Error(`The payload of the ${owner} is malformed: ${z.prettifyError(checked.error)}`)
  return checked.data
}

function migrated(
  owner: string,
  { version: known, migrations }: Pick<JobDefinition, 'version' | 'migrations'>,
  version: number,
  payload: unknown,
): unknown {
  const migrate = migrations[version]
  if (migrate === undefined)
    throw new PayloadRefused(`The ${owner} has version ${version}; no migration leads to version ${known}.`)
  try {
    return migrate(payload)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PayloadRefused(
      `The payload of the ${owner} cannot be migrated from version ${version}: ${reason}`,
      {
        cause: error,
      },
    )
  }
}
