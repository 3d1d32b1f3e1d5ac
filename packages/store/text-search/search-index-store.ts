import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bookkeeping } from '#kernel/changes.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { timeOf } from '#kernel/id.ts'
import type {
  DueIndexWork,
  Rebuild,
  SearchIndexStore,
  SearchManifest,
  SearchMark,
} from '#text-search/ports.ts'
import { type Db, strongly } from '../db.ts'
import { dueChanges, dueKey, timedIndex } from '../due-index.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Placed, sortedList } from '../sorted-list.ts'
import { isMade, put, transact } from '../transact.ts'
import { dueIndexWork, searchIndexEntity, searchLeaseEntity } from './search-index-entity.ts'
import { type MarkData, markList } from './search-marks.ts'

/** A lease lapses this time after its holder died. */
export const leaseMilliseconds = 30_000

/** A rebuild that goes on to the next list, or begins again, has no `after`. */
const mayLack = {
  'damage.accesses': true,
  'damage.accesses.*': true,
  'rebuild.after': true,
  'rebuild.segments.accesses': true,
  'rebuild.segments.accesses.*': true,
  'segments.accesses': true,
  'segments.accesses.*': true,
} as const

/** The marks and the manifests of firms in the table. */
export function searchIndexStore({ db }: { db: Db }): SearchIndexStore {
  const marks = markList(db)
  const latest = markList(db, 'descending')
  const items = searchIndexEntity(db)
  const leases = searchLeaseEntity(db)
  const dueItems = dueIndexWork(db)
  const dueActions = dueChanges(dueItems, dueItemOf)

  const take = async (workspace_id: string, writer: string): Promise<boolean> => {
    const now = epochMilliseconds()
    const until = new Date(now + leaseMilliseconds).toISOString()
    const taken = leases
      .put({ workspace_id, writer, until })
      .where((held, { notExists, lt, eq }) =>
        [notExists(held.until), lt(held.until, new Date(now).toISOString()), eq(held.writer, writer)].join(
          ' OR ',
        ),
      )
    return isMade(bookkeeping(() => transact(db, [rewrite(leases, taken, {})])))
  }

  return {
    marks: async (workspaceId, term, limit, before) => {
      const { entries } = await marks.read(workspaceId, term, { until: before }, limit)
      return entries.map((entry) => markAt(term, entry))
    },

    latestMarks: async (workspaceId, term, limit) => {
      const { entries } = await latest.read(workspaceId, term, {}, limit)
      return entries.map((entry) => markAt(term, entry))
    },

    forget: (workspaceId, done) => bookkeeping(() => marks.write(workspaceId, [], [...done])),

    postpone: (workspaceId, waiting) => {
      const entries = waiting.map(({ id, at, attempts, reason }) => ({
        term: 'waiting',
        place: `${at} ${id}`,
        data: { attempts, reason },
      }))
      return bookkeeping(() => marks.write(workspaceId, entries, []))
    },

    manifest: async (workspace_id) => {
      const { data } = await items.get({ workspace_id }).go(strongly)
      return data === null ? undefined : manifestOf(data as StoredManifest)
    },

    replace: (before, after) => {
      const item = itemOf({ ...after, version: (before?.version ?? 0) + 1 })
      const written =
        before === undefined
          ? put(items.create(item))
          : rewrite(items, items.put(item).where(asRead(before)), itemOf(before), { mayLack })
      return isMade(bookkeeping(() => transact(db, [written, ...dueActions(before, after)])))
    },

    unread: async (workspaceId, limit) => {
      const list = sortedList<{ summary: { upload_expires_at?: string | null; created_at: string } }>(
        db,
        'documents',
        'ascending',
      )
      const { entries } = await list.read(workspaceId, 'is:status=pending', {}, limit)
      const accepted = entries.filter(({ data }) => data.summary.upload_expires_at == null)
      return { count: accepted.length, oldest: accepted[0]?.data.summary.created_at }
    },

    // The lists are in descending order of age; ids ascend with the places of their terms.
    idsAfter: (workspaceId, list, after, limit) =>
      sortedList(db, list, 'ascending').places(workspaceId, 'all', { after }, limit),

    settle: async ({ workspace_id, due_at }) => {
      await bookkeeping(() => dueItems.delete(dueKey(due_at, workspace_id)).go(strongly))
    },

    lease: async (workspaceId) => {
      const writer: string = randomUUID()
      if (!(await take(workspaceId, writer))) return undefined
      const renewing = setInterval(
        () => void take(workspaceId, writer).catch(() => false),
        leaseMilliseconds / 3,
      ).unref()
      return {
        release: async () => {
          clearInterval(renewing)
          await bookkeeping(() =>
            leases
              .delete({ workspace_id: workspaceId })
              .where((held, { eq }) => eq(held.writer, writer))
              .go(strongly),
          ).catch(() => undefined)
        },
      }
    },
  }
}

/** The firms whose indexes have work that is due. */
export function dueIndexes(db: Db): DueIndexWork {
  return timedIndex('search#due', dueIndexWork(db), ({ workspace_id, place }) => ({
    workspace_id,
    due_at: place.slice(0, place.indexOf('#')),
  }))
}

/** The item by which a sweep finds a firm at a time. */
export function dueItemAt(workspace_id: string, due_at: string) {
  return { workspace_id, ...dueKey(due_at, workspace_id) }
}

function dueItemOf({ workspace_id, due_at }: SearchManifest) {
  return due_at === undefined ? undefined : dueItemAt(workspace_id, due_at)
}

function markAt(term: SearchMark['term'], { place, data }: Placed<MarkData>): SearchMark {
  const [moment = '', id = ''] = place.split(' ')
  const at = term === 'waiting' ? moment : timeOf(moment).toISOString()
  const { erase = false, upgrade = false, attempts = 0, reason } = data
  return { term, place, id, at, erase, upgrade, attempts, reason }
}

/** A manifest as its item holds it: without undefined parts, and with deletions compressed. */
function itemOf({ deleted, rebuild, ...manifest }: SearchManifest) {
  const item = {
    ...manifest,
    deleted: deleted.length === 0 ? undefined : packed(deleted),
    rebuild: rebuild && { ...rebuild, deleted: packed(rebuild.deleted) },
  }
  const there = Object.entries(item).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as Whole<typeof item>
}

type Whole<Item> = { [Field in keyof Item]: Exclude<Item[Field], undefined> }

function manifestOf({ deleted, rebuild, ...manifest }: StoredManifest): SearchManifest {
  return {
    ...manifest,
    deleted: unpacked(deleted),
    ...(rebuild && { rebuild: { ...rebuild, deleted: unpacked(rebuild.deleted) } }),
  }
}

type StoredManifest = Omit<SearchManifest, 'deleted' | 'rebuild'> & {
  deleted?: string
  rebuild?: Omit<Rebuild, 'deleted'> & { deleted: string }
}

function packed(deleted: SearchManifest['deleted']): string {
  return gzipSync(JSON.stringify(deleted)).toString('base64')
}

function unpacked(text: string | undefined): SearchManifest['deleted'] {
  return text ? JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) : []
}
