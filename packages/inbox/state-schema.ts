import type { InboxState } from './schema.ts'

/** The state of a record that comes into the inbox then. The triage judges it, unless it comes with a notice. */
export function newInboxState(at: string, notice: string | null = null): InboxState {
  return {
    state: 'open',
    at,
    category: null,
    assigned_to: null,
    notice,
    is_decided: false,
    is_judged: notice !== null,
  }
}
