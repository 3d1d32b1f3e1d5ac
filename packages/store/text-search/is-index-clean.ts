import type { Db } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import { searchIndexStore } from './search-index-store.ts'

/** The time that stands for erasures: their texts leave the files at once. */
const erasedSince = new Date(0).toISOString()

/**
 * Whether the files of the index of texts hold nothing of records that were erased: the worker has taken up their marks, and
 * removed the files with their texts.
 *
 * @param isNamed whether the place of a mark names one of them
 */
export async function isIndexClean(
  db: Db,
  workspaceId: string,
  isNamed: (place: string) => boolean,
): Promise<boolean> {
  for (const term of ['changed', 'new', 'waiting'])
    for await (const marks of itemsOf(db, `${workspaceId}#search_marks#${term}`, []))
      if (marks.some(({ sk }) => isNamed(sk))) return false
  const manifest = await searchIndexStore({ db }).manifest(workspaceId)
  if (manifest === undefined) return true
  const { deleted_since, garbage } = manifest
  return deleted_since !== erasedSince && garbage.every(({ since }) => since !== erasedSince)
}
