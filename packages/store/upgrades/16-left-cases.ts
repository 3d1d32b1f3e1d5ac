import type { Db } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { listedReport } from '../parties/access-report-entity.ts'
import { leftCase } from '../retention/disposal-part-entity.ts'
import { itemIn, type Upgrade } from './upgrade.ts'

/** The types of entries in the timeline of a case that a record leaves. */
const leaving = ['document.unassigned', 'mail.unfiled', 'bea.unfiled', 'event.unassigned']

/**
 * Notes the cases that records have left, and lists the reports on parties by firm, so that a disposal finds both (R3). Earlier
 * releases did neither.
 */
export const leftCases: Upgrade = {
  layout: 16,
  name: 'left-cases',
  says: 'notes the cases that records have left, and lists reports on parties, for disposals',
  scanned: (db: Db) => ({
    kinds: ['timeline', 'accessreport'],
    itemsFor: (item) => (item.__edb_e__ === 'timeline' ? leftIn(db, item) : listedIn(db, item)),
  }),
}

/** The note that the record of an entry has left the case; none if the entry is about something else. */
function leftIn(db: Db, { workspace_id, case_id, type, ref }: StoredItem): StoredItem[] {
  const { id } = (ref ?? {}) as { id?: string }
  if (id === undefined || !leaving.includes(String(type))) return []
  return [itemIn(leftCase(db).put({ workspace_id: String(workspace_id), id, case_id: String(case_id) }))]
}

/** The place of a report in the list of its firm. */
function listedIn(db: Db, { workspace_id, party_id, id, ttl }: StoredItem): StoredItem[] {
  const key = { workspace_id: String(workspace_id), party_id: String(party_id), id: String(id) }
  return [itemIn(listedReport(db).put({ ...key, ttl: Number(ttl) }))]
}
