import type { DatevSettings } from '#billing/firm-schema.ts'
import type { InvoiceTax } from '#billing/schema.ts'
import type { BookableInvoice, BookingPeriod, BookingWriter } from '#exports/booking-ports.ts'
import type { CalendarDate } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'
import { decimal } from '#kernel/decimal.ts'
import { bookingColumns, column, textColumns } from './datev-format.ts'
import { missingDatevSettings } from './datev-settings.ts'
import { isReverseCharge } from './reverse-charge.ts'
import { inWindows1252, windows1252 } from './windows-1252.ts'

/**
 * Writes issued, paid and cancelled invoices as a batch of bookings for DATEV (X3): EXTF 700, category 21, version 13,
 * in Windows-1252. `datev-format.ts` names the source of the format.
 *
 * - Each invoice has a booking per tax rate, with the gross amount, from the debtor account (`Konto`) to the revenue
 *   account of the rate (`Gegenkonto`). Revenue accounts are automatic accounts: DATEV derives the tax from them, so
 *   there is no `BU-Schlüssel`. A rate whose gross amount is zero has no booking, because DATEV refuses an amount of
 *   zero.
 * - If the recipient owes the tax and the account for reverse charge is set, the booking has this account, and the VAT
 *   id of the recipient for the Zusammenfassende Meldung (§ 18a UStG).
 * - All amounts are positive. `S` debits the debtor account. `H` credits it, for amounts that are negative on the
 *   invoice, such as in a cancellation. A cancellation is a document with its own number and date, so it is not a
 *   `Generalumkehr`.
 * - The batch is not finalized (`Festschreibung` 0). The tax adviser does that.
 * - The fiscal year is the calendar year (§ 4a EStG). The whole period is in it.
 */
export const datevExport: BookingWriter = { missingSettings: missingDatevSettings, write }

async function* write(
  { settings, period, createdAt }: Parameters<BookingWriter['write']>[0],
  invoices: AsyncIterable<BookableInvoice[]>,
  { time_zone, onRow }: Parameters<BookingWriter['write']>[2],
): AsyncGenerator<Uint8Array> {
  let head = [headerLine(settings, period, withOffset(createdAt, time_zone), createdAt), headingLine()]
  for await (const batch of invoices) {
    const bookings = batch.flatMap((invoice) => bookingLines(invoice, settings, period))
    yield encoded([...head, ...bookings])
    head = []
    for (const _ of bookings) onRow?.()
  }
  if (head.length > 0) yield encoded(head)
}

function encoded(lines: string[]): Uint8Array {
  return windows1252(lines.map((line) => `${line}\r\n`).join(''))
}

/** The header with its 31 fields (DATEV-Format, "Header"). */
function headerLine(settings: DatevSettings, period: BookingPeriod, localTime: string, now: Date): string {
  const milliseconds = String(now.getUTCMilliseconds()).padStart(3, '0')
  return [
    quoted('EXTF'),
    700,
    21,
    quoted('Buchungsstapel'),
    13,
    `${localTime.slice(0, 19).replaceAll(/\D/g, '')}${milliseconds}`,
    '', // time of the import: DATEV sets it
    quoted('RE'), // origin
    quoted(''), // exported by
    quoted(''), // imported by: DATEV sets it
    settings.consultant,
    settings.client,
    `${period.from.slice(0, 4)}0101`, // beginning of the fiscal year
    settings.revenue_account_19?.length, // digits of a general ledger account
    yearMonthDay(period.from),
    yearMonthDay(period.to),
    quoted(`Rechnungen ${dayAndMonth(period.from)}-${dayAndMonth(period.to)}`),
    quoted(''), // dictation code
    1, // financial accounting
    0, // for all accounting purposes
    0, // not finalized
    quoted('EUR'),
    '',
    quoted(''), // derivatives
    '',
    '',
    quoted(''), // chart of accounts of the client
    '', // industry solution
    '',
    quoted(''),
    quoted(''), // information of the application
  ].join(';')
}

function headingLine(): string {
  return bookingColumns.join(';')
}

function bookingLines(invoice: BookableInvoice, settings: DatevSettings, period: BookingPeriod): string[] {
  if (invoice.number === null || invoice.status === 'draft') return []
  if (invoice.invoice_date < period.from || invoice.invoice_date > period.to)
    throw new RangeError(`Invoice ${invoice.number} is outside the period of the batch.`)
  return invoice.taxes.flatMap((tax) => bookingLine(invoice, tax, settings) ?? [])
}

/** DATEV accepts at most ten digits before the decimal point. */
const maxAmount = '9999999999.99'

function bookingLine(
  { number, cancels, invoice_date, due_date, file_number, buyer_name, buyer_vat_id, taxes }: BookableInvoice,
  tax: InvoiceTax,
  settings: DatevSettings,
): string | undefined {
  const gross = decimal(tax.net).plus(tax.tax)
  if (gross.eq(0)) return undefined
  if (gross.abs().gt(maxAmount))
    throw new RangeError(`Invoice ${number} exceeds the maximum amount of DATEV.`)
  const kind = cancels === null ? 'Honorar' : 'Storno'
  const reverseChargeAccount = isReverseCharge(taxes, buyer_vat_id)
    ? settings.revenue_account_reverse_charge
    : null
  const cells = [...emptyCells]
  const fill = (columnNumber: number, cell: string) => {
    cells[columnNumber - 1] = cell
  }
  fill(column.amount, gross.abs().toFixed(2).replace('.', ','))
  fill(column.debitOrCredit, quoted(gross.gt(0) ? 'S' : 'H'))
  fill(column.currency, quoted('EUR'))
  fill(column.account, settings.debtor_account ?? '')
  fill(column.contraAccount, reverseChargeAccount ?? revenueAccount(tax.tax_rate, settings))
  fill(column.date, dayMonthYear(invoice_date).slice(0, 4))
  fill(column.documentNumber, quoted(number ?? ''))
  fill(column.text, quoted(bookingText([kind, file_number, buyer_name])))
  if (reverseChargeAccount !== null)
    fill(column.buyerVatId, quoted((buyer_vat_id ?? '').replaceAll(/[\s.]/g, '')))
  fill(column.finalized, '0')
  fill(column.dueDate, due_date === null ? '' : dayMonthYear(due_date))
  return cells.join(';')
}

const emptyCells = bookingColumns.map((_, index) => (textColumns.has(index + 1) ? quoted('') : ''))

/** @throws RangeError for another rate, which no invoice has (X7), or a rate whose account is not set */
function revenueAccount(rate: string, settings: DatevSettings): string {
  const accounts: Record<string, string | null> = {
    '19': settings.revenue_account_19,
    '7': settings.revenue_account_7,
    '0': settings.revenue_account_0,
  }
  const account = accounts[decimal(rate).toFixed()]
  if (account === undefined || account === null) throw new RangeError(`DATEV has no account for ${rate} %.`)
  return account
}

const maxTextLength = 60

/** The words in one line. The first word is ours (`Honorar`), so that no spreadsheet reads the text as a formula. */
function bookingText(words: (string | null)[]): string {
  const line = words.filter((word) => word !== null).join(' ')
  const printable = line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').replaceAll(/\s+/g, ' ')
  return inWindows1252(printable).slice(0, maxTextLength).trimEnd()
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

const yearMonthDay = (date: CalendarDate) => date.replaceAll('-', '')

const dayMonthYear = (date: CalendarDate) => `${date.slice(8, 10)}${date.slice(5, 7)}${date.slice(0, 4)}`

const dayAndMonth = (date: CalendarDate) => `${date.slice(8, 10)}.${date.slice(5, 7)}.`
