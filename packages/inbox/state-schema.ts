import type { Triage } from '#triage/schema.ts'

export const inboxStates = ['open', 'filed', 'dismissed'] as const

/**
 * The place of a record in the inbox; null if it never arrives there. A record is in the list while it is `open`; a
 * document must also be in no case and no folder.
 */
export type InboxState = {
  state: (typeof inboxStates)[number]
  /** When it came into the inbox; for an imported beA message, when the network received it. Sorts the list. */
  at: string
  category: Triage['category'] | null
  assigned_to: string | null
  /** A problem, in German: a mail bounced or could not be read, or a beA message was not imported or acknowledged. */
  notice: string | null
  /** A person filed, dismissed or reopened it: no later judgement of the triage changes that. */
  is_decided: boolean
  /** The triage has nothing left to judge. Until then the sweeper sends the record again. */
  is_judged: boolean
}

/** The state of a record that came into the inbox at `at`. The triage judges it, unless it comes with a notice. */
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
