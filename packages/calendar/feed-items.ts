import { withOffset } from '#german-time/local-time.ts'
import { notFound } from '#kernel/failure.ts'
import type {
  CalendarCases,
  CalendarDeadline,
  CalendarItem,
  CalendarWorkspaces,
  CaseTitle,
  EventRecord,
} from './ports.ts'

/** An event or a deadline as calendar programs show it (K10). */
export type FeedItem =
  | { kind: 'event'; record: EventRecord }
  | {
      kind: 'deadline'
      record: CalendarDeadline
      case: CaseTitle | undefined
      /** The local date at whose end the deadline is due; null if it is due at a time of day. */
      due_day: string | null
    }

/**
 * Adds to each deadline the file number and name of its case, and its `due_day`. A deadline that was entered as a date
 * is due at 23:59:59 of that day in the workspace's time zone (F1), and is shown as an all-day entry.
 *
 * @throws Failure WORKSPACE_NOT_FOUND
 */
export async function feedItems(
  { cases, workspaces }: { cases: CalendarCases; workspaces: CalendarWorkspaces },
  workspaceId: string,
  items: CalendarItem[],
): Promise<FeedItem[]> {
  const caseIds = new Set(items.flatMap((item) => (item.kind === 'deadline' ? [item.record.case_id] : [])))
  if (caseIds.size === 0) return items.filter((item) => item.kind === 'event')
  const [workspace, titles] = await Promise.all([
    workspaces.find(workspaceId),
    cases.titles(workspaceId, [...caseIds]),
  ])
  if (workspace === undefined) throw notFound('WORKSPACE_NOT_FOUND')
  return items.map((item) => {
    if (item.kind === 'event') return item
    const { record } = item
    const [date = '', time = ''] = withOffset(new Date(record.due_at), workspace.time_zone).split('T')
    const due_day = time.startsWith('23:59:59') ? date : null
    return { kind: 'deadline', record, case: titles.get(record.case_id), due_day }
  })
}
