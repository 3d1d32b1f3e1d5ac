import { epochMilliseconds } from '#kernel/clock.ts'
import type { AccessReportKey } from '#parties/access-ports.ts'
import { eraseEach, readEach } from '../batch.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { accessReport, listedReport } from '../parties/access-report-entity.ts'
import { unendedReports } from '../parties/access-report-store.ts'
import type { EraseObjects } from './record-removal.ts'

/**
 * Removes all reports on parties of a firm (R6) with their files. A report may quote any record that names its party. So
 * call it when what they may quote is gone: a report that is made after that does not quote it.
 *
 * @param since when it was gone: reports that were requested later stay
 * @returns false if a worker may be making an earlier one, which it then gives up: call again later
 */
export async function removeReports(
  { db, eraseObjects }: { db: Db; eraseObjects: EraseObjects },
  workspace_id: string,
  since: string,
): Promise<boolean> {
  const [reports, listed, unended] = [accessReport(db), listedReport(db), unendedReports(db)]
  const listedNow = async (): Promise<AccessReportKey[]> =>
    (await listed.query.all({ workspace_id }).go(allPages)).data
  const all = await listedNow()
  const found = await readEach(db, all, (key) => reports.get(key))
  const later = new Set(
    found.filter(({ created_at }) => String(created_at) >= since).map(({ sk }) => String(sk)),
  )
  const gone = all.filter(({ id }) => !later.has(id))
  await eraseEach(db, gone, (key) => reports.delete(key))
  await eraseEach(db, gone, (key) => listed.delete(key))
  const now = new Date(epochMilliseconds())
  for (const shard of unended.shards)
    for await (const { report_id, ...one } of unended.due(shard, now))
      if (one.workspace_id === workspace_id && !later.has(report_id)) {
        const { data } = await reports.get({ ...one, id: report_id }).go(strongly)
        if (data === null || data.created_at < since) return false
      }
  const folder = `reports/${workspace_id}/`
  await eraseObjects(folder, async () => {
    const kept = new Set((await listedNow()).map(({ party_id, id }) => `${folder}${party_id}/${id}`))
    return (key) => !kept.has(key)
  })
  return true
}
