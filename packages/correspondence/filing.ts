import { messageFiling } from '#inbox/filing-schema.ts'
import type { Job } from '#jobs/job.ts'
import { shortenedSubject } from '#timeline/schema.ts'
import { writeMailAddress } from './address-schema.ts'
import { followFiling } from './jobs.ts'
import type { CorrespondenceRecord } from './ports.ts'

/**
 * The jobs that follow a mail into another case, or out of its case: its attachments and what its case learnt of it. They
 * also follow a filed mail whose attachments, or whose facts for the case, are recorded later; then `from` is null.
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
  // Mail of ours that came back stays in its case: it was sent there.
  reopened: ({ direction }) => (direction === 'outbound' ? {} : { case_id: null }),
  completed: (after) => ({ ...after, assigned_to: after.inbox?.assigned_to ?? null }),
})
