import { auditEvent } from '#audit/schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import type {
  DisposableCases,
  DisposalRecord,
  DisposalStore,
  DueDisposal,
  DueDisposals,
} from './disposal-ports.ts'
import type { DisposalCase, DisposalCertificate, KeptReason } from './disposal-schema.ts'
import { certificateOf, keptReasonOf } from './disposals.ts'
import type { RetentionWorkspaces } from './ports.ts'
import type { CaseRemoval } from './removal-ports.ts'

/** The length of a worker's claim: longer than its function may run. After that, another worker continues. */
export const claimedMilliseconds = 16 * 60_000

/** Creates and stores the sealed certificate. @returns the digest of the file */
export type Certify = (workspaceId: string, certificate: DisposalCertificate) => Promise<string>

type Deps = {
  due: DueDisposals
  disposals: Pick<DisposalStore, 'find' | 'change'>
  cases: DisposableCases
  removal: CaseRemoval
  workspaces: RetentionWorkspaces
  certify: Certify
  clock: Clock
  log: SweepLog
}

/** The numbers of completed and failed disposals. */
export type DisposingResult = { done: number; failed: number }

/**
 * Runs approved disposals (R3), one case after the other. Each case is judged again before its removal. When its
 * records are listed, nothing stops the removal any more: after a crash, the next run completes it. The function also
 * removes records that were kept longer than their cases, when their own period is over.
 *
 * @param milliseconds after this time no new step begins
 */
export async function runDisposals(
  deps: Deps,
  now: Date,
  { milliseconds }: { milliseconds: number },
): Promise<DisposingResult> {
  const { due, disposals, cases, removal, workspaces, certify, clock, log } = deps
  const sweep = sweeping({ name: 'disposals', milliseconds, log })
  const result: DisposingResult = { done: 0, failed: 0 }

  /** Changes a disposal that this worker has claimed. @throws Error if another worker has claimed it since */
  const change = (
    claimed: DisposalRecord,
    changes: Partial<DisposalRecord>,
    action?: 'disposal.done',
  ): Promise<DisposalRecord> => {
    const { workspace_id, id } = claimed
    return disposals.change(workspace_id, id, (current) => {
      if (current.claimed_until !== claimed.claimed_until)
        throw new Error('Another worker has claimed this disposal.')
      const record = { ...current, ...changes, version: current.version + 1 }
      const audit = action && auditEvent({ workspace_id }, action, 'disposal', id)
      return { record, answer: record, ...(audit && { audit }) }
    })
  }

  /** Claims a disposal. @returns undefined if there is nothing to do, or another worker has claimed it */
  const claim = ({ workspace_id, id }: DueDisposal): Promise<DisposalRecord | undefined> =>
    disposals.change<DisposalRecord | undefined>(workspace_id, id, (current) => {
      const isFree = current.claimed_until === null || current.claimed_until <= now.toISOString()
      if (!isFree || current.status === 'proposed' || current.status === 'withdrawn')
        return { answer: undefined }
      const begins = current.status === 'approved'
      const record: DisposalRecord = {
        ...current,
        ...(begins && { status: 'running', begun_at: timestamp(clock) }),
        claimed_until: new Date(now.getTime() + claimedMilliseconds).toISOString(),
        version: current.version + 1,
      }
      return { record, answer: record }
    })

  /** The reason to keep a case because of its contents: open work, or a change since the proposal. Null if none. */
  const contentReasonOf = async (
    { workspace_id, states }: DisposalRecord,
    caseId: string,
  ): Promise<KeptReason | null> => {
    if ((await cases.openWork(workspace_id, [caseId])).size > 0) return 'open_work'
    const before = states?.[caseId]
    return before === undefined || before === (await cases.state(workspace_id, caseId)) ? null : 'changed'
  }

  /**
   * Judges a case again and begins its removal.
   *
   * @returns the reason if the case is kept; null if its removal has begun
   */
  const begin = async (
    record: DisposalRecord,
    caseId: string,
    timeZone: string,
  ): Promise<KeptReason | null> => {
    const { workspace_id, id } = record
    for (;;) {
      const [found] = await cases.findAll(workspace_id, [caseId])
      if (found === undefined) return 'gone'
      const reason = keptReasonOf(found, timeZone, clock.now()) ?? (await contentReasonOf(record, caseId))
      if (reason !== null) return reason
      // If the case was changed since it was read, it is judged again.
      if (await removal.begin(workspace_id, found, id, timestamp(clock))) return null
    }
  }

  /** Removes a case, or keeps it. @returns the case with its new state; undefined if the time is over */
  const dispose = async (
    record: DisposalRecord,
    one: DisposalCase,
    { time_zone }: { time_zone: string },
  ): Promise<DisposalCase | undefined> => {
    const { workspace_id, id } = record
    const { case_id } = one
    const kept = (reason: KeptReason): DisposalCase => ({ ...one, state: 'kept', reason })
    const step = await removal.progress(workspace_id, case_id, id)
    if (step === 'gone') return { ...one, state: 'done' }
    if (step === 'elsewhere') return kept('gone')
    if (step !== 'listed') {
      const reason = step === 'begun' ? null : await begin(record, case_id, time_zone)
      if (reason !== null) return kept(reason)
      // Something may have been added after the case was judged. From now on nothing can be added.
      const late = await contentReasonOf(record, case_id)
      if (late !== null) {
        await removal.release(workspace_id, case_id, id)
        return kept(late)
      }
      const today = localDateOf(clock.now(), time_zone)
      if (!(await removal.list(workspace_id, case_id, id, today, sweep.isOver))) return undefined
    }
    const isDone = await removal.remove(workspace_id, case_id, id, sweep.isOver)
    return isDone ? { ...one, state: 'done' } : undefined
  }

  /**
   * Removes what other places of the firm have about the removed records, and stores the counts and the digest of the
   * records. Then erases late objects with the list of these records, and stores the time. So if the certificate must
   * be made again after a crash, it has the same content.
   *
   * @returns undefined if the next run must continue
   */
  const recordRemoval = async (claimed: DisposalRecord): Promise<DisposalRecord | undefined> => {
    if (claimed.done_at !== null) return claimed
    const { workspace_id, id } = claimed
    let counted = claimed
    if (claimed.counts === null) {
      const since = claimed.forgetting_since ?? timestamp(clock)
      if (claimed.forgetting_since === null) counted = await change(claimed, { forgetting_since: since })
      const removed = await removal.forget(workspace_id, id, since, sweep.isOver)
      if (removed === undefined) return undefined
      counted = await change(counted, removed)
    }
    const isClean = await removal.clean(workspace_id, id, sweep.isOver)
    return isClean ? change(counted, { done_at: timestamp(clock) }) : undefined
  }

  const finish = async (claimed: DisposalRecord): Promise<void> => {
    const record = await recordRemoval(claimed)
    if (record === undefined) return releaseClaim(claimed)
    const certificate_sha256 = await certify(record.workspace_id, certificateOf(record))
    const changes = { certificate_sha256, is_cleaned: true, claimed_until: null }
    await change(record, { status: 'done', ...changes }, 'disposal.done')
    result.done += 1
  }

  /** Gives the claim back, so that the next run continues the disposal. */
  const releaseClaim = async (claimed: DisposalRecord): Promise<void> => {
    await change(claimed, { claimed_until: null })
  }

  const runOne = async (item: DueDisposal): Promise<void> => {
    const claimed = await claim(item)
    if (claimed === undefined) return due.settle(item)
    try {
      const workspace = required(await workspaces.find(claimed.workspace_id), 'WORKSPACE_NOT_FOUND')
      await (claimed.status === 'done' ? removeKept(claimed, workspace) : run(claimed, workspace))
    } catch (error) {
      // Otherwise the next run would have to wait until the claim is over.
      await releaseClaim(claimed).catch(() => undefined)
      throw error
    }
  }

  /** Removes the records that a finished disposal has kept, if their own period is over. */
  const removeKept = async (claimed: DisposalRecord, { time_zone }: { time_zone: string }): Promise<void> => {
    const { workspace_id, id } = claimed
    // Older releases made the certificate before `removal.clean` was done.
    if (!claimed.is_cleaned && !(await removal.clean(workspace_id, id, sweep.isOver)))
      return releaseClaim(claimed)
    const today = localDateOf(clock.now(), time_zone)
    const { kept_until, isRemoved } = await removal.removeKept(workspace_id, id, today, sweep.isOver)
    // The audit gets another entry `disposal.done` each time kept records are removed.
    const changes = { is_cleaned: true, kept_until, claimed_until: null }
    await change(claimed, changes, isRemoved ? 'disposal.done' : undefined)
  }

  const run = async (begun: DisposalRecord, workspace: { time_zone: string }): Promise<void> => {
    let claimed = begun
    const errors: unknown[] = []
    for (const one of claimed.cases) {
      if (one.state !== 'waiting') continue
      if (sweep.isOver()) return releaseClaim(claimed)
      const { workspace_id, id } = claimed
      // A case that cannot be removed does not block the others.
      const outcome = await dispose(claimed, one, workspace).catch((error: unknown) => {
        log.error('case not disposed of', {
          ...{ workspace_id, disposal_id: id, case_id: one.case_id },
          error: error instanceof Error ? error.stack : String(error),
        })
        errors.push(error)
        return one
      })
      if (outcome === undefined) return releaseClaim(claimed)
      if (outcome === one) continue
      claimed = await change(claimed, {
        cases: claimed.cases.map((other) => (other.case_id === one.case_id ? outcome : other)),
      })
    }
    if (errors.length > 0) throw new Error(`${errors.length} cases could not be disposed of.`)
    await finish(claimed)
  }

  await sweep.eachDue(due, now, runOne, 2)
  result.failed = sweep.failed()
  return result
}
