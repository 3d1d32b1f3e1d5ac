import { germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { beginningOf } from '#kernel/text.ts'
import { answerTitle } from '../eeb/answer-title.ts'
import type { BeaMessageRecord } from '../ports.ts'

type Named = Pick<BeaMessageRecord, 'direction' | 'subject' | 'sender' | 'recipients' | 'confidential'>

/**
 * The name of a message in timelines. Everybody in the office reads timelines, so a confidential message has neither
 * subject nor correspondent (B8).
 */
export function namedMessage(record: Named): string {
  if (record.confidential) return 'Vertrauliche beA-Nachricht'
  const other = record.direction === 'inbound' ? record.sender : record.recipients[0]
  const whose = other?.name ?? other?.bea_id ?? null
  const subject = record.subject === '' ? 'ohne Betreff' : `„${beginningOf(record.subject, maxSubject)}“`
  return `beA-Nachricht ${subject}${whose === null ? '' : ` ${record.direction === 'inbound' ? 'von' : 'an'} ${whose}`}`
}

const maxSubject = 200

/**
 * The name of a message in the register of deadlines, with its day in the time zone. Everybody in the office reads the
 * register. So it shows subject and correspondent only if the message is not confidential and is in a case, because then
 * the timeline of the case shows them too. A receipt is shown with its title only.
 */
export function namedEvidence(
  record: Named & Pick<BeaMessageRecord, 'case_id' | 'sent_at' | 'received_at' | 'imported_at'>,
  timeZone: string,
): string {
  const { confidential, case_id, subject, sent_at, received_at, imported_at } = record
  const times = record.direction === 'inbound' ? [received_at, sent_at] : [sent_at, received_at]
  const at = times.find((time) => time !== null) ?? imported_at
  const day = germanDay(localDateOf(new Date(at), timeZone))
  if (confidential) return `vertrauliche beA-Nachricht vom ${day}`
  if (case_id === null) return `beA-Nachricht vom ${day}`
  const shown = subject.startsWith(answerTitle) ? answerTitle : subject
  return `${namedMessage({ ...record, subject: shown })} vom ${day}`
}
