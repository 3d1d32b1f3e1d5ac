import type { CaseRecord } from '#cases/ports.ts'
import type { DisposedCasesStore } from '#retention/ports.ts'
import { maxCountedTypes } from '#retention/schema.ts'
import { type CaseListDeps, caseList } from '../cases/case-store.ts'
import { allPages, type Db } from '../db.ts'
import { type Action, change } from '../transact.ts'
import { disposedCasesEntity } from './disposed-cases-entity.ts'

/** Other cases with a type without which it may be a name. */
const minOtherCases = 2

/** The counts of the cases that a firm has disposed of. */
export function disposedCases({ db }: { db: Db }): DisposedCasesStore {
  const items = disposedCasesEntity(db)
  return {
    all: async (workspace_id) => {
      const { data } = await items.query.byYear({ workspace_id }).go(allPages)
      return data.map(({ year, type, cases }) => ({ year: Number(year), type: type || null, cases }))
    },
  }
}

/**
 * Counts cases that are disposed of. A type is free text and may be a name, so it is counted only if two other cases of the firm
 * have it, or if it was counted before.
 */
export function disposedCasesCount(deps: CaseListDeps) {
  const items = disposedCasesEntity(deps.db)
  const counted = disposedCases(deps)
  const list = caseList(deps)

  const countedType = async ({
    workspace_id,
    type,
  }: Pick<CaseRecord, 'workspace_id' | 'type'>): Promise<string> => {
    if (type === null) return ''
    const known = new Set((await counted.all(workspace_id)).map((one) => one.type))
    if (known.has(type)) return type
    if (known.size >= maxCountedTypes) return ''
    const { items: others } = await list.newest(workspace_id, { type }, minOtherCases)
    return others.length < minOtherCases ? '' : type
  }

  return {
    /** The action that counts a case, for the transaction in which its record goes. No list has the case any more. */
    count: async (record: Pick<CaseRecord, 'workspace_id' | 'type'>, year: string): Promise<Action> => {
      const key = { workspace_id: record.workspace_id, year, type: await countedType(record) }
      return change(items.upsert(key).add({ cases: 1 }))
    },
  }
}
