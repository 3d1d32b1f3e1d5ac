import type { CaseRecord } from '#cases/ports.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { closedCases } from '../cases/closed-cases.ts'
import { timelineEntry } from '../cases/timeline-entity.ts'
import { type Db, strongly } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { filedIn, itemsIn, type Upgrade } from './upgrade.ts'

/** Entries of a timeline that are read at once. */
const entriesAtOnce = 100

/**
 * Notes in every closed case when it was closed (R1), and files it among the closed cases. Earlier releases recorded the
 * moment only in the timeline of the case.
 */
export const closingTimes: Upgrade = {
  layout: 11,
  name: 'closing-times',
  says: 'notes when closed cases were closed, from their timelines, so that it is known how long they are kept',
  sources: (db: Db) => {
    const closed = closedCases(db)
    const closingOf = closingTime(db)
    return [
      filedIn('cases', caseEntity(db), async (record) => {
        const { workspace_id, id, status, closed_at, version } = record as StoredItem & CaseRecord
        if (status === 'active') return []
        // An older release that ran beside this one may have reopened and closed the case, and kept `closed_at`.
        const at = (await closingOf(workspace_id, id, status)) ?? closed_at ?? null
        if (at === null) return []
        const items = itemsIn(closed.changes(undefined, { workspace_id, id, status, closed_at: at }))
        // A change that was decided before this one must not remove the time: it fails on the version.
        return closed_at === at ? items : [{ ...record, closed_at: at, version: version + 1 }, ...items]
      }),
    ]
  },
}

/**
 * When a case came to its present status through `closed`, from its timeline; null if it was archived without ever being
 * closed. Of several closings the first after the last reopening counts.
 */
function closingTime(db: Db) {
  const timeline = timelineEntry(db)
  return async (workspace_id: string, case_id: string, now: string): Promise<string | null> => {
    let status = now
    let closedAt: string | null = null
    let cursor: string | null = null
    do {
      const page: { data: { type: string; summary: string; occurred_at: string }[]; cursor: string | null } =
        await timeline.query
          .newest({ workspace_id, case_id })
          .go({ ...strongly, order: 'desc', limit: entriesAtOnce, cursor })
      for (const { type, summary, occurred_at } of page.data) {
        const before = type === 'case.updated' ? statusBefore(summary, status) : undefined
        if (before === undefined) continue
        if (status === 'closed') closedAt = occurred_at
        if (before === 'active') return closedAt
        status = before
      }
      cursor = page.cursor
    } while (cursor !== null)
    return closedAt
  }
}

/**
 * The status before a change that led to this status, from the summary of the change: `Akte geändert: Name A → B, Status
 * active → closed, Art …`. Names are free text, and one could be written like that. Such a name can only make the time
 * later, so the case is kept longer.
 */
function statusBefore(summary: string, status: string): string | undefined {
  const places = summary.matchAll(
    /(?:^Akte geändert: |, )Status (active|closed|archived) → (active|closed|archived)(?=$|, (?:Art |Beschreibung|Dezernat ))/g,
  )
  const fitting = [...places].filter(([, before, after]) => after === status && before !== after)
  return fitting.at(-1)?.[1]
}
