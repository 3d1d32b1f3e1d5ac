import { boolean, entity, nullableText, number, optionalText, recordKey, text } from '../entity.ts'

/** Time that somebody worked on a case. A deleted entry stays for the audit (G13). */
export const timeEntryEntity = entity('timeentry', recordKey('${workspace_id}#time_entry#${id}'), {
  workspace_id: text,
  id: text,
  case_id: text,
  user_id: text,
  date: text,
  minutes: number,
  activity: text,
  billable: boolean,
  /** A decimal, euros per hour. */
  rate: nullableText,
  /** Euros with two places. */
  amount: nullableText,
  /** The invoice that holds it. */
  invoice_id: nullableText,
  created_at: text,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
  deleted_at: optionalText,
})
