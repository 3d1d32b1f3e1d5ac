import type { Triage } from '#triage/schema.ts'

export const inboxStates = ['open', 'filed', 'dismissed'] as const

/**
 * The state of a record in the inbox. Records that never come into the inbox have null instead. The inbox lists a
 * record while it is `open`; a document is listed only if it is also in no case and no folder.
 */
export type InboxState = {
  state: (typeof inboxStates)[number]
  /**
   * The list is sorted by this time: when the record came into the inbox, or when the network received a beA message.
   */
  at: string
  category: Triage['category'] | null
  assigned_to: string | null
  /** A problem, in German: a mail bounced or could not be read, or a beA message was not imported or acknowledged. */
  notice: string | null
  /** A person has filed, dismissed or reopened it, so the triage no longer files it. */
  is_decided: boolean
  /** The triage has nothing left to judge. Until then the sweeper sends the record to the triage again every hour. */
  is_judged: boolean
}

/** The state of a record that comes into the inbox at `at`. The triage judges it unless it has a notice. */
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
