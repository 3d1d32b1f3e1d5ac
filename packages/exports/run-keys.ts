import { derivedIdAt } from '#kernel/id.ts'
import type { ExportRunRecord, RunKey, RunOrder } from './run-ports.ts'

/** The run of a configuration at a time of its schedule: always the same one, however often it is asked for. */
export function runKeyOf({ workspace_id, config_id, scheduled_at }: RunOrder): RunKey {
  return { workspace_id, config_id, id: derivedIdAt('exportRun', config_id, new Date(scheduled_at)) }
}

/** The key of the object that an attempt of a run writes. No two attempts write the same one. */
export function fileKey({ workspace_id, config_id, id }: RunKey, attempt: number): string {
  return `exports/${workspace_id}/${config_id}/${id}/${attempt}`
}

/** The keys of the objects that the attempts of a run may have written, but those of `keeping`. */
export function fileKeys(
  run: RunKey & Partial<Pick<ExportRunRecord, 'attempt'>>,
  keeping?: number,
): string[] {
  return Array.from({ length: Math.max(usualAttempts, run.attempt ?? 0) }, (_, at) => at + 1)
    .filter((attempt) => attempt !== keeping)
    .map((attempt) => fileKey(run, attempt))
}

/** The queue gives a run no more attempts than this, also when a person has sent it back once. */
const usualAttempts = 10
