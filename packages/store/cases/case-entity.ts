import type { CaseRecord } from '#cases/ports.ts'
import { entity, jsonOf, nullableText, number, oneOf, optionalText, recordKey, text } from '../entity.ts'

/** A case with its parties and staff. A deleted case stays for the audit (G13). */
export const caseEntity = entity('case', recordKey('${workspace_id}#case#${id}'), {
  workspace_id: text,
  id: text,
  name: text,
  file_number: text,
  status: oneOf(['active', 'closed', 'archived']),
  type: nullableText,
  description: nullableText,
  dezernat: nullableText,
  /** `side`: only if it was given (C11). Without it a party is judged by its role whenever it is read. */
  parties: jsonOf<CaseRecord['parties']>(),
  staff: jsonOf<CaseRecord['staff']>(),
  created_at: text,
  updated_at: text,
  /** When the newest change was written, for `updated_since` (G16). */
  changed_at: text,
  /** Counts the changes. Every write is conditional on the version that it was decided for. */
  version: number,
  deleted_at: optionalText,
})
