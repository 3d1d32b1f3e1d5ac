import type { CaseRecord } from '#cases/ports.ts'
import { endedAtOf } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { inParallel, inParallelUpTo } from '#kernel/in-parallel.ts'
import { notedSides } from '#parties/side-schema.ts'
import type { CaseRemoval } from '#retention/removal-ports.ts'
import { chunks, eraseEach, eraseKeys, putEach, writeAll } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { caseLink, caseLinkPair } from '../cases/case-link-entity.ts'
import { type CaseListDeps, caseList } from '../cases/case-store.ts'
import { closedCases } from '../cases/closed-cases.ts'
import { stamped } from '../change-log.ts'
import { allPages, strongly } from '../db.ts'
import { withNulls } from '../nulls.ts'
import type { StoreDeps } from '../store-deps.ts'
import { change, erase, isMade, retryStale, transact } from '../transact.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { workspaceStore } from '../workspace/workspace-store.ts'
import { caseContents } from './case-contents.ts'
import type { CaseNoun, ItemKey, RawItem } from './case-noun.ts'
import { disposalPart, keptPart } from './disposal-part-entity.ts'
import { disposedCasesCount } from './disposed-cases.ts'
import { forgetIds } from './forget-ids.ts'
import type { JobsToForget } from './forget-jobs.ts'
import { goneChange } from './gone-changes.ts'
import { redactLinkEntries } from './link-entries.ts'
import { type EraseObjects, type NamedRecord, readItems, recordRemoval } from './record-removal.ts'
import { retainedCases } from './retained-cases.ts'

/** Records that are removed before the time is looked at again. */
const perStep = 50

/** Beginnings of keys whose objects are erased at the same time. */
const erasedAtOnce = 8

/**
 * Removes a case with everything that belongs to it (R3). First the case is marked as deleted, on the condition that it is
 * as it was judged. From then on nobody finds it, and nothing can be put into it or taken out. Then its records are
 * listed, and removed one after the other, and at last the case itself.
 */
export function caseRemoval(
  deps: JobsToForget & StoreDeps & CaseListDeps & { nouns: readonly CaseNoun[]; eraseObjects: EraseObjects },
): CaseRemoval {
  const { db, nouns, runJob } = deps
  const retained = retainedCases(db)
  const cases = caseEntity(db)
  const list = caseList(deps)
  const closed = closedCases(db)
  const recordEvents = eventActions(db)
  const parts = disposalPart(db)
  const kept = keptPart(db)
  const removal = recordRemoval(deps)
  const contents = caseContents(db, nouns)
  const workspaces = workspaceStore(db)
  const disposed = disposedCasesCount(deps)

  const partsOf = async (workspace_id: string, disposal_id: string, caseId?: string): Promise<Part[]> => {
    const query = parts.query.all({ workspace_id, disposal_id })
    const { data } = await (caseId === undefined ? query : query.begins({ case_id: caseId })).go(allPages)
    return data
  }

  /** Takes back the list of what belongs to a case, which may be incomplete, and of its invoices that are kept. */
  const unlist = async (workspace_id: string, caseId: string, disposal_id: string): Promise<void> => {
    const { data } = await kept.query.soonest({ workspace_id, disposal_id }).go(allPages)
    const ofCase = (await readItems(db, nouns, workspace_id, data)).filter(
      ({ noun, item }) => noun.caseOf(item) === caseId,
    )
    const ids = new Set(ofCase.map(({ item }) => item.id))
    await eraseEach(db, await partsOf(workspace_id, disposal_id, caseId), (part) =>
      parts.delete({ ...part, workspace_id, disposal_id }),
    )
    const invoices = data.filter(({ id }) => ids.has(id))
    await eraseEach(db, invoices, (one) => kept.delete(one))
  }

  /** Removes the data that is stored of a case besides its records and the case itself. */
  const removeAround = async (record: CaseRecord): Promise<void> => {
    const { workspace_id, id, parties } = record
    const { data: links } = await caseLink(db).query.newest({ workspace_id, case_id: id }).go(allPages)
    const linked = links.map(({ linked_case_id }) => linked_case_id)
    await redactLinkEntries(db, workspace_id, id, linked)
    const keys: ItemKey[] = []
    for (const link of links) {
      const { linked_case_id: other } = link
      keys.push(
        { pk: `${workspace_id}#links#${other}`, sk: link.id },
        keyIn(caseLinkPair(db).delete({ workspace_id, pair: [id, other].toSorted().join(' ') })),
      )
    }
    for (const { id: party } of parties) {
      keys.push({ pk: `${workspace_id}#party_use#${party}`, sk: id })
      for (const side of notedSides) keys.push({ pk: `${workspace_id}#party_side#${party}#${side}`, sk: id })
    }
    // A party of the case has a key for each of its roles.
    await eraseKeys(db, keys)
    for (const partition of [`links#${id}`, `timeline#${id}`, `removed_in_case#${id}`])
      await removal.removePartition(workspace_id, partition)
    for (const job of list.follow(record, undefined)) await runJob(job)
  }

  /**
   * Lists the invoices that cancel some of these records as kept. One that was issued after the records of its case were
   * listed, or after the case had gone, is in no list yet.
   *
   * @param goes ids of records that are removed too
   */
  const keepCancelling = async (
    workspace_id: string,
    disposal_id: string,
    records: readonly { noun: CaseNoun; item: RawItem }[],
    goes: ReadonlySet<string> = new Set(),
  ): Promise<void> => {
    const named = records.flatMap(({ noun: { kind }, item: { cancelled_by: id } }) =>
      kind === 'invoice' && typeof id === 'string' && !goes.has(id) ? [{ kind, id }] : [],
    )
    if (named.length === 0) return
    const [cancelling, timeZone] = [
      await readItems(db, nouns, workspace_id, named),
      await timeZoneOf(workspace_id),
    ]
    await putEach(db, cancelling, ({ noun, item }) =>
      kept.put({
        workspace_id,
        disposal_id,
        kept_until: noun.keptUntil?.(item, timeZone) ?? '',
        kind: 'invoice',
        id: String(item.id),
      }),
    )
  }

  /**
   * The invoices whose time is over. The others are listed anew with their last day, because earlier releases noted the day
   * of another time zone.
   */
  const keepLonger = async (workspace_id: string, over: KeptPart[], today: string): Promise<KeptPart[]> => {
    const timeZone = await timeZoneOf(workspace_id)
    const lastDays = new Map(
      (await readItems(db, nouns, workspace_id, over)).map(({ noun, item }) => [
        String(item.id),
        noun.keptUntil?.(item, timeZone) ?? '',
      ]),
    )
    const longer = over.filter(({ id }) => (lastDays.get(id) ?? '') >= today)
    // First listed anew: a crash in between must not lose them.
    await putEach(db, longer, ({ removed_at: _, ...one }) =>
      kept.put({ ...one, kept_until: lastDays.get(one.id) ?? '' }),
    )
    await eraseEach(db, longer, (one) => kept.delete(one))
    return over.filter((one) => !longer.includes(one))
  }

  const timeZoneOf = async (workspaceId: string): Promise<string> =>
    (await workspaces.find(workspaceId))?.time_zone ?? 'UTC'

  const readCase = async (workspace_id: string, id: string) =>
    (await cases.get({ workspace_id, id }).go(strongly)).data ?? undefined

  /** Removes a case of which no record is left. It is counted once, since it is there once. */
  const removeCase = (workspace_id: string, id: string): Promise<void> =>
    retryStale(async () => {
      const item = await readCase(workspace_id, id)
      if (item === undefined) return
      const record = withNulls(item, caseEntity.nullable)
      await removeAround(record)
      const { deleted_at = null, was_deleted } = item
      const endedAt = endedAtOf({ ...record, deleted_at }) ?? record.updated_at
      const endedOn = localDateOf(new Date(endedAt), await timeZoneOf(workspace_id))
      await transact(db, [
        erase(cases.remove({ workspace_id, id })),
        await disposed.count(record, endedOn.slice(0, 4)),
        ...goneChange(db, workspace_id, 'case', id),
        // The deletion by a user had its event.
        ...(was_deleted
          ? []
          : recordEvents(workspace_id, [{ type: 'case.deleted', data: { id, case_id: id } }])),
      ])
    })

  return {
    progress: async (workspaceId, caseId, disposalId) => {
      const item = await readCase(workspaceId, caseId)
      if (item === undefined) return 'gone'
      if (item.disposal_id === undefined) return 'not_begun'
      if (item.disposal_id !== disposalId) return 'elsewhere'
      const ofCase = partOfCase(workspaceId, caseId, disposalId)
      const { data: part } = await parts.get(ofCase).go(strongly)
      return part === null ? 'begun' : 'listed'
    },

    begin: async (workspace_id, { id, version, deleted_at }, disposal_id, at) => {
      const [before] = await retained(workspace_id, [id])
      if (before?.version !== version || before.deleted_at !== deleted_at) return false
      const marked = cases
        .patch({ workspace_id, id })
        .set({ disposal_id, ...(deleted_at === null ? { deleted_at: at } : { was_deleted: true }) })
        .where((at, { eq, notExists }) =>
          [
            eq(at.version, version),
            deleted_at === null ? notExists(at.deleted_at) : eq(at.deleted_at, deleted_at),
            notExists(at.disposal_id),
          ].join(' AND '),
        )
      const leaving = [...list.changes(before, undefined), ...closed.changes(before, undefined)]
      return isMade(
        transact(db, [change(marked), ...leaving.filter(({ item }) => item.Delete !== undefined)]),
      )
    },

    release: async (workspace_id, id, disposal_id) => {
      // Listed records are erased at the end of the disposal. A crash before the case is restored leads here again.
      await unlist(workspace_id, id, disposal_id)
      await retryStale(async () => {
        const item = await readCase(workspace_id, id)
        if (item?.disposal_id !== disposal_id) return
        const { deleted_at, disposal_id: _, was_deleted, ...held } = item
        const before = withNulls(held, caseEntity.nullable)
        const record = stamped(before, before)
        const patch = cases.patch({ workspace_id, id }).set({ changed_at: record.changed_at })
        const restored = was_deleted
          ? patch.remove(['disposal_id', 'was_deleted'])
          : patch.remove(['disposal_id', 'deleted_at'])
        const back = was_deleted
          ? closed.changes(undefined, { ...record, deleted_at })
          : [...list.changes(undefined, record), ...closed.changes(undefined, record)]
        const isOurs = restored.where((at, { eq }) => eq(at.disposal_id, disposal_id))
        await transact(db, [change(isOurs), ...back])
      })
    },

    list: async (workspace_id, caseId, disposal_id, today, isOver) => {
      const timeZone = await timeZoneOf(workspace_id)
      for await (const found of contents(workspace_id, caseId)) {
        if (isOver()) return false
        const puts = found.map(({ noun, item, goes_with }) => {
          const id = String(item.id)
          const kept_until = noun.keptUntil?.(item, timeZone) ?? null
          if (kept_until !== null && kept_until >= today)
            return kept.put({ workspace_id, disposal_id, kept_until, kind: 'invoice', id })
          const part = { workspace_id, disposal_id, case_id: caseId, kind: noun.kind, id }
          return parts.put({ ...part, ...(goes_with !== undefined && { goes_with }) })
        })
        await writeAll(db, puts)
      }
      await parts.put(partOfCase(workspace_id, caseId, disposal_id)).go()
      return true
    },

    remove: async (workspaceId, caseId, disposalId, isOver) => {
      const all = await partsOf(workspaceId, disposalId, caseId)
      const ofCase = all.filter(({ kind }) => kind !== 'case')
      const disposal = { workspace_id: workspaceId, disposal_id: disposalId }
      const goes = new Set(ofCase.map(({ id }) => id))
      for (const some of chunks(ofCase, perStep)) {
        if (isOver()) return false
        const elsewhere = await removal.remove(workspaceId, some, caseId, (going) =>
          keepCancelling(workspaceId, disposalId, going, goes),
        )
        await eraseEach(db, elsewhere, (one) => parts.delete({ ...one, ...disposal, case_id: caseId }))
      }
      await removeCase(workspaceId, caseId)
      return true
    },

    forget: async (workspaceId, disposalId, since, isOver) => {
      const all = await partsOf(workspaceId, disposalId)
      if (!(await forgetIds(deps, workspaceId, all, since, isOver))) return undefined
      const ids = all.map(({ id }) => id).toSorted()
      const counts: Record<string, number> = {}
      for (const { kind } of all) counts[kind] = (counts[kind] ?? 0) + 1
      const { data: left } = await kept.query
        .soonest({ workspace_id: workspaceId, disposal_id: disposalId })
        .go({ limit: 1, ...strongly })
      return {
        counts,
        digest: hexDigest(ids.map((id) => `${id}\n`).join('')),
        kept_until: left[0]?.kept_until ?? null,
      }
    },

    clean: async (workspace_id, disposal_id, isOver) => {
      for (const some of chunks(await partsOf(workspace_id, disposal_id), perStep)) {
        if (isOver()) return false
        await inParallelUpTo(
          erasedAtOnce,
          some.flatMap(
            ({ kind, id }) => nouns.find((one) => one.kind === kind)?.objects?.(workspace_id, id) ?? [],
          ),
          async (prefix) => {
            await deps.eraseObjects(prefix)
          },
        )
        await eraseEach(db, some, (part) => parts.delete({ ...part, workspace_id, disposal_id }))
      }
      return true
    },

    removeKept: async (workspace_id, disposal_id, today, isOver) => {
      const query = kept.query.soonest({ workspace_id, disposal_id })
      const { data } = await query.go(allPages)
      const over = await keepLonger(
        workspace_id,
        data.filter(({ kept_until }) => kept_until < today),
        today,
      )
      const goneAt = over.flatMap(({ removed_at = [] }) => removed_at)
      const left = over.filter(({ removed_at }) => removed_at === undefined)
      for (const some of chunks(left, perStep)) {
        if (isOver()) break
        await removal.remove(workspace_id, some, undefined, (going) =>
          keepCancelling(workspace_id, disposal_id, going),
        )
        const removed_at = timestamp()
        await inParallel(some, async (one) => {
          await isMade(transact(db, [change(kept.patch(one).set({ removed_at }))]))
        })
        goneAt.push(removed_at)
      }
      // Reports and exports may have read them until they were removed. While one is being made, they stay listed.
      const since = goneAt.toSorted().at(-1) ?? timestamp()
      if (isOver() || !(await forgetIds(deps, workspace_id, over, since, isOver)))
        return { kept_until: data[0]?.kept_until ?? null, isRemoved: false }
      await eraseEach(db, over, (one) => kept.delete(one))
      const { data: later } = await query.go({ limit: 1, ...strongly })
      return { kept_until: later[0]?.kept_until ?? null, isRemoved: over.length > 0 }
    },
  }
}

type KeptPart = {
  workspace_id: string
  disposal_id: string
  kept_until: string
  kind: 'invoice'
  id: string
  removed_at?: string | undefined
}

type Part = NamedRecord & { case_id: string }

/** The part that stands for the case itself: it is written when all others are. */
function partOfCase(workspace_id: string, case_id: string, disposal_id: string) {
  return { workspace_id, disposal_id, case_id, kind: 'case', id: case_id }
}
