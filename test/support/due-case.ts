import { caseRecords } from '#store/cases/case-records.ts'
import { closedCases } from '#store/cases/closed-cases.ts'
import type { Db } from '#store/db.ts'
import { transact } from '#store/transact.ts'
import type { Firm } from './firm.ts'
import { sharedTable } from './table.ts'

/** The moment at which the cases of these tests were closed: their time is over. */
export const closedLongAgo = '2019-03-01T09:00:00.000Z'

/** Closes a case as if it had been closed years ago. */
export async function closeLongAgo(
  { owner, workspace }: Pick<Firm, 'owner'> & { workspace: { id: string } },
  id: string,
  closed_at = closedLongAgo,
  db?: Db,
): Promise<void> {
  await owner('PUT', `/api/v1/cases/${id}`, { body: { status: 'closed' } })
  const table = db ?? (await sharedTable())
  const cases = caseRecords(table)
  const before = await cases.found(workspace.id, id)
  const after = { ...before, closed_at, version: before.version + 1 }
  await transact(table, [cases.replace(before, after), ...closedCases(table).changes(before, after)])
}

/** A case of the firm whose time of retention is over. */
export async function makeDueCase(firm: Firm, name = 'Meier ./. Schulze'): Promise<string> {
  const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name } })).body
  await closeLongAgo(firm, id)
  return id
}
