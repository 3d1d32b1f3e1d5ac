import type { CaseToDispose } from './disposal-ports.ts'

/** Removes cases with everything that belongs to them. Every step may run twice. `isOver`: the time of the run is over. */
export type CaseRemoval = {
  /**
   * How far a disposal has removed a case. `listed`: the records of the case are listed. `elsewhere`: another disposal
   * has begun to remove it. `gone`: the case does not exist any more.
   */
  begun: (
    workspaceId: string,
    caseId: string,
    disposalId: string,
  ) => Promise<'not_begun' | 'begun' | 'listed' | 'elsewhere' | 'gone'>
  /**
   * Begins the removal. From now on nobody finds the case, and nothing can be put into it or taken out.
   *
   * @returns false if the case was changed since it was read: a hold was set, or it was reopened or deleted
   */
  begin: (workspaceId: string, one: CaseToDispose, disposalId: string, at: string) => Promise<boolean>
  /** Undoes `begin` if nothing was removed yet: the case is found again, unchanged. */
  release: (workspaceId: string, caseId: string, disposalId: string) => Promise<void>
  /**
   * Lists the records of a case whose removal has begun.
   *
   * @param today the day in the firm's time zone; records that must be kept longer stay
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
   * Removes the data about the removed records from the lists of the whole firm, such as timelines of other cases,
   * reports, exports and jobs.
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
   * Erases the objects of removed records once more, because a worker that had read a record before its removal may have
   * stored objects after it. This also removes the list of removed records, step by step, so the next call continues
   * where this one stopped.
   *
   * @returns false if the time is over and the list is not empty
   */
  clean: (workspaceId: string, disposalId: string, isOver: () => boolean) => Promise<boolean>
  /**
   * Removes the records that were kept longer than their case, if their own period is over.
   *
   * @returns `kept_until` as in `DisposalRecord`. `isRemoved`: records were removed, and no list of the firm names them
   *   any more; false if the time was over before
   */
  removeKept: (
    workspaceId: string,
    disposalId: string,
    today: string,
    isOver: () => boolean,
  ) => Promise<{ kept_until: string | null; isRemoved: boolean }>
}
