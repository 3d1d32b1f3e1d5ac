import type { CaseRecord } from '#cases/ports.ts'
import { boolean, entity, jsonOf, nullable, number, oneOf, optional, recordKey, text } from '../entity.ts'

/** A case with its parties and staff. A deleted case stays for the audit (G13). */
export const caseEntity = entity('case', recordKey('${workspace_id}#case#${id}'), {
  name: text,
  file_number: text,
  status: oneOf(['active', 'closed', 'archived']),
  type: nullable(text),
  description: nullable(text),
  dezernat: nullable(text),
  /** `side`: only if it was given (C11). Without it a party is judged by its role whenever it is read. */
  parties: jsonOf<CaseRecord['parties']>(),
  staff: jsonOf<CaseRecord['staff']>(),
  closed_at: nullable(text),
  holds: nullable(jsonOf<CaseRecord['holds'] & object>()),
  created_at: text,
  updated_at: text,
  /** When the newest change was written, for `updated_since` (G16). */
  changed_at: text,
  /** Counts the changes. Every write is conditional on the version that it was decided for. */
  version: number,
  deleted_at: optional(text),
  /** The disposal that removes it, since this has begun. */
  disposal_id: optional(text),
  /** Whether a user had deleted it before that. */
  was_deleted: optional(boolean),
})
