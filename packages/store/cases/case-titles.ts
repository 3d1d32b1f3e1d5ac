import type { DeadlineCases } from '#deadlines/ports.ts'
import { fieldsById } from '../batch.ts'
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
    titles: (workspaceId, ids) => fieldsById(db, cases, workspaceId, ids, ['name', 'file_number']),
  }
}
