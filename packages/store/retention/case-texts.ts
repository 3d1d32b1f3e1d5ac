import type { TimeEntryRecord } from '#billing/ports.ts'
import type { EventRecord } from '#calendar/ports.ts'
import type { DeadlineRecord } from '#deadlines/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { FolderRecord } from '#folders/ports.ts'
import type { Job } from '#jobs/job.ts'
import type { Redact } from '#parties/erasure-ports.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import { timeEntryEntity } from '../billing/time-entry-entity.ts'
import { timeEntryLists } from '../billing/time-entry-lists.ts'
import { eventChanges } from '../calendar/event-changes.ts'
import { eventLists } from '../calendar/event-lists.ts'
import { eventRecords } from '../calendar/event-records.ts'
import { changeTime } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { deadlineEntity } from '../deadlines/deadline-entity.ts'
import { dueLists } from '../deadlines/due-lists.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { documentList, storedDocuments } from '../documents/document-record.ts'
import { folderEntity } from '../folders/folder-entity.ts'
import { folderList } from '../folders/folder-store.ts'
import type { Outbox } from '../outbox.ts'
import { type Action, change } from '../transact.ts'
import type { RawItem } from './case-noun.ts'
import { nounOf } from './noun-of.ts'

/** What follows a change of a record: the entries of its lists, and jobs. */
type Following = { actions: Action[]; jobs?: Job[] }

type Texts = {
  /** The fields that people have written, as paths; `*` means every text in it, `json` that it is JSON text. */
  fields: string[]
  /** Absent if no list holds these fields. */
  follow?: (before: RawItem, after: RawItem) => Following
}

/**
 * Takes data out of the texts of records, by the kind of the record: out of named fields only, never out of ids, states and
 * times. A record that was deleted is in no list.
 *
 * Mail, beA messages, envelopes and issued invoices are evidence as they were exchanged, and go with their case. So does the
 * history of a deadline, which is a hash chain (F11).
 */
export function caseTexts({ db, cursors, outbox }: { db: Db; cursors: Cursors; outbox: Outbox }) {
  const kinds: Record<string, Texts> = {
    document: documentTexts(db, cursors),
    deadline: deadlineTexts(db),
    event: eventTexts(db),
    timeentry: timeEntryTexts(db),
    folder: folderTexts(db, cursors),
    draft: { fields: ['subject', 'to.*', 'cc.*', 'bcc.*', 'warnings.*'] },
    beadraft: { fields: ['subject', 'to.name', 'reference_sender', 'reference_recipient', 'error'] },
  }

  /**
   * Takes data out of a record, on the condition that it is as it was read.
   *
   * @throws Stale if it was changed since it was read
   */
  return async (kind: string, before: RawItem, redact: Redact): Promise<void> => {
    const { fields = [], follow } = kinds[kind] ?? {}
    const redacted = fields.reduce<unknown>((item, path) => redactedAt(item, path.split('.'), redact), before)
    if (JSON.stringify(redacted) === JSON.stringify(before)) return
    const after = stamped(redacted as RawItem)
    const isDeleted = 'deleted_at' in before || JSON.parse(String(before.record ?? '{}')).deleted_at != null
    const { actions = [], jobs = [] } = isDeleted ? {} : (follow?.(before, after) ?? {})
    await outbox.commit([update(db, before, after), ...actions], jobs)
  }
}

function documentTexts(db: Db, cursors: Cursors): Texts {
  const [stored, list] = [storedDocuments(db), documentList(db, cursors)]
  const { read } = nounOf(db, documentEntity)
  const recordOf = (item: RawItem): DocumentRecord => stored.recordOf(read(item))
  return {
    fields: ['filename', 'metadata.json.*'],
    follow: (before, after) => {
      const { actions, jobs } = followed(list, recordOf(before), recordOf(after))
      return { actions, jobs: [...jobs, ...eraseName(recordOf(before), recordOf(after))] }
    },
  }
}

function deadlineTexts(db: Db): Texts {
  const lists = dueLists(db)
  const recordOf = nounOf(db, deadlineEntity).read<DeadlineRecord & { changed_at: string }>
  return {
    fields: ['title', 'struck_reason', 'evidence.text', 'extension.note'],
    follow: (before, after) => ({ actions: lists.changes(recordOf(before), recordOf(after)) }),
  }
}

function eventTexts(db: Db): Texts {
  const [lists, changes] = [eventLists(db), eventChanges(db, eventRecords(db))]
  const recordOf = ({ record }: RawItem): EventRecord & { changed_at: string } => JSON.parse(String(record))
  return {
    fields: ['record.json.title', 'record.json.location', 'record.json.description'],
    follow: (before, after) => ({
      actions: [
        ...lists.changes(recordOf(before), recordOf(after)),
        ...changes.add(recordOf(before), recordOf(after)),
      ],
    }),
  }
}

function timeEntryTexts(db: Db): Texts {
  const lists = timeEntryLists(db)
  const recordOf = nounOf(db, timeEntryEntity).read<TimeEntryRecord>
  return {
    fields: ['activity'],
    follow: (before, after) => ({ actions: lists.changes(recordOf(before), recordOf(after)) }),
  }
}

function folderTexts(db: Db, cursors: Cursors): Texts {
  const list = folderList(db, cursors)
  const recordOf = nounOf(db, folderEntity).read<FolderRecord>
  return { fields: ['name'], follow: (before, after) => followed(list, recordOf(before), recordOf(after)) }
}

/** The job that takes the former name of a document out of the index of texts. */
export function eraseName(before: DocumentRecord, after: DocumentRecord): Job[] {
  if (before.filename === after.filename) return []
  return [eraseFromIndex.of({ workspace_id: before.workspace_id, ids: [before.id] })]
}

function followed<Stored>(
  list: {
    changes: (before: Stored, after: Stored) => Action[]
    follow: (before: Stored, after: Stored) => Job[]
  },
  before: Stored,
  after: Stored,
): Required<Following> {
  return { actions: list.changes(before, after), jobs: list.follow(before, after) }
}

/** A value with the texts at a path redacted. */
export function redactedAt(value: unknown, path: readonly string[], redact: Redact): unknown {
  const [name, ...rest] = path
  if (Array.isArray(value)) return value.map((member) => redactedAt(member, path, redact))
  if (typeof value === 'string')
    return name === 'json' ? JSON.stringify(redactedAt(JSON.parse(value), rest, redact)) : redact(value)
  if (value === null || typeof value !== 'object' || name === undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (name !== '*' && name !== key) return [key, member]
      return [key, redactedAt(member, name === '*' ? path : rest, redact)]
    }),
  )
}

/** The item with the next version and, if it has one, a new time of its change. */
function stamped(item: RawItem): RawItem {
  const { record, changed_at, version } = item
  return {
    ...item,
    version: Number(version) + 1,
    ...(changed_at !== undefined && { changed_at: changeTime(item as { changed_at: string }) }),
    ...(record !== undefined && { record: JSON.stringify(stampedEvent(JSON.parse(String(record)))) }),
  }
}

function stampedEvent(record: EventRecord): EventRecord {
  return { ...record, version: record.version + 1, changed_at: changeTime(record) }
}

/** The action that brings an item from `before` to `after`. */
function update({ table: TableName }: Db, before: RawItem, after: RawItem): Action {
  const changed = Object.keys(after).filter((name) => after[name] !== before[name])
  return change({
    params: () => ({
      TableName,
      Key: { pk: before.pk, sk: before.sk },
      UpdateExpression: `SET ${changed.map((_, at) => `#n${at} = :n${at}`).join(', ')}`,
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: {
        '#version': 'version',
        ...Object.fromEntries(changed.map((name, at) => [`#n${at}`, name])),
      },
      ExpressionAttributeValues: {
        ':version': before.version,
        ...Object.fromEntries(changed.map((name, at) => [`:n${at}`, after[name]])),
      },
    }),
  })
}
