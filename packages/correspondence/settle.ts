import { newId } from '#kernel/id.ts'
import { beginningOf } from '#kernel/text.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import type { CorrespondenceChange, CorrespondenceRecord } from './ports.ts'

/** The change by which a mail becomes `sent`, with its one entry in the timeline of its case (M6). */
export function sentChange(
  record: CorrespondenceRecord,
  { message_id, sent_at }: { message_id: string; sent_at: string },
): CorrespondenceChange {
  const actor = { type: 'user', id: record.user_id, name: record.from.name ?? record.from.email } as const
  const [first = '', ...others] = [...record.to, ...record.cc, ...record.bcc]
  const more = others.length === 0 ? '' : ` und ${others.length} weitere`
  const summary = `E-Mail an ${first}${more} gesendet: „${shortened(record.subject)}“`
  return {
    record: {
      ...record,
      status: 'sent',
      message_id,
      sent_at,
      refusal: null,
      version: record.version + 1,
    },
    timelineEntries: entriesOf(record, { type: 'mail.sent', occurred_at: sent_at, actor, summary }),
  }
}

/** The entry that a mail adds to the timeline of its case; none where it has no case. */
export function entriesOf(
  { case_id, id }: Pick<CorrespondenceRecord, 'case_id' | 'id'>,
  entry: Omit<TimelineEntry, 'id' | 'ref'>,
): CaseTimelineEntry[] {
  if (case_id === null) return []
  const ref = { type: 'correspondence', id }
  return [{ case_id, entry: { id: newId('timelineEntry'), ...entry, ref } }]
}

/** A subject as summaries show it. */
export function shortened(subject: string): string {
  const beginning = beginningOf(subject, 200)
  return beginning === subject ? subject : `${beginning}…`
}
