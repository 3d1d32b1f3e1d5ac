import { randomUUID } from 'node:crypto'
import type { SendMessage } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, unlessGone } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import type { PostboxSync, SyncCounts, SyncResult } from './postbox-sync.ts'
import type { SyncOrder } from './sync-queue.ts'
import { claimOf, heartbeatMilliseconds, type StoredSync } from './sync-state.ts'

/**
 * Does the synchronisations in the queue (B5), for each account one at a time. The worker writes heartbeats; if they
 * stop, another worker takes over. If the work takes longer than a worker may run, another message of the queue
 * continues it.
 */
export function syncing(deps: {
  accounts: Pick<BeaAccountStore, 'change'>
  syncPostbox: PostboxSync
  send: SendMessage<SyncOrder>
  clock: Clock
  log: Log
}) {
  const { accounts, syncPostbox, send, clock, log } = deps

  /**
   * Changes the synchronisation if this worker still has it.
   *
   * @returns false if another worker has it by now, or if the account was disconnected
   */
  const keep = async (
    { workspace_id, account_id, started_at }: SyncOrder,
    holder: string,
    decide: (sync: StoredSync) => StoredSync,
  ): Promise<boolean> => {
    let isKept = false
    const account = await accounts
      .change(workspace_id, account_id, (current) => {
        const sync = current.last_sync
        isKept = sync?.holder === holder && sync.started_at === started_at
        return isKept && sync !== null ? { ...current, last_sync: decide(sync) } : undefined
      })
      .catch(unlessGone('BEA_ACCOUNT_NOT_FOUND'))
    return isKept && account !== undefined
  }

  /** Claims the synchronisation. @throws Error if another worker does it; then the queue delivers the message again */
  const claim = async (order: SyncOrder, holder: string): Promise<BeaAccountRecord | undefined> => {
    const account = await accounts
      .change(order.workspace_id, order.account_id, (current) => {
        const claim = claimOf(current.last_sync, order.started_at, clock.now())
        if (claim === 'busy') throw new Error('Another worker synchronises this account.')
        if (claim === 'over' || current.last_sync === null) return undefined
        return { ...current, last_sync: { ...current.last_sync, holder, heartbeat_at: timestamp(clock) } }
      })
      .catch(unlessGone('BEA_ACCOUNT_NOT_FOUND'))
    return account?.last_sync?.holder === holder ? account : undefined
  }

  const end = (order: SyncOrder, holder: string, result: SyncResult) => {
    const at = timestamp(clock)
    return keep(order, holder, (sync) => ({
      ...sync,
      status: 'done',
      finished_at: at,
      new_messages: result.new_messages,
      kept_out: result.kept_out,
      error: result.error,
      holder: null,
      succeeded_at: result.areAllFoldersRead ? at : sync.succeeded_at,
    }))
  }

  const fail = (order: SyncOrder, holder: string, counted: SyncCounts, message: string) =>
    keep(order, holder, (sync) => ({
      ...sync,
      ...counted,
      status: 'failed',
      finished_at: timestamp(clock),
      error: message,
      holder: null,
    }))

  /** Stores the counts so far, and lets another worker continue. */
  const release = (order: SyncOrder, holder: string, counted: SyncCounts) =>
    keep(order, holder, (sync) => ({
      ...sync,
      ...counted,
      holder: null,
      heartbeat_at: timestamp(clock),
    }))

  return {
    /**
     * Synchronises an account.
     *
     * @throws if trying again makes sense
     */
    async run(order: SyncOrder, signal: AbortSignal): Promise<void> {
      const holder = randomUUID()
      const account = await claim(order, holder)
      if (account === undefined) return
      const lost = new AbortController()
      // Messages that earlier workers of this synchronisation imported are included. Their failed messages are not,
      // because they are tried again.
      const counted: SyncCounts = { new_messages: account.last_sync?.new_messages ?? 0, kept_out: 0 }
      const beat = async () => {
        const isKept = await keep(order, holder, (sync) => ({
          ...sync,
          ...counted,
          heartbeat_at: timestamp(clock),
        }))
        if (!isKept) lost.abort(new Error('Another worker has taken over this synchronisation.'))
      }
      const beating = setInterval(() => {
        beat().catch((error: unknown) =>
          log.warn('the heartbeat of a beA sync was not stored', { error: String(error) }),
        )
      }, heartbeatMilliseconds)
      try {
        const before = counted.new_messages
        const result = await syncPostbox(account, AbortSignal.any([signal, lost.signal]), counted, order.done)
        clearInterval(beating)
        const rest = restOf(order, result, counted.new_messages > before)
        if (rest === undefined) await end(order, holder, result)
        else {
          await release(order, holder, counted)
          await send(rest)
        }
      } catch (error) {
        clearInterval(beating)
        if (lost.signal.aborted) return
        const failure = failureOf(error)
        log.warn('a beA sync failed', { account_id: account.id, code: failure?.code ?? String(error) })
        if (failure?.code.startsWith('BEA_')) {
          await fail(order, holder, counted, failure.message)
          return
        }
        await release(order, holder, counted)
        throw error
      } finally {
        clearInterval(beating)
      }
    },
  }
}

/**
 * The remaining work for another worker: the same folders if messages are left and this worker imported some, otherwise
 * the folders that nobody has read yet. So each worker makes progress.
 *
 * @returns undefined if nothing is left, or nothing that another worker could do now
 */
function restOf(
  order: SyncOrder,
  { isWhole, done }: Pick<SyncResult, 'isWhole' | 'done'>,
  hasImported: boolean,
): SyncOrder | undefined {
  if (!isWhole && hasImported) return order
  return done === null ? undefined : { ...order, done }
}
