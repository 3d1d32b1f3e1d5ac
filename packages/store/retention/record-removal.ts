import type { Job } from '#jobs/job.ts'
import { idsOf } from '#kernel/id.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { chunks, eraseKeys, keyed, nameOf, readEach } from '../batch.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { itemsOf } from '../pages-of.ts'
import { markOf, searchMarks } from '../text-search/search-marks.ts'
import { type Action, erase, retryStale } from '../transact.ts'
import { type CaseNoun, type ItemKey, isElsewhere, type RawItem, type Traces } from './case-noun.ts'
import { goneChange } from './gone-changes.ts'
import { leftCasesOf, redactEntries } from './redacted-entries.ts'

/** A record by its kind and id. */
export type NamedRecord = { kind: string; id: string; goes_with?: string | undefined }

/**
 * Removes every version of the objects whose keys begin so.
 *
 * @param choose which of these keys go, which have been listed before; all of them if omitted
 */
export type EraseObjects = (prefix: string, choose?: ChooseKeys) => Promise<unknown>

/** @returns whether the object with a key goes */
export type ChooseKeys = () => Promise<(key: string) => boolean>

/**
 * Records that are removed in one transaction: each is three actions, with its mark for the index of texts and its entry
 * in the log of changes.
 */
const atOnce = 25

/** Records whose objects and lists are cleaned at the same time. */
const cleanedAtOnce = 8

/**
 * Removes records for good: their objects with all versions, the entries of lists, the items beside them, and at last
 * their own items. Their items go last, so whatever process dies, the same call again removes the rest.
 */
export function recordRemoval(deps: {
  db: Db
  outbox: Pick<Outbox, 'commit'>
  nouns: readonly CaseNoun[]
  runJob: (job: Job) => Promise<void>
  eraseObjects: EraseObjects
}) {
  const { db, outbox, nouns, runJob, eraseObjects } = deps
  const marks = searchMarks(db)

  const cleaned = async (workspaceId: string, own: readonly string[], traces: Traces): Promise<void> => {
    const { entries = [], keys = [], partitions = [], jobs = [], alsoRun } = traces
    for (const prefix of own) await eraseObjects(prefix)
    await alsoRun?.()
    await eraseKeys(db, [...removedBy(entries), ...keys])
    for (const partition of partitions) await removePartition(workspaceId, partition)
    for (const job of jobs) await runJob(job)
  }

  const removePartition = async (workspaceId: string, partition: string): Promise<void> => {
    for await (const items of itemsOf(db, `${workspaceId}#${partition}`, [])) await eraseKeys(db, items)
  }

  /** Takes what they say of these records out of the timelines of the cases that the records have left. */
  const leaveTimelines = async (workspaceId: string, ids: readonly string[]): Promise<void> => {
    const gone = new Set(ids)
    const left = await leftCasesOf(db, workspaceId, ids)
    for (const caseId of left) await redactEntries(db, workspaceId, caseId, (id) => gone.has(id))
    for (const id of left.size > 0 ? ids : []) await removePartition(workspaceId, `left_cases#${id}`)
  }

  /**
   * Removes up to `atOnce` records. @returns the records that are in another case. @throws Stale if one was changed since
   * it was read
   */
  const removeSome = async (
    workspaceId: string,
    records: readonly NamedRecord[],
    caseId: string | undefined,
    prepare: Prepare,
  ): Promise<NamedRecord[]> => {
    const found = await readItems(db, nouns, workspaceId, records)
    const all = found.map(({ noun, item }) => ({ noun, item, kind: noun.kind, id: String(item.id) }))
    const withOthers = new Set(records.flatMap(({ id, goes_with }) => (goes_with === undefined ? [] : id)))
    const stays = ({ noun, item, id }: (typeof all)[number]) =>
      caseId !== undefined && isElsewhere(noun, item, caseId, withOthers.has(id))
    const going = all.filter((one) => !stays(one))
    await prepare(going)
    const searched: string[] = []
    await inParallelUpTo(cleanedAtOnce, going, async ({ noun, item, id }) => {
      const traces = await noun.traces(item)
      if (traces.isSearched) searched.push(id)
      await cleaned(workspaceId, noun.objects?.(workspaceId, id) ?? [], traces)
    })
    await leaveTimelines(workspaceId, idsOf(going))
    const marked = marks.mark(
      workspaceId,
      ...searched.toSorted().map((id) => markOf('changed', id, { erase: true })),
    )
    const gone = going.flatMap(({ noun, item, kind, id }) => [
      erase(deletionAsRead(db, noun.keyOf(workspaceId, id), item)),
      ...goneChange(db, workspaceId, kind, id),
    ])
    await outbox.commit([...gone, ...marked.actions], marked.jobs)
    return all.filter(stays).map(({ kind, id }) => ({ kind, id }))
  }

  return {
    removePartition,

    /**
     * Removes these records. Records that are gone already are left out. A record that is changed meanwhile is read again.
     *
     * @param caseId the case that they belong to; undefined: any
     * @param prepare is called with the records as they are read, again if one is changed before it is removed
     * @returns the records that stay, since they are in another case
     */
    async remove(
      workspaceId: string,
      records: readonly NamedRecord[],
      caseId?: string,
      prepare: Prepare = async () => {},
    ): Promise<NamedRecord[]> {
      const elsewhere: NamedRecord[] = []
      for (const some of chunks([...records], atOnce))
        elsewhere.push(...(await retryStale(() => removeSome(workspaceId, some, caseId, prepare))))
      return elsewhere
    },
  }
}

type Prepare = (going: readonly { noun: CaseNoun; item: RawItem }[]) => Promise<void>

/** The items of these records that exist, deleted ones too. */
export async function readItems(
  db: Db,
  nouns: readonly CaseNoun[],
  workspaceId: string,
  records: readonly NamedRecord[],
): Promise<{ noun: CaseNoun; item: RawItem }[]> {
  const wanted = new Map(
    records.flatMap(({ kind, id }) => {
      const noun = nouns.find((one) => one.kind === kind)
      if (noun === undefined) return []
      const key = noun.keyOf(workspaceId, id)
      return [[nameOf(key), { noun, key }] as const]
    }),
  )
  const items = await readEach(db, [...wanted.values()], ({ key }) => keyed(key))
  return items.flatMap((item) => {
    const { noun } = wanted.get(nameOf(item)) ?? {}
    return noun === undefined ? [] : [{ noun, item }]
  })
}

/** Fields of which at least one is another after every change of a record. */
const changing = ['version', 'changed_at', 'deleted_at', 'case_id']

/** The operation that deletes an item in a transaction, on the condition that it is as it was read. */
function deletionAsRead({ table: TableName }: Db, Key: ItemKey, item: RawItem) {
  const held = changing.filter((field) => item[field] !== undefined)
  const conditions = changing.map((field) =>
    item[field] === undefined ? `attribute_not_exists(#${field})` : `#${field} = :${field}`,
  )
  return {
    params: () => ({
      TableName,
      Key,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(changing.map((field) => [`#${field}`, field])),
      ExpressionAttributeValues: Object.fromEntries(held.map((field) => [`:${field}`, item[field]])),
    }),
  }
}

/** The keys of the items that these actions remove. */
function removedBy(actions: readonly Action[]): ItemKey[] {
  return actions.flatMap(({ item }) => (item.Delete === undefined ? [] : [item.Delete.Key as ItemKey]))
}
