import { nextAttemptAt } from '#jobs/back-off.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { Failure, failureOf } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { SecretBox } from '#kernel/secret-box.ts'
import type { RemoteCalendar, RemoteLogin, SyncAccountStore, Withdrawal, Withdrawals } from './ports.ts'
import { objectNameOf, syncSecretContext } from './sync.ts'

/** For how long a removal is retried if the calendar server is down or refuses it. */
const maxDays = 30

/** Accounts handled at the same time. A request to a slow server takes up to 15 seconds. */
const accountsAtOnce = 10

/** The counts of a run. */
type WithdrawalResult = {
  /** Events and deadlines that are now gone from a calendar. */
  removed: number
  /** Removals that failed and will be retried. */
  postponed: number
  /** Removals that were given up after 30 days, or because the account is disconnected. */
  dropped: number
  /**
   * Shards that could not be read, and accounts that failed for a reason other than their calendar server. Removals from
   * such an account are postponed, too.
   */
  failed: number
}

/**
 * Removes deleted events and struck deadlines from the calendars that they were pushed to (K11). If a server fails, the
 * removals from that calendar are retried for 30 days: after one minute at first, later about every hour. Events that
 * were pushed to a disconnected account stay there.
 *
 * @param milliseconds the time after which nothing more is begun
 */
export async function runWithdrawals(
  deps: {
    withdrawals: Withdrawals
    accounts: Pick<SyncAccountStore, 'list' | 'note'>
    remote: Pick<RemoteCalendar, 'remove'>
    secrets: SecretBox
    log: SweepLog
  },
  now: Date,
  { milliseconds }: { milliseconds: number },
): Promise<WithdrawalResult> {
  const { withdrawals, accounts, remote, secrets, log } = deps
  const sweep = sweeping({ name: 'withdrawals', milliseconds, log })
  const result: WithdrawalResult = { removed: 0, postponed: 0, dropped: 0, failed: 0 }

  const postpone = async (withdrawal: Withdrawal): Promise<void> => {
    const isOver = now.getTime() - Date.parse(withdrawal.requested_at) > maxDays * 86_400_000
    const { workspace_id, event_id, account_id, attempts } = withdrawal
    if (isOver) {
      log.error('a deleted event stays in an external calendar', { workspace_id, event_id, account_id })
      await withdrawals.finish(withdrawal)
      result.dropped += 1
      return
    }
    await withdrawals.postpone(withdrawal, nextAttemptAt(now, attempts + 1).toISOString())
    result.postponed += 1
  }

  /** Removes the events of one account, one after the other, up to the first failure. */
  const handleAccount = async (withdrawn: AccountWithdrawals): Promise<void> => {
    const { workspace_id, user_id, account_id, ofAccount } = withdrawn
    const account = (await accounts.list(workspace_id, user_id)).find(({ id }) => id === account_id)
    const left = [...ofAccount]
    try {
      const login: RemoteLogin | undefined =
        account && JSON.parse(await secrets.open(account.sealed_credentials, syncSecretContext(account)))
      for (const withdrawal of ofAccount) {
        if (sweep.isOver()) return
        if (account && login)
          await remote.remove(account.calendar_url, login, objectNameOf(withdrawal.event_id))
        await withdrawals.finish(withdrawal)
        left.shift()
        result[account ? 'removed' : 'dropped'] += 1
      }
      if (account?.status === 'error')
        await accounts.note(account, {
          outcome: { status: 'connected', last_synced_at: now.toISOString(), last_error: null },
          answer: undefined,
        })
    } catch (error) {
      await inParallel(left, postpone)
      const failure = failureOf(error)
      if (!(failure instanceof Failure) || failure.kind === 'unavailable') throw error
      const { last_synced_at = null } = account ?? {}
      if (account)
        await accounts.note(account, {
          outcome: { status: 'error', last_synced_at, last_error: failure.message },
          answer: undefined,
        })
    }
  }

  const due: Withdrawal[] = []
  await sweep.eachDue(withdrawals, now, async (withdrawal) => {
    due.push(withdrawal)
  })
  const byAccount = Map.groupBy(due, ({ account_id }) => account_id)
  const perAccount = [...byAccount.values()].flatMap((ofAccount) => {
    const [first] = ofAccount
    return first === undefined ? [] : [{ ...first, ofAccount }]
  })
  await sweep.each(perAccount, handleAccount, accountsAtOnce)
  return { ...result, failed: sweep.failed() }
}

type AccountWithdrawals = Pick<Withdrawal, 'workspace_id' | 'user_id' | 'account_id'> & {
  ofAccount: Withdrawal[]
}
