import { sharedLink, sharedLinkOf } from '../correspondence/shared-link-entity.ts'
import { allPages, type Db } from '../db.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import type { ItemKey } from './case-noun.ts'

/** The links by which a mail or a document can be opened, and the notes of their openings in the last days. */
export async function sharedLinkKeys(db: Db, workspace_id: string, of_id: string): Promise<ItemKey[]> {
  const { data } = await sharedLinkOf(db).query.newest({ workspace_id, of_id }).go(allPages)
  return data.map(({ token_sha256 }) => keyIn(sharedLink(db).delete({ token_sha256 })))
}
