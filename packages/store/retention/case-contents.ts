import type { Db } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import { type CaseNoun, isElsewhere, type RawItem } from './case-noun.ts'
import { readItems } from './record-removal.ts'

/** A record of a case. `goes_with`: the id of the record that it goes with, whatever case it names itself. */
export type CaseContent = { noun: CaseNoun; item: RawItem; goes_with?: string | undefined }

/** Reads the existing records of a case, also deleted ones, and the records that go with them, page by page. */
export function caseContents(db: Db, nouns: readonly CaseNoun[]) {
  return async function* contents(workspaceId: string, caseId: string): AsyncGenerator<CaseContent[]> {
    const seen = new Set<string>()
    const read = async (ids: Iterable<string>): Promise<CaseContent[]> => {
      const named = [...new Set(ids)].flatMap((id) =>
        nouns.filter(({ idPrefix }) => isOfKind(id, idPrefix)).map(({ kind }) => ({ kind, id })),
      )
      const unseen = named.filter(({ kind, id }) => !seen.has(`${kind} ${id}`))
      return readItems(db, nouns, workspaceId, unseen)
    }
    const remember = (found: CaseContent[]): CaseContent[] => {
      for (const { noun, item } of found) seen.add(`${noun.kind} ${item.id}`)
      return found
    }
    const look = async (ids: Iterable<string>): Promise<CaseContent[]> => {
      const own = remember(
        (await read(ids)).filter(({ noun, item }) => !isElsewhere(noun, item, caseId, false)),
      )
      const ownerOf = new Map(
        own.flatMap(({ noun, item }) => (noun.related?.(item) ?? []).map((id) => [id, String(item.id)])),
      )
      const related = remember(
        (await read(ownerOf.keys())).filter(({ noun, item }) => !isElsewhere(noun, item, caseId, true)),
      )
      return [...own, ...related.map((one) => ({ ...one, goes_with: ownerOf.get(String(one.item.id)) }))]
    }
    const lists = await Promise.all(nouns.map(({ listed }) => listed(caseId, workspaceId)))
    for (const partition of lists.flat())
      for await (const items of itemsOf(db, `${workspaceId}#${partition}`, []))
        yield await look(items.map(({ sk }) => sk.split('#').at(-1) ?? ''))
    // Records that were deleted are in no list: the timeline or a note of their deletion names them.
    for await (const items of itemsOf(db, `${workspaceId}#timeline#${caseId}`, ['ref']))
      yield await look(items.flatMap(({ ref }) => (ref as { id?: string } | undefined)?.id ?? []))
    for await (const items of itemsOf(db, `${workspaceId}#removed_in_case#${caseId}`, []))
      yield await look(items.map(({ sk }) => sk))
  }
}

/** Whether an id is of a kind: `bea_` begins with the same letters as `bea_draft_`. */
function isOfKind(id: string, prefix: string): boolean {
  return id.startsWith(prefix) && /^[0-9a-f-]{36}$/.test(id.slice(prefix.length))
}
