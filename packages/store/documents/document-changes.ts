import type { DocumentRecord } from '#documents/ports.ts'
import type { Triage } from '#triage/schema.ts'
import { type Consequences, changesOf } from '../changes.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { triages } from '../inbox/triages.ts'
import type { StoreDeps } from '../store-deps.ts'
import { searchMarks } from '../text-search/search-marks.ts'
import type { Action } from '../transact.ts'
import { documentEvents } from './document-events.ts'
import { arrivedDocument, documentList, storedDocuments } from './document-record.ts'
import { watchActions } from './document-watches.ts'

/** The parts of a change of a document besides its record. */
type Besides = {
  /** The new triage result; absent if it is unchanged. */
  triage?: Triage
  /** Its list entries are not written with it: a job writes them (`document-actions.ts`). */
  isListedLater?: boolean
  also?: Action[]
}

/**
 * Writes changes of documents: the record, its entries in the list and in the inbox, its watches, its
 * triage result, its mark for the search index and its event.
 *
 * @param documents the documents that may be changed
 * @param more what else follows from a change; `before` is undefined of a new document, `after` of a deleted one
 */
export function documentChanges(
  deps: StoreDeps,
  documents = storedDocuments(deps.db),
  more: (
    before: DocumentRecord | undefined,
    after: DocumentRecord | undefined,
  ) => Consequences | Promise<Consequences> = () => ({ actions: [] }),
) {
  const list = documentList(deps.db, deps.cursors)
  const watches = watchActions(deps.db)
  const arrivals = arrivalActions(deps)
  const judged = triages(deps.db)
  const marks = searchMarks(deps.db)

  const replace = (before: DocumentRecord, after: DocumentRecord): Action =>
    documents.replace(before, leavingCase(after, before))

  return changesOf<DocumentRecord, Besides>(
    deps,
    { ...documents, replace },
    {
      events: documentEvents,
      isStamped: true,
      follow: async (before, after, { triage, isListedLater = false, also = [] }) => {
        const [was, is] = [before && arrivedDocument(before), after && arrivedDocument(after)]
        const others = await more(before, after)
        const marked = marks.ofDocument(before, after)
        return {
          actions: [
            ...(isListedLater ? [] : list.changes(before, after)),
            ...watches.changes(before, after),
            ...(isListedLater ? arrivals.watchChanges(was, is) : arrivals.changes(was, is)),
            ...(triage && after ? [judged.write(after, triage)] : []),
            ...marked.actions,
            ...others.actions,
            ...also,
          ],
          jobs: [
            ...(isListedLater ? [] : list.follow(before, after)),
            ...marked.jobs,
            ...(others.jobs ?? []),
          ],
        }
      },
    },
  )
}

/** Notes when a document leaves its case: links to it from before open nothing any more, also when it is back. */
function leavingCase(after: DocumentRecord, { case_id }: DocumentRecord): DocumentRecord {
  if (case_id === null || case_id === after.case_id) return after
  return { ...after, left_case_at: after.changed_at }
}
