import type { BeaAccountRecord } from '#bea/ports.ts'
import type { BeaSimulator } from '#bea-simulator/simulator.ts'
import type { Clock } from '#kernel/clock.ts'
import { connectSimulated } from './bea-network-firm.ts'
import type { Firm } from './firm.ts'

/** Connects a simulator's postbox with a firm, with key and session, and makes this process use that simulator. */
export async function connectPostbox(
  simulator: BeaSimulator,
  firm: Pick<Firm, 'workspace' | 'ownerUser'>,
  clock?: Clock,
): Promise<BeaAccountRecord> {
  const { network, account } = await connectSimulated(firm, simulator, 'lindner', clock)
  await network.sessions.logIn(account, AbortSignal.timeout(30_000))
  return account
}
