import { boolean, entity, nullable, number, optional, recordKey, text } from '../entity.ts'

/** Time that somebody worked on a case. A deleted entry stays for the audit (G13). */
export const timeEntryEntity = entity('timeentry', recordKey('${workspace_id}#time_entry#${id}'), {
  case_id: text,
  user_id: text,
  date: text,
  minutes: number,
  activity: text,
  billable: boolean,
  /** A decimal, euros per hour. */
  rate: nullable(text),
  /** Euros with two places. */
  amount: nullable(text),
  /** The invoice that holds it. */
  invoice_id: nullable(text),
  created_at: text,
  version: number,
  deleted_at: optional(text),
})
