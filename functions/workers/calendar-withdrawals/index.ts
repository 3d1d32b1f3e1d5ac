import type { Context } from 'aws-lambda'
import { runWithdrawals } from '#calendar/withdrawals.ts'
import { foundation } from '#foundation/foundation.ts'
import { stageSecrets } from '#secrets/stage-secrets.ts'
import { dueWithdrawals } from '#store/calendar/push-store.ts'
import { syncAccountStore } from '#store/calendar/sync-account-store.ts'
import { caldavCalendar } from '#sync/caldav.ts'

const base = foundation('calendar-withdrawals')
const deps = {
  withdrawals: dueWithdrawals(base.db),
  accounts: syncAccountStore(base.db),
  remote: caldavCalendar({ allowPrivate: process.env.SYNC_ALLOW_PRIVATE_NETWORKS === 'true' }),
  secrets: stageSecrets(),
  log: base.log,
}

/** The time that the function has left when its last removal starts: a server may take 15 seconds. */
const reserveMilliseconds = 20_000

/**
 * Removes deleted events from the calendars to which they were pushed. @throws if anything except a calendar server
 * failed
 */
export async function handler(
  _event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  const milliseconds = context.getRemainingTimeInMillis() - reserveMilliseconds
  const result = await runWithdrawals(deps, base.clock.now(), { milliseconds })
  if (result.removed + result.postponed + result.dropped > 0)
    base.log.info('events removed from external calendars', { ...result })
  if (result.failed > 0) throw new Error(`Removing events failed for ${result.failed} accounts or shards`)
}
