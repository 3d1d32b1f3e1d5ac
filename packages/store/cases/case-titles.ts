import type { DeadlineCases } from '#deadlines/ports.ts'
import { getsById, readAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { caseEntity } from './case-entity.ts'

/** The facts about cases that deadlines and the calendar show. */
export function caseTitles(db: Db): DeadlineCases {
  const cases = caseEntity(db)
  return {
    exists: async (workspaceId, id) => {
      const { data } = await cases.get({ workspace_id: workspaceId, id }).go(strongly)
      return data !== null && data.deleted_at === undefined
    },
    titles: async (workspaceId, ids) => {
      const gets = getsById(ids, (id) => cases.get({ workspace_id: workspaceId, id }))
      const items = await readAll(db, gets, ['id', 'name', 'file_number'])
      const titles = items as { id: string; name: string; file_number: string }[]
      return new Map(titles.map(({ id, name, file_number }) => [id, { name, file_number }]))
    },
  }
}
