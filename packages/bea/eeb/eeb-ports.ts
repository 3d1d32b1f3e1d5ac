import type { Actor } from '#kernel/actor.ts'
import { conflict, type Failure } from '#kernel/failure.ts'

/** The calls of the deadline book that a receipt needs (B9). */
export type EebDeadlines = {
  /**
   * The case of a deadline; undefined if the deadline does not exist, was struck, or belongs to another workspace.
   * `other_day`: the day from which it is counted, if that is not `date`; otherwise null.
   */
  find: (
    workspaceId: string,
    deadlineId: string,
    date: string,
  ) => Promise<{ case_id: string; other_day: string | null } | undefined>
  /**
   * Records in the history of a deadline and in the timeline of its case that a receipt was given. A repeated call
   * changes nothing.
   *
   * @returns false if the deadline was struck meanwhile
   */
  recordReceipt: (
    who: Omit<Actor, 'scopes'>,
    deadlineId: string,
    receipt: { message_id: string; date: string; override_reason: string | null },
  ) => Promise<boolean>
}

/** The refusal of a second answer. */
export function eebAnswered(): Failure {
  return conflict(
    'EEB_ANSWERED',
    'The request for a receipt was answered already, or its answer is being sent. It can be answered only once.',
  )
}
