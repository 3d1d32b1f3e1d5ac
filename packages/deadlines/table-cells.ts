import type { Basis } from './basis-schema.ts'
import { evidenceId } from './evidence-id.ts'
import type { Evidence } from './schema.ts'
import { isOverdue, statusOf } from './views.ts'

/** What tables show of a deadline besides its fields. */
export const deadlineCells = { statusOf, isOverdue, evidenceId, evidenceCell, reasoningCell }

/**
 * What a table shows of the evidence of a completion: the text of a note, or what was named.
 *
 * @param name of the document or beA message; otherwise its id is shown
 */
export function evidenceCell(evidence: Evidence, name?: string): string {
  return name ?? evidenceId(evidence) ?? (evidence.type === 'note' ? evidence.text : evidence.type)
}

/** The reasoning that a due time comes from, in one line: `§ 187 Abs. 1 BGB: Der Tag … § 188 Abs. 2 BGB: …` (F13). */
export function reasoningCell({ steps }: Basis): string {
  return steps.map(({ rule, text }) => `${rule}: ${text}`).join(' ')
}
