import type { CaseToDispose } from './disposal-ports.ts'

/**
 * Removes cases with everything that belongs to them. Every step may run twice. `isOver` returns whether the time of
 * the run is over.
 */
export type CaseRemoval = {
  /**
   * How far this disposal has come with a case. `listed`: the removal has begun, and all records of the case are
   * listed. `elsewhere`: another disposal has begun to remove the case. `gone`: the case does not exist any more.
   */
  progress: (
    workspaceId: string,
    caseId: string,
    disposalId: string,
  ) => Promise<'not_begun' | 'begun' | 'listed' | 'elsewhere' | 'gone'>
  /**
   * Begins the removal. From then on nobody finds the case, and nothing can be put into it or taken out of it.
   *
   * @returns false if the case was changed since it was read: for example, a hold was set, or it was reopened or
   *   deleted
   */
  begin: (workspaceId: string, one: CaseToDispose, disposalId: string, at: string) => Promise<boolean>
  /** Undoes `begin` if nothing was removed yet: the case is found again, unchanged. */
  release: (workspaceId: string, caseId: string, disposalId: string) => Promise<void>
  /**
   * Lists the records of a case whose removal has begun.
   *
   * @param today the day in the firm's time zone; records that must be kept longer than this day are not listed
   * @returns false if the time is over and the list is not complete
   */
  list: (
    workspaceId: string,
    caseId: string,
    disposalId: string,
    today: string,
    isOver: () => boolean,
  ) => Promise<boolean>
  /**
   * Removes the listed records, and then the case. Counts the case in the statistics of the firm.
   *
   * @returns false if the time is over and records are left
   */
  remove: (workspaceId: string, caseId: string, disposalId: string, isOver: () => boolean) => Promise<boolean>
  /**
   * Removes what other places of the firm have about the removed records: timelines of other cases, reports, exports,
   * jobs and others.
   *
   * @param since when all records were gone; data that was created later does not name them
   * @returns the number of removed records by kind, the digest of their ids, and `kept_until` as in `DisposalRecord`.
   *   Undefined if the next run must call it again: the time is over, or some data may still name the records
   */
  forget: (
    workspaceId: string,
    disposalId: string,
    since: string,
    isOver: () => boolean,
  ) => Promise<{ counts: Record<string, number>; digest: string; kept_until: string | null } | undefined>
  /**
   * Erases the objects of removed records once more: a worker that read a record before its removal may have stored
   * objects after it. It removes each record from the list of removed records when it is done, so the next call
   * continues where this one stopped.
   *
   * @returns false if the time is over and the list is not empty
   */
  clean: (workspaceId: string, disposalId: string, isOver: () => boolean) => Promise<boolean>
  /**
   * Removes the records that were kept longer than their case, if their own period is over.
   *
   * @returns `kept_until` as in `DisposalRecord`. `isRemoved`: records were removed, and no other place of the firm
   *   names them any more; false if the time was over before that
   */
  removeKept: (
    workspaceId: string,
    disposalId: string,
    today: string,
    isOver: () => boolean,
  ) => Promise<{ kept_until: string | null; isRemoved: boolean }>
}
