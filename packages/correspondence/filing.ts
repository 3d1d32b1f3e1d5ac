import { messageFiling } from '#inbox/filing-schema.ts'
import type { Job } from '#jobs/job.ts'
import { shortenedSubject } from '#timeline/schema.ts'
import { writeMailAddress } from './address-schema.ts'
import { followFiling } from './jobs.ts'
import type { CorrespondenceRecord } from './ports.ts'

/**
 * The jobs after a mail was moved into a case or out of one: they move its attachments and the facts that the cases
 * learn from it. They also run if the attachments or these facts of a filed mail are recorded later. Then `from` is
 * null.
 */
export function followUps(
  { workspace_id, id }: Pick<CorrespondenceRecord, 'workspace_id' | 'id'>,
  from: string | null,
  at: string,
): Job[] {
  return [followFiling.of({ workspace_id, correspondence_id: id, from, at })]
}

/** Filing, dismissing, reopening and judging mail (I5, I6). */
export const { filed, dismissed, reopened, judged } = messageFiling<CorrespondenceRecord>({
  type: 'mail',
  ref: 'correspondence',
  named: ({ direction, subject, from, to }) => {
    const sender = from.email === '' ? '' : ` von ${writeMailAddress(from)}`
    return `E-Mail „${shortenedSubject(subject)}“${direction === 'inbound' ? sender : ` an ${to[0] ?? ''}`}`
  },
  followUps,
  // Our own mail that bounced stays in its case, because it was sent there.
  reopened: ({ direction }) => (direction === 'outbound' ? {} : { case_id: null }),
  completed: (after) => ({ ...after, assigned_to: after.inbox?.assigned_to ?? null }),
})
