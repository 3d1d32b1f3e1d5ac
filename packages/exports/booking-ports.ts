import type { DatevSettings } from '#billing/firm-schema.ts'
import type { Invoice } from '#billing/schema.ts'
import type { CalendarDate } from '#german-time/calendar-date.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import type { SourceQuery, TableOptions } from './ports.ts'

/** An invoice for DATEV: the fields of its row, with the tax by rate. */
export type BookableInvoice = Pick<Invoice, 'number' | 'status' | 'invoice_date' | 'due_date' | 'taxes'> & {
  cancels: string | null
  file_number: string | null
  /** The recipient of the invoice. */
  buyer_name: string | null
  buyer_vat_id: string | null
}

/**
 * The invoices of a query, like `RowSource`. Batches may contain drafts.
 *
 * @throws Failure 503 if the table cannot be read
 */
export type BookableInvoices = (query: Omit<SourceQuery, 'fields'>) => AsyncIterable<BookableInvoice[]>

/** The days of a batch of bookings. Both lie in one calendar year: DATEV's booking dates have no year. */
export type BookingPeriod = { from: CalendarDate; to: CalendarDate }

/** Writes invoices as a batch of bookings for DATEV (X3). */
export type BookingWriter = {
  /** The settings that are missing or invalid, such as `datev.consultant`; empty if they are complete. */
  missingSettings: (settings: DatevSettings) => FailureDetail[]
  /**
   * Writes like `TableWriter`, with one booking per invoice and tax rate; `onRow` counts each booking. Drafts are left
   * out. The settings must be complete, and the invoices must belong to the period.
   */
  write: (
    batch: { settings: DatevSettings; period: BookingPeriod; createdAt: Date },
    invoices: AsyncIterable<BookableInvoice[]>,
    options: TableOptions,
  ) => AsyncIterable<Uint8Array>
}
