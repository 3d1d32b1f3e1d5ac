import type { CaseToDispose } from './disposal-ports.ts'

/** The removal of cases with everything that belongs to them. Every step may run twice. */
export type CaseRemoval = {
  /**
   * How far the removal of a case by a disposal is. `listed`: its records are listed. `elsewhere`: another disposal has begun
   * to remove it. `gone`: there is no such case any more.
   */
  begun: (
    workspaceId: string,
    caseId: string,
    disposalId: string,
  ) => Promise<'not_begun' | 'begun' | 'listed' | 'elsewhere' | 'gone'>
  /**
   * Begins the removal: nobody finds the case any more, and nothing can be put into it, or taken out.
   *
   * @returns false if the case was changed since it was read: a hold was set, or it was reopened or deleted
   */
  begin: (workspaceId: string, one: CaseToDispose, disposalId: string, at: string) => Promise<boolean>
  /** Undoes `begin` for a case from which nothing was removed: it is found again, unchanged. */
  release: (workspaceId: string, caseId: string, disposalId: string) => Promise<void>
  /**
   * Lists the records of a case whose removal has begun.
   *
   * @param today the firm's day: what must be kept longer stays
   * @returns false if the time ran out
   */
  list: (
    workspaceId: string,
    caseId: string,
    disposalId: string,
    today: string,
    isOver: () => boolean,
  ) => Promise<boolean>
  /**
   * Removes what was listed, and then the case, which is counted in the statistics of the firm.
   *
   * @returns false if the time ran out
   */
  remove: (workspaceId: string, caseId: string, disposalId: string, isOver: () => boolean) => Promise<boolean>
  /**
   * Removes what the lists of the whole firm say about the removed records. Returns their counts and digest.
   *
   * @param since when all records were gone: what was made later does not name them
   * @returns the counts by kind, the digest of all ids, and `kept_until` as in `DisposalRecord`; undefined if it must be
   *   called again later, because the time ran out, or something may still name the records
   */
  forget: (
    workspaceId: string,
    disposalId: string,
    since: string,
    isOver: () => boolean,
  ) => Promise<{ counts: Record<string, number>; digest: string; kept_until: string | null } | undefined>
  /**
   * Erases the objects of removed records once more: a worker may have read a record before its removal, and stored objects
   * after it. Removes the list of removed records on the way, so the next call continues where this one stopped.
   *
   * @returns false if the time ran out
   */
  clean: (workspaceId: string, disposalId: string, isOver: () => boolean) => Promise<boolean>
  /**
   * Removes what was kept longer and whose period is over.
   *
   * @returns `kept_until` as in `DisposalRecord`. `isRemoved`: something was removed, and no list of the firm names it
   *   any more; false if the time ran out before
   */
  removeKept: (
    workspaceId: string,
    disposalId: string,
    today: string,
    isOver: () => boolean,
  ) => Promise<{ kept_until: string | null; isRemoved: boolean }>
}
