import type { Basis } from './basis-schema.ts'
import { evidenceId } from './evidence-id.ts'
import type { Evidence } from './schema.ts'
import { isOverdue, statusOf } from './views.ts'

/** Computed cells for tables of deadlines, in addition to the fields. */
export const deadlineCells = { statusOf, isOverdue, evidenceId, evidenceCell, reasoningCell }

/**
 * The table cell for the evidence of a completion: the text of a note, or the name of the evidence.
 *
 * @param name the name of the document or beA message; if it is omitted, the id is shown
 */
export function evidenceCell(evidence: Evidence, name?: string): string {
  return name ?? evidenceId(evidence) ?? (evidence.type === 'note' ? evidence.text : evidence.type)
}

/** The reasoning behind a due time, in one line: `§ 187 Abs. 1 BGB: Der Tag … § 188 Abs. 2 BGB: …` (F13). */
export function reasoningCell({ steps }: Basis): string {
  return steps.map(({ rule, text }) => `${rule}: ${text}`).join(' ')
}
