import type { Clock } from '#kernel/clock.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MailReport, TakeMailReport } from './ports.ts'
import { sendStateOf } from './send-state.ts'

/** Reports what became of mails of the service to whoever keeps what they are about. */
export function mailReports(deps: {
  store: Pick<CorrespondenceStore, 'find'>
  take: TakeMailReport
  clock: Clock
}) {
  return {
    /**
     * Reports a mail as it stands now; nothing if a person sent it. If the mail changes during the report, it is
     * reported again afterwards. So the older of two concurrent reports is not the last.
     */
    async report(workspaceId: string, id: string): Promise<void> {
      let reported: MailReport['state'] | undefined
      for (;;) {
        const record = await deps.store.find(workspaceId, id)
        if (record?.about == null) return
        const state = stateOf(record, deps.clock.now())
        if (state === reported) return
        await deps.take({ workspace_id: workspaceId, about: record.about, state, sent_at: record.sent_at })
        reported = state
      }
    },
  }
}

export type MailReports = ReturnType<typeof mailReports>

function stateOf(record: CorrespondenceRecord, now: Date): MailReport['state'] {
  if (record.delivery.some(({ status }) => status === 'bounced')) return 'bounced'
  if (record.refusal?.kind === 'address') return 'bounced'
  return sendStateOf(record, now)
}
