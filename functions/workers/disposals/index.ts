import type { Context } from 'aws-lambda'
import { announcingFoundation } from '#foundation/announcing.ts'
import { disposalFoundation } from '#foundation/disposals.ts'
import { erasureFoundation } from '#foundation/party-erasure.ts'
import { runErasures } from '#parties/erasure-run.ts'
import { runDisposals } from '#retention/disposing.ts'

const base = announcingFoundation('disposals')
const deps = disposalFoundation(base)
const erasures = erasureFoundation(base)

/** The time that the function has left when its last step begins. */
const reserveMilliseconds = 20_000

/**
 * Runs approved disposals of cases (R3) and erasures of parties (R5) concurrently: neither waits for the other.
 *
 * @throws if one failed, so that an alarm goes off
 */
export async function handler(
  _event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  const milliseconds = context.getRemainingTimeInMillis() - reserveMilliseconds
  const now = base.clock.now()
  const [disposed, erased] = await Promise.all([
    runDisposals(deps, now, { milliseconds }),
    runErasures(erasures, now, { milliseconds }),
  ])
  if (disposed.done > 0) base.log.info('disposals done', { done: disposed.done })
  if (erased.done > 0) base.log.info('erasures done', { done: erased.done })
  const failed = disposed.failed + erased.failed
  if (failed > 0) throw new Error(`${failed} disposals, erasures or shards failed`)
}
