import type { Redact } from '#parties/erasure-ports.ts'
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
    const triage = quotes.reduce((text, path) => String(redactedAt(text, path, redact)), data.triage)
    if (triage === data.triage) return
    const redacted = items
      .patch({ workspace_id, id })
      .set({ triage })
      .where((stored, { eq }) => eq(stored.triage, data.triage))
    await transact(db, [change(redacted)])
  })
}
