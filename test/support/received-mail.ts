import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { InboxState } from '#inbox/state-schema.ts'
import { mailRecord } from './mail-records.ts'

const received_at = '2026-03-16T08:30:00.000Z'

/** The state of an item that has just arrived in the inbox. */
export function openInbox(changes: Partial<InboxState> = {}): InboxState {
  return {
    state: 'open',
    at: received_at,
    category: null,
    assigned_to: null,
    notice: null,
    is_decided: false,
    is_judged: false,
    ...changes,
  }
}

/** A mail that was received and read, and is in the inbox. */
export function receivedMail(
  workspace_id: string,
  changes: Partial<CorrespondenceRecord> = {},
): CorrespondenceRecord {
  return mailRecord(workspace_id, {
    direction: 'inbound',
    status: 'processed',
    from: { name: 'Max Müller', email: 'max@mueller.de' },
    to: ['kanzlei@inbound.localhost'],
    user_id: null,
    sending_since: null,
    lost_at: null,
    attempts: 0,
    received_at,
    header_message_id: '<anfrage@mueller.de>',
    inbox: openInbox(),
    ...changes,
  })
}
