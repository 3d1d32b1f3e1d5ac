import { idPrefixes } from '#kernel/id.ts'
import { eraseKeys, keyed, readEach } from '../batch.ts'
import { claimNotes, notedClaim, readClaim } from '../claim-item.ts'
import type { Db } from '../db.ts'
import { allItemsOf, itemsOf } from '../pages-of.ts'
import type { RawItem } from './case-noun.ts'

/**
 * Removes the answers of a firm that are kept for repeated requests (G14), if they name what is gone: a request that is
 * repeated after that is a new one. Answers to requests that changed nothing go in any case. They may tell of it without
 * its id, as the preview of an export does, and are made again without harm.
 *
 * @param isNamed whether the text of an answer names it: `namesOf` for ids
 * @returns false if the time was over before
 */
export async function forgetAnswers(
  db: Db,
  workspaceId: string,
  isNamed: (answer: string) => boolean,
  isOver: () => boolean,
): Promise<boolean> {
  for await (const notes of itemsOf(db, claimNotes(workspaceId), [])) {
    if (isOver()) return false
    const noteOf = new Map(notes.map((note) => [notedClaim(workspaceId, String(note.sk)), note]))
    const firsts = await readEach(db, [...noteOf.keys()], (pk) => keyed({ pk, sk: '-' }))
    const gone: RawItem[] = []
    for (const first of firsts) {
      const pk = String(first.pk)
      // Expired ones too: the table may remove them days later.
      const items = first.parts === undefined ? [first] : await allItemsOf(db, pk)
      const { body = '' } = readClaim(items, { expired: true })?.answer ?? {}
      if (first.changes_nothing === true || (isNamed(body) && !isOfRemoval(body)))
        gone.push(...items, noteOf.get(pk) ?? first)
    }
    await eraseKeys(db, gone)
  }
  return true
}

/**
 * Whether an answer belongs to a request for a disposal or an erasure. Such an answer has only ids, file numbers and
 * counts, and stays, so that its request can be repeated (G14).
 */
function isOfRemoval(answer: string): boolean {
  if (!answer.startsWith('{')) return false
  const { id, erased_at } = JSON.parse(answer)
  return erased_at !== undefined || String(id).startsWith(idPrefixes.disposal)
}

/** Says of texts whether they name one of these records. @param ids bare UUIDs, or ids with their prefixes */
export function namesOf(ids: Iterable<string>): (text: string) => boolean {
  const bare = new Set([...ids].map((id) => id.slice(-uuidLength)))
  return (text) => (text.match(uuids) ?? []).some((id) => bare.has(id))
}

/** The text without the UUIDs that `isNamed` recognises. @param isNamed the result of `namesOf` */
export function withoutNames(text: string, isNamed: (text: string) => boolean): string {
  return text.replace(uuids, (id) => (isNamed(id) ? '' : id))
}

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

const uuidLength = 36
