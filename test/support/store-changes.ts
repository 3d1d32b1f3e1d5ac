import type { CaseRecord } from '#cases/ports.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Change, Removal, TimelineEntry } from '#timeline/schema.ts'

/** A change that no request asked for, without entries and jobs. */
export function plain<Stored>(record: Stored): Change<Stored, undefined> {
  return { record, answer: undefined }
}

/** A change of a case with this entry in its timeline. */
export function caseChange(record: CaseRecord, entry: TimelineEntry): Change<CaseRecord, undefined> {
  return { record, timeline: [{ case_id: record.id, entry }], answer: undefined }
}

/** The deletion of a case with this entry in its timeline. */
export function caseRemoval(case_id: string, entry: TimelineEntry): Removal {
  return { deleted_at: entry.occurred_at, timeline: [{ case_id, entry }], answer: undefined }
}

/** A deletion that no request asked for. */
export function deletion(): Removal {
  return { deleted_at: systemClock.now().toISOString(), answer: undefined }
}
