import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'

/** The events of a change of a mail (E1). `before` is undefined of a new one. */
export function mailEvents(
  before: CorrespondenceRecord | undefined,
  after: CorrespondenceRecord,
): NewEvent[] {
  const { case_id, direction, status } = after
  const isInbound = direction === 'inbound'
  return eventsAbout(
    after,
    ...(isInbound && before === undefined ? (['mail.received'] as const) : []),
    ...(isInbound && isJudged(after) && !isJudged(before) ? (['mail.judged'] as const) : []),
    ...(before !== undefined && before.case_id !== case_id ? (['mail.filed'] as const) : []),
    ...(!isInbound && status === 'sent' && before?.status !== 'sent' ? (['mail.sent'] as const) : []),
    ...(!isInbound && status === 'failed' && before?.status !== 'failed' ? (['mail.failed'] as const) : []),
    ...(after.lost_at !== null && before?.lost_at === null ? (['mail.failed'] as const) : []),
    ...(bounces(after) > bounces(before) ? (['mail.bounced'] as const) : []),
  )
}

function isJudged(record: CorrespondenceRecord | undefined): boolean {
  return record?.inbox?.is_judged === true
}

function bounces(record: CorrespondenceRecord | undefined): number {
  return record?.delivery.filter(({ status }) => status === 'bounced').length ?? 0
}
