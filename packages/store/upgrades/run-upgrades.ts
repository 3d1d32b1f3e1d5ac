import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { byKey, chunks, type ItemKey, keyed, nameOf, putEach, readEach } from '../batch.ts'
import type { Db } from '../db.ts'
import { LayoutRefused, layoutOf } from '../layout.ts'
import { pagesOf, type StoredItem } from '../pages-of.ts'
import { tableLayout } from '../table.ts'
import { type Action, isMade, maxActions, Stale, transact } from '../transact.ts'
import { allUpgrades } from './all-upgrades.ts'
import { takeLease } from './lease.ts'
import { metered } from './metered.ts'
import { type FirmProgress, upgradeProgress } from './progress.ts'
import type { Scanned, Source, Upgrade } from './upgrade.ts'

/** Records read at once, and written in parallel. */
const recordsAtOnce = 50
const writtenAtOnce = 8

/** What `upgrade status` shows of an upgrade. `firms_left` counts only known firms. */
export type UpgradeStatus = {
  layout: number
  name: string
  state: 'done' | 'running' | 'waiting'
  firms_done: number
  firms_left: number
  records: number
  changed: number
}

/** The progress of an upgrade in a firm, for people who watch it. */
export type Step = { upgrade: Upgrade; firm: number; firms: number; records: number }

export type Upgraded = {
  layout: number
  dry_run: boolean
  upgrades: { name: string; firms: number; records: number; changed: number }[]
  units: number
}

/**
 * Brings a table into the layout of this release, while the service runs (U2): one upgrade after another, firm by firm.
 * Killed at any moment, it goes on where it stopped. A scan for items that no list names begins again.
 */
export function tableUpgrades(
  table: Db,
  { stage, upgrades = allUpgrades }: { stage: string; upgrades?: readonly Upgrade[] },
) {
  /** @throws LayoutRefused if the table is of a newer release, or its layout item is not to be trusted */
  const layoutNow = async (db: Db): Promise<number> => {
    const layout = layoutOf(await upgradeProgress(db).layoutItem(), stage)
    const newest = upgrades.at(-1)?.layout ?? tableLayout
    if (layout > newest)
      throw new LayoutRefused(
        `The table has layout ${layout}, of a newer release. This release knows layouts up to ${newest}.`,
      )
    return layout
  }

  return {
    /** The layout that the table has. @throws LayoutRefused */
    layout: () => layoutNow(table),

    /** The finished upgrades and the remaining ones. */
    status: async ({ unitsPerSecond }: Pace = {}): Promise<{ layout: number; upgrades: UpgradeStatus[] }> => {
      const layout = await layoutNow(table)
      const progress = upgradeProgress(table)
      // Only to find the firms that are left is the whole table read.
      const isAllDone = upgrades.every((upgrade) => upgrade.layout <= layout)
      const firms = isAllDone ? [] : await firmsOf(metered(table, unitsPerSecond).db)
      const shown = upgrades.map(async (upgrade): Promise<UpgradeStatus> => {
        const known = await progress.firms(upgrade.layout)
        const begun = [...known.values()]
        const done = begun.filter(({ finished_at }) => finished_at !== undefined).length
        const sum = (field: 'records' | 'changed') => begun.reduce((all, one) => all + one[field], 0)
        const isDone = upgrade.layout <= layout
        return {
          layout: upgrade.layout,
          name: upgrade.name,
          state: isDone ? 'done' : begun.length > 0 ? 'running' : 'waiting',
          firms_done: done,
          firms_left: isDone ? 0 : firms.filter((id) => known.get(id)?.finished_at === undefined).length,
          records: sum('records'),
          changed: sum('changed'),
        }
      })
      return { layout, upgrades: await Promise.all(shown) }
    },

    /**
     * Runs what is left of the upgrades.
     *
     * @param options.dryRun counts what would be changed, and changes nothing
     * @param options.isAlone nobody else can work on the table: an upgrade that was killed a moment ago is not waited
     * for
     * @param options.onStep is called after each piece of work
     * @throws UpgradeRuns, LayoutRefused
     */
    run: async ({
      dryRun = false,
      unitsPerSecond,
      isAlone = false,
      onStep = () => {},
    }: Pace & {
      dryRun?: boolean
      isAlone?: boolean
      onStep?: (step: Step) => void
    } = {}): Promise<Upgraded> => {
      const { db, units } = metered(table, unitsPerSecond)
      await layoutNow(table)
      // The lease must not wait for units.
      const lease = dryRun || isAlone ? undefined : await takeLease(table, randomUUID())
      try {
        const before = await layoutNow(table)
        const done: Upgraded['upgrades'] = []
        const left = upgrades.filter(({ layout }) => layout > before)
        let firms = left.length === 0 ? [] : await firmsOf(db)
        for (const upgrade of left) {
          const watch = { dryRun, onStep, check: () => lease?.check() }
          const { now, ...ran } = await runOne(db, upgrade, firms, watch)
          firms = now
          done.push({ name: upgrade.name, ...ran })
          lease?.check()
          if (!dryRun) await upgradeProgress(db).finish(upgrade.layout, stage)
        }
        const layout = dryRun ? before : Math.max(before, upgrades.at(-1)?.layout ?? before)
        return { layout, dry_run: dryRun, upgrades: done, units: Math.round(units()) }
      } finally {
        await lease?.release()
      }
    },
  }
}

/** How many units of the table a command takes in a second. */
type Pace = { unitsPerSecond?: number | undefined }

type Watch = { dryRun: boolean; onStep: (step: Step) => void; check: () => void }

/**
 * Upgrades every firm, those included that came meanwhile.
 *
 * @param before the firms a moment ago: to list them, the table is scanned
 * @returns the firms `now`, and what it did, now and before it was interrupted
 */
async function runOne(db: Db, upgrade: Upgrade, before: string[], watch: Watch) {
  const progress = upgradeProgress(db)
  const known = await progress.firms(upgrade.layout)
  const sources = upgrade.sources?.(db) ?? []
  if (upgrade.scanned !== undefined)
    await upgradeScanned(db, upgrade.layout, upgrade.scanned(db), known, watch)
  const isLeft = (id: string) => known.get(id)?.finished_at === undefined
  let now = before
  for (;;) {
    for (const workspace_id of now.filter(isLeft)) {
      let state = known.get(workspace_id) ?? unbegun(workspace_id)
      for (;;) {
        watch.check()
        const next = await persistently(() => upgradePage(db, sources, state, watch.dryRun))
        state = next
        known.set(workspace_id, state)
        if (!watch.dryRun) await persistently(() => progress.note(upgrade.layout, next))
        const records = [...known.values()].reduce((sum, one) => sum + one.records, 0)
        const done = [...known.values()].filter(({ finished_at }) => finished_at !== undefined).length
        watch.onStep({ upgrade, firm: Math.min(done + 1, now.length), firms: now.length, records })
        if (state.finished_at !== undefined) break
      }
    }
    if (watch.dryRun) break
    now = await firmsOf(db)
    if (!now.some(isLeft)) break
  }
  const all = [...known.values()]
  const sum = (field: 'records' | 'changed') => all.reduce((total, one) => total + one[field], 0)
  return { now, firms: all.length, records: sum('records'), changed: sum('changed') }
}

function unbegun(workspace_id: string): FirmProgress {
  return { workspace_id, source: 0, records: 0, changed: 0 }
}

/** Upgrades the items that no list names. It counts converted ones in the progress of their firms. */
async function upgradeScanned(
  db: Db,
  layout: number,
  scanned: Scanned,
  known: Map<string, FirmProgress>,
  { dryRun, check }: Watch,
): Promise<void> {
  const { kinds } = scanned
  for (const [id, state] of known)
    known.set(id, { ...state, records: state.records - (state.scanned ?? 0), scanned: 0 })
  const values = Object.fromEntries(kinds.map((kind, at) => [`:kind${at}`, kind]))
  const pages = pagesOf((start) => {
    check()
    const scan = {
      TableName: db.table,
      FilterExpression: `#kind IN (${Object.keys(values).join(', ')})`,
      ExpressionAttributeNames: { '#kind': '__edb_e__' },
      ExpressionAttributeValues: values,
      ConsistentRead: true,
      ...start,
    }
    return persistently(() => db.client.send(new ScanCommand(scan)))
  })
  for await (const { Items = [] } of pages) {
    const found = Items as StoredItem[]
    if ('convert' in scanned) {
      const firms = new Map<string, FirmProgress>()
      const convert = async (item: StoredItem) => {
        const isChanged = await persistently(() => scanned.convert(item, dryRun))
        const id = String(item.workspace_id)
        const { records, changed, scanned: looked = 0, ...rest } = known.get(id) ?? unbegun(id)
        const next = {
          ...rest,
          records: records + 1,
          changed: changed + Number(isChanged),
          scanned: looked + 1,
        }
        known.set(id, next)
        firms.set(id, next)
      }
      await inParallelUpTo(writtenAtOnce, found, convert)
      if (!dryRun)
        for (const next of firms.values()) await persistently(() => upgradeProgress(db).note(layout, next))
    } else {
      const wanted = found.flatMap(scanned.itemsFor)
      if (!dryRun) await persistently(() => putEach(db, wanted, (Item) => ({ params: () => ({ Item }) })))
    }
  }
}

/** Upgrades the next records of a firm. @returns how far it has come */
async function upgradePage(
  db: Db,
  sources: Source[],
  state: FirmProgress,
  dryRun: boolean,
): Promise<FirmProgress> {
  const { after, ...rest } = state
  const source = sources[state.source]
  if (source === undefined) return { ...rest, finished_at: timestamp() }
  const { workspace_id } = state
  const places = await placesAfter(db, `${workspace_id}#${source.list}#${source.term ?? 'all'}`, after)
  const last = places.at(-1)
  if (last === undefined) return { ...rest, source: state.source + 1 }
  const keys = places.map((place) => source.keyOf(workspace_id, place))
  const behind = await behindOf(db, source, keys)
  if (!dryRun) await inParallelUpTo(writtenAtOnce, behind, (one) => upgradeRecord(db, source, one))
  return {
    ...rest,
    after: last,
    records: state.records + places.length,
    changed: state.changed + behind.length,
  }
}

/** The places after one of an ascending list. */
async function placesAfter(db: Db, pk: string, after: string | undefined): Promise<string[]> {
  const { Items = [] } = await db.client.send(
    new QueryCommand({
      TableName: db.table,
      KeyConditionExpression: after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after',
      ExpressionAttributeValues: { ':pk': pk, ...(after !== undefined && { ':after': after }) },
      ProjectionExpression: 'sk',
      ConsistentRead: true,
      Limit: recordsAtOnce,
    }),
  )
  return Items.map(({ sk }) => String(sk))
}

/** A record, and the items for it that the table does not have yet. */
type Behind = { record: StoredItem; missing: StoredItem[] }

/** Those of these records that are not in the new form, as they are now. Deleted ones stay as they were. */
async function behindOf(db: Db, source: Source, keys: ItemKey[]): Promise<Behind[]> {
  const records = (await readEach(db, keys, keyed)) as StoredItem[]
  const present = records.filter(({ deleted_at }) => deleted_at === undefined)
  const wanted = await Promise.all(
    present.map(async (record) => ({ record, items: await itemsOf(source, record) })),
  )
  const others = wanted.flatMap(({ record, items }) => items.filter((item) => !isSame(item, record)))
  // Several records may need the same item.
  const distinct = [...byKey(others).values()]
  const there = byKey([...records, ...(await readEach(db, distinct, keyed))])
  return wanted
    .map(({ record, items }) => ({
      record,
      missing: items.filter((item) => !isDeepStrictEqual(there.get(nameOf(item)), item)),
    }))
    .filter(({ missing }) => missing.length > 0)
}

/** @throws Error which names the record that is not as the upgrade expects it */
async function itemsOf(source: Source, record: StoredItem): Promise<StoredItem[]> {
  try {
    return await source.itemsFor(record)
  } catch (error) {
    throw new Error(`The record ${record.pk} cannot be upgraded: ${String(error)}`, { cause: error })
  }
}

/** Writes what is missing, on the condition that the record is unchanged. If it was changed, it is read again. */
async function upgradeRecord(db: Db, source: Source, { record, missing }: Behind): Promise<void> {
  const { pk, sk } = record
  const key = { pk, sk }
  const isUnchanged = conditionOf(record)
  // The record itself comes last: it is upgraded once everything that belongs to it is.
  const own = missing.find((item) => isSame(item, key))
  const pieces = chunks(
    missing.filter((item) => item !== own),
    maxActions - 1,
  )
  if (pieces.length === 0) pieces.push([])
  for (const [at, piece] of pieces.entries()) {
    const isLast = at === pieces.length - 1
    const actions = [
      isLast && own !== undefined
        ? actionOf({ Put: { TableName: db.table, Item: own, ...isUnchanged } })
        : actionOf({ ConditionCheck: { TableName: db.table, Key: key, ...isUnchanged } }),
      ...piece.map((Item) => actionOf({ Put: { TableName: db.table, Item } })),
    ]
    if (await isMade(transact(db, actions))) continue
    const [now] = await behindOf(db, source, [key])
    return now === undefined ? undefined : upgradeRecord(db, source, now)
  }
}

/** Every change of a record counts its version; a deletion only marks it. */
function conditionOf({ version }: StoredItem) {
  return {
    ConditionExpression: 'version = :version AND attribute_not_exists(deleted_at)',
    ExpressionAttributeValues: { ':version': version },
  }
}

function actionOf(item: Action['item']): Action {
  return { item, otherwise: () => new Stale() }
}

function isSame(one: ItemKey, other: ItemKey): boolean {
  return nameOf(one) === nameOf(other)
}

/** The ids of all firms, in order. It scans the table, which no request of the service does. */
async function firmsOf(db: Db): Promise<string[]> {
  const scan = {
    TableName: db.table,
    FilterExpression: '#kind = :workspace',
    ProjectionExpression: 'id',
    ExpressionAttributeNames: { '#kind': '__edb_e__' },
    ExpressionAttributeValues: { ':workspace': 'workspace' },
    ConsistentRead: true,
  }
  const pages = pagesOf((start) => persistently(() => db.client.send(new ScanCommand({ ...scan, ...start }))))
  const ids: string[] = []
  for await (const { Items = [] } of pages) ids.push(...Items.map(({ id }) => String(id)))
  return ids.toSorted()
}

const maxAttempts = 8

/**
 * Repeats work that the table did not answer in time, or whose record somebody changed meanwhile. Everything here may
 * be done twice.
 */
async function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof Stale || failureOf(error)?.kind === 'unavailable'
      if (!isPassing || attempt === maxAttempts) throw error
      await sleep(Math.random() * 100 * 2 ** attempt)
    }
  }
}
