import type { EventRecord } from '#calendar/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { Job } from '#jobs/job.ts'
import type { Files } from '#kernel/files.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Redact } from '#parties/erasure-ports.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import { changeTime } from '../change-log.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { type Action, change } from '../transact.ts'
import type { CaseNoun, RawItem } from './case-noun.ts'

/** The bucket with texts of records. */
export type TextFiles = Pick<Files, 'read' | 'put'> & {
  /** @returns undefined if there is no such object */
  head: (key: string) => Promise<object | undefined>
  /** Removes the earlier versions of the objects whose keys begin so. */
  eraseOlder: (prefix: string) => Promise<unknown>
}

export type TextDeps = { db: Db; outbox: Outbox; files: TextFiles }

/**
 * Takes data out of the texts of records: out of the fields and files that their noun names, never out of ids, states and
 * times. A record that was deleted is in no list.
 *
 * Mail, beA messages, envelopes and issued invoices are evidence as they were exchanged, and go with their case. So does the
 * history of a deadline, which is a hash chain (F11).
 */
export function caseTexts({ db, outbox, files }: TextDeps) {
  /** Replaces a file under its key, so that a run which was interrupted can begin again. @returns whether it changed */
  const redactFile = async (key: string, redact: Redact): Promise<boolean> => {
    if ((await files.head(key)) === undefined) return false
    const isJson = key.endsWith('.json')
    const text = new TextDecoder().decode(await files.read(key))
    const redacted = String(redactedAt(text, isJson ? ['json', '*'] : [], redact))
    if (redacted === text) return false
    const mimeType = isJson ? 'application/json' : 'text/plain; charset=utf-8'
    await files.put(key, new TextEncoder().encode(redacted), { mimeType, sha256: hexDigest(redacted) })
    return true
  }

  /** @returns whether a file changed */
  const redactFiles = async (
    { texts, objects }: CaseNoun,
    item: RawItem,
    redact: Redact,
  ): Promise<boolean> => {
    const keys = texts?.files(item)
    if (keys === undefined) return false
    const changed: string[] = []
    for (const key of keys) if (await redactFile(key, redact)) changed.push(key)
    // The files of a deleted record are gone, but not their versions. An earlier run may have died before this.
    for (const prefix of objects?.(String(item.workspace_id), String(item.id)) ?? [])
      await files.eraseOlder(prefix)
    return changed.length > 0
  }

  /**
   * Takes data out of a record, on the condition that it is as it was read.
   *
   * @throws Stale if it was changed since it was read
   */
  return async (noun: CaseNoun, before: RawItem, redact: Redact): Promise<void> => {
    const { texts } = noun
    if (texts === undefined || texts.isEvidence(before)) return
    const hasNewText = await redactFiles(noun, before, redact)
    const redacted = redactedItem(texts, before, redact)
    // A changed file is a new version too: a save that has read the earlier text must read it again.
    if (isAlike(redacted, before) && !hasNewText) return
    // After a crash nothing would say that the texts were others.
    await texts.first(before)
    const after = stamped(redacted)
    const isDeleted = 'deleted_at' in before || JSON.parse(String(before.record ?? '{}')).deleted_at != null
    const { actions, jobs = [] } = isDeleted ? { actions: [] } : texts.follow(before, after)
    await outbox.commit([update(db, before, after), ...actions], jobs)
  }
}

/** Whether a record may have data in its fields or files. If not, it need not be redacted. */
export function mayHoldData({ texts }: CaseNoun, item: RawItem, redact: Redact): boolean {
  if (texts === undefined || texts.isEvidence(item)) return false
  return texts.files(item) !== undefined || !isAlike(redactedItem(texts, item, redact), item)
}

/** An item whose texts have lost the data. */
function redactedItem(
  { fields, instead }: NonNullable<CaseNoun['texts']>,
  before: RawItem,
  redact: Redact,
): RawItem {
  const replaced = Object.entries(instead(before)).filter(
    ([name]) => !isAlike(redactedAt(before[name], ['*'], redact), before[name]),
  )
  return fields.reduce<unknown>((item, path) => redactedAt(item, path.split('.'), redact), {
    ...before,
    ...Object.fromEntries(replaced),
  }) as RawItem
}

function isAlike(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The job that takes the former name of a document out of the index of texts. */
export function eraseName(before: DocumentRecord, after: DocumentRecord): Job[] {
  if (before.filename === after.filename) return []
  return [eraseFromIndex.of({ workspace_id: before.workspace_id, ids: [before.id] })]
}

/**
 * A value with the texts at a path redacted. `*` means every text in it; `**` also the names of members, which people have
 * chosen too.
 */
export function redactedAt(value: unknown, path: readonly string[], redact: Redact): unknown {
  const [name, ...rest] = path
  if (Array.isArray(value)) return value.map((member) => redactedAt(member, path, redact))
  if (typeof value === 'string')
    return name === 'json' ? JSON.stringify(redactedAt(JSON.parse(value), rest, redact)) : redact(value)
  if (value === null || typeof value !== 'object' || name === undefined) return value
  const isAll = name === '*' || name === '**'
  const names = new Set<string>()
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (!isAll && name !== key) return [key, member]
      const free = freeName(name === '**' ? redact(key) : key, names)
      names.add(free)
      return [free, redactedAt(member, isAll ? path : rest, redact)]
    }),
  )
}

/** The name with a number if another member has it: without the data, two names may be the same. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} (${number})`
  return free
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
