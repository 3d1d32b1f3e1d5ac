import type { HistoryEntry } from '#deadlines/history-schema.ts'
import type { JournalEntry } from '#deadlines/ports.ts'
import { dayAfter } from '#german-time/time-range.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { readEach } from '../batch.ts'
import { chainPage, positionOf } from '../chain-page.ts'
import type { Cursors } from '../cursor.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { type Action, put } from '../transact.ts'
import { historyEntry, journalEntry } from './history-entity.ts'

/** The history of each deadline, and the journal: the entries of all histories by day. */
export function histories(db: Db, cursors: Cursors) {
  const entries = historyEntry(db)
  const journal = journalEntry(db)

  return {
    /** Adds an entry to a deadline's history and to the journal. */
    add(workspace_id: string, deadline_id: string, entry: HistoryEntry): Action[] {
      const position = positionOf(entry.seq)
      const day = entry.at.slice(0, 10)
      const place = `${entry.at}#${deadline_id}#${position}`
      return [
        put(entries.create({ workspace_id, deadline_id, position, entry })),
        put(journal.create({ workspace_id, day, place, deadline_id, position })),
      ]
    },

    /** A page of a history, oldest first, with the entry before the page. */
    async page(
      workspaceId: string,
      id: string,
      request: PageRequest,
    ): Promise<Page<HistoryEntry> & { previous: HistoryEntry | undefined }> {
      return chainPage(cursors, [workspaceId, 'history', id], request, (position, limit) =>
        entries.query
          .oldest({ workspace_id: workspaceId, deadline_id: id })
          .gte({ position })
          .go({ limit, ...strongly }),
      )
    },

    /** Every entry of every history from one moment (included) to another (not), oldest first. */
    async between(workspaceId: string, from: string, until: string): Promise<JournalEntry[]> {
      const listed: { deadline_id: string; position: string }[] = []
      for (const day of daysOf(from, until)) {
        const { data } = await journal.query
          .oldest({ workspace_id: workspaceId, day })
          .between({ place: from }, { place: until })
          .go(allPages)
        listed.push(...data)
      }
      const items = await readEach(db, listed, ({ deadline_id, position }) =>
        entries.get({ workspace_id: workspaceId, deadline_id, position }),
      )
      const found = new Map<string, HistoryEntry>()
      for (const item of items) {
        const { data } = entries.parse({ Item: item })
        if (data !== null) found.set(`${data.deadline_id} ${data.position}`, data.entry)
      }
      return listed.flatMap(({ deadline_id, position }) => {
        const entry = found.get(`${deadline_id} ${position}`)
        return entry === undefined ? [] : [{ deadline_id, entry }]
      })
    },
  }
}

/** The UTC dates on which a moment of the range lies. */
function daysOf(from: string, until: string): string[] {
  const days: string[] = []
  for (let day = from.slice(0, 10); day < until; day = dayAfter(day)) days.push(day)
  return days
}
