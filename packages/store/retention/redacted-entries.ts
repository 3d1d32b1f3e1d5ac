import { isDeepStrictEqual } from 'node:util'
import { activeHolds } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { timelineEntry } from '../cases/timeline-entity.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import { change, isMade, transact } from '../transact.ts'
import { workspaceStore } from '../workspace/workspace-store.ts'

/** The text of an entry about a record, or a linked case, that was disposed of. */
export const goneSummary = 'Der Text wurde entfernt: Was er betraf, ist vernichtet.'

/** An actor from outside of the firm may be named by an address. */
const goneActor = { type: 'external', id: null, name: 'Extern' }

/**
 * Replaces the texts of entries in the timeline of a case that stays. That they are there, when, and by which user, stays.
 * Nothing is changed while a hold stands on the case (R2).
 *
 * @param isGone whether the record of an entry, by its id, is removed
 */
export async function redactEntries(
  db: Db,
  workspace_id: string,
  case_id: string,
  isGone: (id: string) => boolean,
): Promise<void> {
  if (await isHeld(db, workspace_id, case_id)) return
  const entries = timelineEntry(db)
  const { data } = await entries.query.newest({ workspace_id, case_id }).go(allPages)
  for (const { id, ref, actor, summary } of data) {
    const about = (ref as { id?: string } | undefined)?.id
    if (about === undefined || !isGone(about) || summary === goneSummary) continue
    const isExternal = (actor as { type: string }).type === 'external'
    const after = { summary: goneSummary, ...(isExternal && { actor: goneActor }) }
    // It fails if the case was removed meanwhile.
    await isMade(transact(db, [change(entries.patch({ workspace_id, case_id, id }).set(after))]))
  }
}

/**
 * Takes data out of what the timelines of the cases that records have left say of them (R5): they are not around the party.
 * Nothing is changed while a hold stands on such a case (R2). A timeline is read once for all these records: thousands may
 * have left the same case.
 */
export async function redactLeft(
  db: Db,
  workspace_id: string,
  record_ids: readonly string[],
  redact: (text: string) => string,
): Promise<void> {
  const entries = timelineEntry(db)
  const records = new Set(record_ids)
  for (const case_id of await leftCasesOf(db, workspace_id, record_ids)) {
    if (await isHeld(db, workspace_id, case_id)) continue
    const { data } = await entries.query.newest({ workspace_id, case_id }).go(allPages)
    for (const { id, ref, actor, summary } of data) {
      if (!records.has((ref as { id?: string } | undefined)?.id ?? '')) continue
      const after = { summary: redact(summary), actor: redactedActor(actor, redact) }
      if (isDeepStrictEqual(after, { summary, actor })) continue
      await isMade(transact(db, [change(entries.patch({ workspace_id, case_id, id }).set(after))]))
    }
  }
}

/** The cases that these records have left. */
export async function leftCasesOf(
  db: Db,
  workspaceId: string,
  recordIds: readonly string[],
): Promise<Set<string>> {
  const left = new Set<string>()
  await inParallel(recordIds, async (id) => {
    for await (const items of itemsOf(db, `${workspaceId}#left_cases#${id}`, []))
      for (const { sk } of items) left.add(sk)
  })
  return left
}

/** The name of an actor from outside of the firm may be the address of the party, as in the entry of a bounce (M6). */
function redactedActor(actor: unknown, redact: (text: string) => string): object {
  const named = actor as { type: string; name: string }
  return named.type === 'external' ? { ...named, name: redact(named.name) } : named
}

async function isHeld(db: Db, workspace_id: string, id: string): Promise<boolean> {
  const { data } = await caseEntity(db).get({ workspace_id, id }).go(strongly)
  if (data?.holds === undefined) return false
  const { time_zone = 'UTC' } = (await workspaceStore(db).find(workspace_id)) ?? {}
  return activeHolds(data.holds, localDateOf(new Date(epochMilliseconds()), time_zone)).length > 0
}
