import { allPages, type Db } from '../db.ts'
import { beaAccountEntity } from './bea-account-entity.ts'

/** The ids of the accounts that a firm has, or once had. */
export async function beaAccountIds(db: Db, workspace_id: string): Promise<string[]> {
  const query = beaAccountEntity(db).query.oldest({ workspace_id })
  const { data } = await query.go(allPages)
  return data.map(({ id }) => id)
}
