import { beaAccess } from '#bea/access.ts'
import type { Clock } from '#kernel/clock.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaPermissionStore } from '#store/bea/bea-permission-store.ts'
import type { Db } from '#store/db.ts'

/** The accounts of beA, and what users may do with them: for functions that read what is stored. It opens no secrets. */
export function beaAccounts({ db, clock }: { db: Db; clock: Clock }) {
  const permissions = beaPermissionStore(db)
  return { accounts: beaAccountStore(db), permissions, access: beaAccess({ permissions, clock }) }
}
