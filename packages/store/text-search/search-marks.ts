import type { BeaMessageRecord } from '#bea/ports.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { JobHandler } from '#jobs/job.ts'
import { uuidv7 } from '#kernel/id.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import { wakeIndex } from '#text-search/wake-schema.ts'
import type { Consequences } from '../changes.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { type Entry, type Order, sortedList } from '../sorted-list.ts'

/**
 * The terms of the list of marks. `changed`: the index may hold the record in an older form, so readers look at it
 * themselves. `new`: the index does not hold it. `waiting`: it could not be indexed, or not whole, and is retried at
 * the time with which its place begins.
 */
export type MarkTerm = 'changed' | 'new' | 'waiting'

/**
 * `erase`: what the index holds of it leaves the files at once, not within a day. `upgrade`: the record was there before
 * the index. `attempts`, `reason`: of one that waits.
 */
export type MarkData = { erase?: true; upgrade?: true; attempts?: number; reason?: string }

/** The records of a firm whose entries in its index are to be made, made anew, or removed. Oldest mark first, if not said otherwise. */
export function markList(db: Db, order: Order = 'ascending') {
  return sortedList<MarkData>(db, 'search_marks', order)
}

const timeSpace = ' '

/** The mark of a record: its place begins with a UUID of the time of the change. */
export function markOf(term: MarkTerm, id: string, data: MarkData = {}, uuid = uuidv7()): Entry<MarkData> {
  return { term, place: `${uuid}${timeSpace}${id}`, data }
}

/** A mark as the table holds it, for the upgrade that marks what was there before the index. */
export function markItem(workspaceId: string, { term, place, data }: Entry<MarkData>) {
  return { pk: `${workspaceId}#search_marks#${term}`, sk: place, data: JSON.stringify(data) }
}

/**
 * The actions and jobs of a change that the index must follow. A mark is written in the transaction of its change. The
 * worker removes it once a segment with the record is in the manifest. So nothing is missed, whatever process dies.
 */
export function searchMarks(db: Db) {
  const list = markList(db)

  const mark = (workspaceId: string, ...marks: Entry<MarkData>[]): Required<Consequences> => ({
    actions: list.changes(workspaceId, [], marks),
    jobs: marks.length === 0 ? [] : [wakeIndex.of({ workspace_id: workspaceId })],
  })

  const changes =
    <Stored extends { workspace_id: string; id: string }>(
      searched: (record: Stored) => Searched | undefined,
    ) =>
    (before: Stored | undefined, after: Stored | undefined): Required<Consequences> => {
      const record = after ?? before
      const [was, is] = [before && searched(before), after && searched(after)]
      if (record === undefined || JSON.stringify(was) === JSON.stringify(is)) return mark('')
      return mark(record.workspace_id, markOf(isAdded(was, is) ? 'new' : 'changed', record.id))
    }

  return {
    mark,
    /** `before` is undefined of a new record, `after` of a deleted one. */
    ofDocument: changes(searchedDocument),
    ofMail: changes(searchedMail),
    ofBeaMessage: changes(searchedBeaMessage),
  }
}

/** The fields that the index holds. `isRead`: whether the record has been read and judged, so that its text is there. */
type Searched = Record<string, unknown> & { isRead?: boolean }

/** Whether the index holds nothing that the change replaces: the record is new, or nothing but its text comes to it. */
function isAdded(was: Searched | undefined, is: Searched | undefined): boolean {
  if (was === undefined) return true
  return is?.isRead === true && JSON.stringify({ ...was, isRead: true }) === JSON.stringify(is)
}

/** The fields of a document that the index holds; undefined as long as nobody knows whether it has a text. */
function searchedDocument(record: DocumentRecord): Searched | undefined {
  const { status, filename, case_id, extracted_text_length, created_at } = record
  return status === 'pending' ? undefined : { status, filename, case_id, extracted_text_length, created_at }
}

function searchedMail(record: CorrespondenceRecord): Searched {
  const { status, subject, from, to, cc, bcc, case_id, sent_at, received_at } = record
  return { isRead: status !== 'received', subject, from, to, cc, bcc, case_id, sent_at, received_at }
}

function searchedBeaMessage(record: BeaMessageRecord): Searched | undefined {
  if (record.is_missing) return undefined
  const { account_id, confidential, subject, sender, recipients, case_id, inbox } = record
  const { reference_sender, reference_recipient, sent_at, received_at } = record
  return {
    ...{ account_id, confidential, subject, sender, recipients, case_id, sent_at, received_at },
    ...{ reference_sender, reference_recipient, isRead: inbox?.is_judged !== false },
  }
}

/** The handler that marks records whose text is to leave the files of the index at once. */
export function eraseFromIndexFollowUp(deps: { db: Db; outbox: Pick<Outbox, 'enqueue'> }): JobHandler {
  const { db, outbox } = deps
  const { mark } = searchMarks(db)
  return eraseFromIndex.handledBy(async ({ workspace_id, ids }) => {
    const { actions, jobs } = mark(workspace_id, ...ids.map((id) => markOf('changed', id, { erase: true })))
    const run = await outbox.enqueue(actions, jobs)
    await run()
  })
}
