import type { DeadlineCases } from '#deadlines/ports.ts'
import { readAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { caseEntity } from './case-entity.ts'

/** What the deadlines need to know about cases. */
export function caseTitles(db: Db): DeadlineCases {
  const cases = lazily(() => caseEntity(db))
  return {
    exists: async (workspaceId, id) => {
      const { data } = await cases.get({ workspace_id: workspaceId, id }).go(strongly)
      return data !== null && data.deleted_at === undefined
    },
    titles: async (workspaceId, ids) => {
      const items = await readAll(
        db,
        ids.map((id) => cases.get({ workspace_id: workspaceId, id })),
      )
      const titles = new Map<string, { name: string; file_number: string }>()
      for (const item of items) {
        const { data } = cases.parse({ Item: item })
        if (data !== null) titles.set(data.id, { name: data.name, file_number: data.file_number })
      }
      return titles
    },
  }
}
