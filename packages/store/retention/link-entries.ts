import { readEach } from '../batch.ts'
import { fileNumberEntity } from '../cases/file-number-entity.ts'
import type { Db } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import type { RawItem } from './case-noun.ts'
import { redactEntries } from './redacted-entries.ts'

/**
 * Replaces the texts in the timelines of other cases that tell of links with a case, by its number and name: also of links
 * that were removed.
 *
 * @param linked the cases that are linked now
 */
export async function redactLinkEntries(
  db: Db,
  workspaceId: string,
  caseId: string,
  linked: readonly string[],
): Promise<void> {
  const { links, cases } = await linksOf(db, workspaceId, caseId, linked)
  for (const other of cases) await redactEntries(db, workspaceId, other, (id) => links.has(id))
}

/**
 * The ids of all links that a case has or had, and of the other cases. The timeline of the case names these by their file
 * numbers: a case whose number has changed since is not found, unless it is linked now.
 *
 * @param linked the cases that are linked now
 */
export async function linksOf(
  db: Db,
  workspaceId: string,
  caseId: string,
  linked: readonly string[],
): Promise<{ links: Set<string>; cases: Set<string> }> {
  const links = new Set<string>()
  const numbers = new Set<string>()
  for await (const entries of itemsOf(db, `${workspaceId}#timeline#${caseId}`, ['ref', 'summary']))
    for (const entry of entries) {
      const { type, id } = refOf(entry)
      if (type !== 'link') continue
      links.add(String(id))
      const [, number] = /^Verknüpft mit Akte (.+?) „/.exec(String(entry.summary)) ?? []
      if (number !== undefined) numbers.add(number)
    }
  const known = await readEach(db, [...numbers], (file_number) =>
    fileNumberEntity(db).get({ workspace_id: workspaceId, file_number }),
  )
  return { links, cases: new Set([...linked, ...known.map(({ case_id }) => String(case_id))]) }
}

function refOf({ ref }: RawItem): { type?: string; id?: string } {
  return (ref as { type?: string; id?: string } | undefined) ?? {}
}
