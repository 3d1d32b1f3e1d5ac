import type { ExportConfigRecord } from '#exports/config-ports.ts'
import { selectionDigest } from '#exports/selection-schema.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { eraseKeys } from '../batch.ts'
import { allPages, type Db } from '../db.ts'
import { exportConfigEntity } from '../exports/export-config-entity.ts'
import { itemsOf } from '../pages-of.ts'
import type { EraseObjects } from './record-removal.ts'

/** A worker has this long for a run at most. One that began earlier has died. */
const longestRunMilliseconds = 20 * 60_000

/** The source and the filters of an export. */
export type ExportSelection = Pick<ExportConfigRecord, 'source' | 'filters'>

/**
 * Removes the stored files of exports that may hold what is gone. An export holds any rows, in formats that are not searched:
 * each stored run goes, and its schedule makes the next. Call it when what they held is gone from the lists: what is
 * stored after that does not hold it.
 *
 * @param which.mayHold whether an export of this selection may hold it. A run of an earlier selection goes in any case.
 * @param which.since when it was gone: runs that began later stay
 * @returns false if a run that may hold it has not ended, or the time was over before: call again later
 */
export async function removeExports(
  { db, eraseObjects }: { db: Db; eraseObjects: EraseObjects },
  workspace_id: string,
  { mayHold, since }: { mayHold: (selection: ExportSelection) => boolean; since: string },
  isOver: () => boolean,
): Promise<boolean> {
  const aliveSince = new Date(epochMilliseconds() - longestRunMilliseconds).toISOString()
  let haveEnded = true
  const { data: configs } = await exportConfigEntity(db).query.newest({ workspace_id }).go(allPages)
  for (const config of configs) {
    if (isOver()) return false
    const { id, source, filters, columns = null } = config
    const folder = `exports/${workspace_id}/${id}/`
    let isQuiet = true
    const unaffected = mayHold({ source, filters })
      ? undefined
      : selectionDigest({ source, filters, columns })
    const partition = `${workspace_id}#export_runs#${id}`
    const fields = ['status', 'started_at', 'attempt_started_at', 'selection_sha256']
    for await (const runs of itemsOf(db, partition, fields)) {
      const isRunning = ({ status, attempt_started_at }: (typeof runs)[number]) =>
        status === 'running' && String(attempt_started_at) >= aliveSince
      const affected = runs.filter(
        ({ selection_sha256, started_at }) =>
          String(started_at) < since && (unaffected === undefined || selection_sha256 !== unaffected),
      )
      // Its worker would remove the file without its versions.
      if (affected.some(isRunning)) isQuiet = false
      const ended = affected.filter((run) => !isRunning(run))
      for (const { sk } of ended) await eraseObjects(`${folder}${sk}/`)
      await eraseKeys(db, ended)
    }
    // Earlier versions of files whose runs were removed before.
    if (unaffected === undefined && isQuiet)
      await eraseObjects(folder, async () => {
        const kept: string[] = []
        for await (const runs of itemsOf(db, partition, [])) kept.push(...runs.map(({ sk }) => sk))
        return (key) => !kept.some((run) => key.startsWith(`${folder}${run}/`))
      })
    haveEnded &&= isQuiet
  }
  return haveEnded
}
