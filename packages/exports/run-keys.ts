import { derivedIdAt } from '#kernel/id.ts'
import type { ExportRunRecord, RunKey, RunOrder } from './run-ports.ts'

/** The key of the run of a configuration at a time of its schedule. It is deterministic. */
export function runKeyOf({ workspace_id, config_id, scheduled_at }: RunOrder): RunKey {
  return { workspace_id, config_id, id: derivedIdAt('exportRun', config_id, new Date(scheduled_at)) }
}

/** The key of the object that an attempt of a run writes. Each attempt writes another one. */
export function fileKey({ workspace_id, config_id, id }: RunKey, attempt: number): string {
  return `exports/${workspace_id}/${config_id}/${id}/${attempt}`
}

/** The keys of the objects that the attempts of a run may have written, except the object of the attempt `keeping`. */
export function fileKeys(
  run: RunKey & Partial<Pick<ExportRunRecord, 'attempt'>>,
  keeping?: number,
): string[] {
  return Array.from({ length: Math.max(usualAttempts, run.attempt ?? 0) }, (_, at) => at + 1)
    .filter((attempt) => attempt !== keeping)
    .map((attempt) => fileKey(run, attempt))
}

/** The queue makes at most this many attempts at a run, even if a person has sent the message back once. */
const usualAttempts = 10
