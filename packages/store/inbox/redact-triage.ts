import type { Redact } from '#parties/erasure-ports.ts'
import { fieldsById } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { redactedAt } from '../retention/case-texts.ts'
import { change, retryStale, transact } from '../transact.ts'
import { triageEntity } from './triage-entity.ts'

/** The texts of a triage result that quote the document. Others are ids, dates and categories, such as `court`. */
const quotes = [
  ['json', 'case_suggestions', 'evidence', 'text'],
  ['json', 'deadline_hints', 'text'],
]

/** Takes data out of the triage result of a document (R5): its evidence and its hints quote the text of the document. */
export function redactTriage(db: Db, workspace_id: string, id: string, redact: Redact): Promise<void> {
  const items = triageEntity(db)
  return retryStale(async () => {
    const { data } = await items.get({ workspace_id, id }).go(strongly)
    if (data === null) return
    const triage = redacted(data.triage, redact)
    if (triage === data.triage) return
    const written = items
      .patch({ workspace_id, id })
      .set({ triage })
      .where((stored, { eq }) => eq(stored.triage, data.triage))
    await transact(db, [change(written)])
  })
}

/** Those of these records whose triage results quote the data. */
export async function quotedInTriage(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  redact: Redact,
): Promise<Set<string>> {
  const found = await fieldsById(db, triageEntity(db), workspaceId, ids, ['triage'])
  return new Set([...found].flatMap(([id, { triage }]) => (redacted(triage, redact) === triage ? [] : id)))
}

function redacted(triage: string, redact: Redact): string {
  return quotes.reduce((text, path) => String(redactedAt(text, path, redact)), triage)
}
