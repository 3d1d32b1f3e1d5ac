import { beaAccess } from '#bea/rights/access.ts'
import { sessionStates } from '#bea/sessions/session-states.ts'
import type { Clock } from '#kernel/clock.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaPermissionStore } from '#store/bea/bea-permission-store.ts'
import { beaSessionStore } from '#store/bea/bea-session-store.ts'
import type { Db } from '#store/db.ts'

/**
 * The accounts of beA, the rights of users to them, and whether they have sessions: for functions that read stored
 * data. It opens no secrets.
 */
export function beaAccounts({ db, clock }: { db: Db; clock: Clock }) {
  const permissions = beaPermissionStore(db)
  const accounts = beaAccountStore(db)
  return {
    accounts,
    permissions,
    access: beaAccess({ permissions, clock }),
    states: sessionStates({ accounts, sessions: beaSessionStore(db), clock }),
  }
}
