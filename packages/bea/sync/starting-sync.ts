import type { SendMessage } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { BeaRunningSync } from '../messages/message-schema.ts'
import type { BeaAccess, BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import { requireRight } from '../rights/require-right.ts'
import type { SyncOrder } from './sync-queue.ts'
import { isRunning, requestedSync, type StoredSync } from './sync-state.ts'

/** Starts synchronisations, for users and for the schedule. */
export function syncStarting(deps: {
  accounts: Pick<BeaAccountStore, 'find' | 'change'>
  access: BeaAccess
  /** @throws Failure BEA_NOT_AUTHENTICATED without a session */
  requireSession: (account: BeaAccountRecord) => Promise<void>
  send: SendMessage<SyncOrder>
  clock: Clock
}) {
  const { accounts, access, requireSession, send, clock } = deps

  /** Starts a synchronisation unless one is running. */
  const begin = async ({ workspace_id, id }: Pick<BeaAccountRecord, 'workspace_id' | 'id'>) => {
    let begun: StoredSync | undefined
    const account = await accounts.change(workspace_id, id, (current) => {
      begun = undefined
      if (isRunning(current.last_sync, clock.now())) return undefined
      begun = requestedSync(current.last_sync, timestamp(clock))
      return { ...current, last_sync: begun }
    })
    const started_at = account.last_sync?.started_at ?? ''
    if (begun !== undefined) await send({ workspace_id, account_id: id, started_at })
    const sync: BeaRunningSync = { account_id: id, status: 'running', started_at }
    return { sync, isNew: begun !== undefined }
  }

  return {
    begin,

    /**
     * Starts a synchronisation for a user. If one is running, it is returned instead (B5).
     *
     * @throws Failure BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, BEA_NOT_AUTHENTICATED
     */
    async start(actor: Actor, accountId: string): Promise<BeaRunningSync> {
      const account = await requireAccount(accounts, actor, accountId)
      await requireRight(access, actor, account, 'see')
      await requireSession(account)
      return (await begin(account)).sync
    },
  }
}

export type SyncStarting = ReturnType<typeof syncStarting>
