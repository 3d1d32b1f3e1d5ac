import type { RowSource, RowSources } from '#exports/ports.ts'
import type { EvidenceFacts } from '../bea/bea-evidence.ts'
import type { Db } from '../db.ts'
import { caseRows } from './case-rows.ts'
import { type DeadlineCells, deadlineRows } from './deadline-rows.ts'
import { documentRows } from './document-rows.ts'
import { readAhead } from './entry-batches.ts'
import { invoiceRows } from './invoice-rows.ts'
import { partyRows } from './party-rows.ts'
import { timeEntryRows } from './time-entry-rows.ts'

/**
 * The rows of the sources in the table (X3): Queries in the order of their dates, strongly consistent, of which one batch
 * is read ahead.
 *
 * @param deps.deadlineCells how cells are derived from a deadline
 * @param deps.nameOfMessage what everybody may read of a beA message that is evidence
 */
export function rowSources(deps: {
  db: Db
  deadlineCells: DeadlineCells
  nameOfMessage: (message: EvidenceFacts, timeZone: string) => string
}): RowSources {
  const { db, deadlineCells, nameOfMessage } = deps
  return {
    invoices: ahead(invoiceRows(db)),
    time_entries: ahead(timeEntryRows(db)),
    cases: ahead(caseRows(db)),
    parties: ahead(partyRows(db)),
    documents: ahead(documentRows(db)),
    deadlines: ahead(deadlineRows(db, deadlineCells, nameOfMessage)),
  }
}

function ahead(source: RowSource): RowSource {
  return (query) => readAhead(source(query))
}
