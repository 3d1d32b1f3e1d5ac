import { allPages, type Db } from '../db.ts'
import { userEntity } from './user-entity.ts'

/** The ids of the users that a firm has, or once had, each with whether the user is active. */
export async function userIds(db: Db, workspace_id: string): Promise<{ id: string; active: boolean }[]> {
  const { data } = await userEntity(db).query.newest({ workspace_id }).go(allPages)
  return data.map(({ id, active }) => ({ id, active }))
}
