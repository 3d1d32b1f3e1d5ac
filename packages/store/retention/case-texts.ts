import type { EventRecord } from '#calendar/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { Job } from '#jobs/job.ts'
import type { Redact } from '#parties/erasure-ports.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import { changeTime } from '../change-log.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { type Action, change } from '../transact.ts'
import type { CaseNoun, RawItem } from './case-noun.ts'

/**
 * Takes data out of the texts of records: out of the fields that their noun names, never out of ids, states and times. A record
 * that was deleted is in no list.
 *
 * Mail, beA messages, envelopes and issued invoices are evidence as they were exchanged, and go with their case. So does the
 * history of a deadline, which is a hash chain (F11).
 */
export function caseTexts({ db, outbox }: { db: Db; outbox: Outbox }) {
  /**
   * Takes data out of a record, on the condition that it is as it was read.
   *
   * @throws Stale if it was changed since it was read
   */
  return async ({ texts }: CaseNoun, before: RawItem, redact: Redact): Promise<void> => {
    const { fields = [], follow } = texts ?? {}
    const redacted = fields.reduce<unknown>((item, path) => redactedAt(item, path.split('.'), redact), before)
    if (JSON.stringify(redacted) === JSON.stringify(before)) return
    const after = stamped(redacted as RawItem)
    const isDeleted = 'deleted_at' in before || JSON.parse(String(before.record ?? '{}')).deleted_at != null
    const { actions = [], jobs = [] } = isDeleted ? {} : (follow?.(before, after) ?? {})
    await outbox.commit([update(db, before, after), ...actions], jobs)
  }
}

/** The job that takes the former name of a document out of the index of texts. */
export function eraseName(before: DocumentRecord, after: DocumentRecord): Job[] {
  if (before.filename === after.filename) return []
  return [eraseFromIndex.of({ workspace_id: before.workspace_id, ids: [before.id] })]
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
