import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { BeaAccountStore } from '../ports.ts'
import { lateLogLine } from './log-lines.ts'
import type { DueSync, ScheduledSyncs } from './schedule-ports.ts'
import type { SyncStarting } from './starting-sync.ts'

/** The interval of synchronisations for an account with a stored key (B5). */
const everyMilliseconds = 15 * 60_000

/** The number of synchronisations that are started concurrently. */
const atOnce = 16

/** If no synchronisation has read all folders for this time, unread messages may be waiting. */
const lateMilliseconds = 24 * 60 * 60_000

/**
 * Starts the synchronisations that are due at `now` (`sweeping`), and schedules the next one of each account. If an
 * account was not synchronised for a day, a log line raises an alarm. Logged-out accounts, and Kanzlei postboxes whose
 * login is a card, are skipped and raise no alarm.
 *
 * The account that has waited longest comes first. So if this sweep runs out of time, the next one continues there.
 */
export async function runDueSyncs(
  deps: {
    accounts: Pick<BeaAccountStore, 'find'>
    scheduled: ScheduledSyncs
    begin: SyncStarting['begin']
    log: SweepLog
  },
  now: Date,
  { milliseconds }: { milliseconds: number },
): Promise<{ begun: number; failed: number }> {
  const { accounts, scheduled, begin, log } = deps
  const sweep = sweeping({ name: 'beA syncs', milliseconds, log })
  let begun = 0

  const visit = async (due: DueSync): Promise<void> => {
    const account = await accounts.find(due.workspace_id, due.account_id)
    if (account === undefined) return scheduled.forget(due)
    const next = new Date(now.getTime() + everyMilliseconds).toISOString()
    if (!(await scheduled.advance(due, next))) return
    const { login_account_id } = account
    const login =
      login_account_id === null ? account : await accounts.find(due.workspace_id, login_account_id)
    // A logout lasts until somebody logs in. The session of a card would never end if the schedule used it.
    if (login?.logged_out || login?.kind === 'card') return
    const last = account.last_sync?.succeeded_at ?? account.created_at
    if (now.getTime() - Date.parse(last) > lateMilliseconds)
      log.error(lateLogLine, { workspace_id: account.workspace_id, account_id: account.id, last })
    if ((await begin(account)).isNew) begun += 1
  }

  const waiting: DueSync[] = []
  await sweep.eachDue(scheduled, now, async (due) => {
    waiting.push(due)
  })
  const longestFirst = waiting.toSorted((one, other) => one.due_at.localeCompare(other.due_at))
  await sweep.each(longestFirst, visit, atOnce)
  return { begun, failed: sweep.failed() }
}
