import { wakeIndex } from '#text-search/wake-schema.ts'
import { eraseKeys, type ItemKey } from '../batch.ts'
import type { Db } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import { isIndexClean } from '../text-search/is-index-clean.ts'
import { type Action, change, isMade, transact } from '../transact.ts'
import { forgetEvents } from '../webhooks/forget-events.ts'
import { forgetAnswers, namesOf, withoutNames } from './forget-answers.ts'
import { forgetJobs, type JobsToForget } from './forget-jobs.ts'
import { changePartitions, isGoneChange } from './gone-changes.ts'
import type { EraseObjects, NamedRecord } from './record-removal.ts'
import { type ExportSelection, removeExports } from './remove-exports.ts'
import { removeReports } from './remove-reports.ts'

/**
 * Removes what the lists of the whole firm say of removed records. The log of changes then says no more than that they are
 * gone. The log of events, kept answers of repeated requests and jobs lose them. All reports on parties go, and the stored
 * files of exports in which they may stand. It may run again and again.
 *
 * @param since when the records were gone: reports and runs that were begun later stay
 * @returns false if the time was over before, a report, or an export that may hold them, is being made, or the index of texts
 *   still holds them: call again later
 */
export async function forgetIds(
  deps: JobsToForget & { eraseObjects: EraseObjects },
  workspaceId: string,
  records: readonly NamedRecord[],
  since: string,
  isOver: () => boolean,
): Promise<boolean> {
  if (records.length === 0) return true
  const { db, runJob } = deps
  const isNamed = namesOf(records.map(({ id }) => id))
  const isGone = (place: string, data: string) => isNamed(`${place} ${data}`) && !mayStay(data)
  for (const partition of changePartitions)
    for await (const items of itemsOf(db, `${workspaceId}#${partition}`, ['data'])) {
      if (isOver()) return false
      const named = items.filter(({ sk, data }) => isGone(sk, String(data)))
      const { gone = [], kept = [] } = Object.groupBy(named, ({ sk }) => (isNamed(sk) ? 'gone' : 'kept'))
      await eraseKeys(db, gone)
      // Records that were moved out of the case remain, and so do their changes (G16).
      for (const { pk, sk, data } of kept) {
        if (isOver()) return false
        await isMade(transact(db, [setData(db, { pk, sk }, withoutNames(String(data), isNamed))]))
      }
    }
  if (!(await forgetEvents(db, workspaceId, isGone, isOver))) return false
  if (!(await forgetAnswers(db, workspaceId, isNamed, isOver))) return false
  if (!(await isIndexClean(db, workspaceId, isNamed))) {
    // The message that followed the marks may be lost.
    await runJob(wakeIndex.of({ workspace_id: workspaceId }))
    return false
  }
  const hasReports = !(await removeReports(deps, workspaceId, since))
  const hasExports = !(await removeExports(deps, workspaceId, { mayHold: mayHold(records), since }, isOver))
  if (hasReports || hasExports) return false
  await forgetJobs(deps, workspaceId, isNamed)
  return true
}

/**
 * Whether an export may hold one of these records. Parties stay; an export of other cases holds none of them. If no case
 * is among them, they are invoices that were kept longer than their cases.
 */
function mayHold(records: readonly NamedRecord[]): (selection: ExportSelection) => boolean {
  const cases = new Set(records.filter(({ kind }) => kind === 'case').map(({ id }) => id))
  if (cases.size === 0) return ({ source }) => source === 'invoices'
  return ({ source, filters }) =>
    source !== 'parties' && (filters.case_id === undefined || cases.has(filters.case_id))
}

/** Whether an event may stay, because it informs other systems that a record, or the case, is gone. */
function mayStay(data: string): boolean {
  return isGoneChange(data) || data.includes('"case.deleted"')
}

/** Replaces the data of an entry, unless another removal has erased the entry meanwhile. */
function setData({ table }: Db, Key: ItemKey, data: string): Action {
  const update = {
    TableName: table,
    Key,
    UpdateExpression: 'SET #data = :data',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#data': 'data' },
    ExpressionAttributeValues: { ':data': data },
  }
  return change({ params: () => update })
}
