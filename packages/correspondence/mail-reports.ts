import type { Clock } from '#kernel/clock.ts'
import type { CorrespondenceRecord, CorrespondenceStore, HandleMailReport, MailReport } from './ports.ts'
import { sendStateOf } from './send-state.ts'

/** Reports the state of service mails to the package that requested them. */
export function mailReports(deps: {
  store: Pick<CorrespondenceStore, 'find'>
  handle: HandleMailReport
  clock: Clock
}) {
  return {
    /**
     * Reports the current state of a mail, or nothing if a person sent it. If the state changes meanwhile, it is
     * reported again. So the last of two concurrent reports is always the newer one.
     */
    async report(workspaceId: string, id: string): Promise<void> {
      let reported: MailReport['state'] | undefined
      for (;;) {
        const record = await deps.store.find(workspaceId, id)
        if (record?.about == null) return
        const state = stateOf(record, deps.clock.now())
        if (state === reported) return
        await deps.handle({ workspace_id: workspaceId, about: record.about, state, sent_at: record.sent_at })
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
