import type { firmObjects } from '#files/firm-objects.ts'
import { timestamp } from '#kernel/clock.ts'
import { emptyManifest, newRebuild } from '#text-search/manifest.ts'
import type { SearchIndexStore, SearchMark } from '#text-search/ports.ts'
import { type Options, requiredWorkspace } from './options.ts'
import { Misuse } from './target.ts'

/** The help text for the index of texts. */
export const searchUsage = `  npm run admin -- search status --workspace ID
  npm run admin -- search rebuild --workspace ID`

type Work = (admin: {
  workspaces: { find: (id: string) => Promise<object | undefined> }
  searchIndex: Pick<SearchIndexStore, 'marks' | 'manifest' | 'replace'>
  firmObjects: () => Pick<ReturnType<typeof firmObjects>, 'under' | 'eraseUnder'>
}) => Promise<unknown>

/** More marks than this are not counted. */
const maxCounted = 10_000

/**
 * `search status` shows the index of a firm and its waiting work. `search rebuild` makes the worker rebuild it from the
 * texts, while the current one answers. It also removes segments that no manifest names, as after a restore of the
 * table.
 */
export const searchCommands = {
  'search status': (options: Options): Work => {
    const id = requiredWorkspace(options, searchUsage)
    return async ({ workspaces, searchIndex }) => {
      await requireFirm(workspaces, id)
      const count = (term: SearchMark['term']) => searchIndex.marks(id, term, maxCounted)
      const [changed, added, waiting, manifest = emptyManifest(id)] = await Promise.all([
        count('changed'),
        count('new'),
        count('waiting'),
        searchIndex.manifest(id),
      ])
      const { segments, deleted, garbage, rebuild, damage = null, indexed_at = null } = manifest
      const sum = (of: readonly { records: number; bytes: number }[]) => ({
        segments: of.length,
        records: of.reduce((all, { records }) => all + records, 0),
        bytes: of.reduce((all, { bytes }) => all + bytes, 0),
      })
      return {
        workspace: id,
        ...sum(segments),
        deleted: deleted.length,
        garbage: garbage.length,
        indexed_at,
        marked: { changed: changed.length, new: added.length, oldest: oldestOf([...changed, ...added]) },
        waiting: waiting.map(({ id: record, at, attempts, reason }) => ({ record, at, attempts, reason })),
        rebuild: rebuild === undefined ? null : { ...sum(rebuild.segments), after: rebuild.after ?? null },
        damage,
      }
    }
  },

  'search rebuild': (options: Options): Work => {
    const id = requiredWorkspace(options, searchUsage)
    return async ({ workspaces, searchIndex, firmObjects }) => {
      await requireFirm(workspaces, id)
      const removed = await removeUnnamed(id, searchIndex, firmObjects())
      for (;;) {
        const before = await searchIndex.manifest(id)
        const { rebuild, ...manifest } = before ?? emptyManifest(id)
        if (rebuild !== undefined) return { workspace: id, rebuild: 'running', removed }
        // The sweeper wakes the worker.
        const after = { ...manifest, rebuild: newRebuild, due_at: timestamp() }
        if (await searchIndex.replace(before, after)) return { workspace: id, rebuild: 'begun', removed }
      }
    }
  },
}

/** Removes segments that the manifest does not name. @returns how many */
async function removeUnnamed(
  id: string,
  searchIndex: Pick<SearchIndexStore, 'manifest'>,
  objects: Pick<ReturnType<typeof firmObjects>, 'under' | 'eraseUnder'>,
): Promise<number> {
  // The manifest names a segment before the segment is stored. So the manifest is read after the objects.
  const keys: string[] = []
  for await (const some of objects.under(`search/${id}/`)) keys.push(...some.map(({ key }) => key))
  const { segments, garbage, writing, rebuild } = (await searchIndex.manifest(id)) ?? emptyManifest(id)
  const known = [...segments, ...garbage, ...(rebuild?.segments ?? [])].map(({ name }) => name)
  const named = new Set([...known, writing].map((name) => `search/${id}/${name}`))
  const unnamed = keys.filter((key) => !named.has(key))
  for (const key of unnamed) await objects.eraseUnder(key)
  return unnamed.length
}

async function requireFirm(
  workspaces: { find: (id: string) => Promise<object | undefined> },
  id: string,
): Promise<void> {
  if ((await workspaces.find(id)) === undefined) throw new Misuse(`There is no workspace ${id}.`)
}

function oldestOf(marks: readonly SearchMark[]): string | null {
  return marks.map(({ at }) => at).toSorted()[0] ?? null
}
