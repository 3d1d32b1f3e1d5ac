import type { CalendarDate } from '#german-time/calendar-date.ts'
import { decimal } from '#kernel/decimal.ts'
import { type FailureDetail, invalid, invalidAt } from '#kernel/failure.ts'
import { hoursOf, netOfLine, totalsOf } from './amounts.ts'
import type { BuyerInput, InvoiceLineInput } from './input-schema.ts'
import type { TimeEntryRecord } from './ports.ts'
import { type Buyer, type Invoice, type InvoiceLine, noBuyer } from './schema.ts'

/** The largest JSON of an invoice's lines. The whole invoice must fit into an item of the table (400 KB). */
const maxBytesOfLines = 250_000

/**
 * The largest sum in euros of an invoice and of each tax rate. DATEV accepts at most ten digits before the decimal
 * point.
 */
const maxSum = '9999999999.99'

/**
 * The ids of the time entries that lines name, each with the index of its line.
 *
 * @throws Failure VALIDATION_ERROR if two lines name the same entry
 */
export function entriesNamedBy(
  lines: readonly { time_entry_id?: string | null | undefined }[],
): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [at, { time_entry_id }] of lines.entries()) {
    if (time_entry_id === null || time_entry_id === undefined) continue
    if (ids.has(time_entry_id))
      throw invalid('A time entry can be billed only once.', [
        { path: `body.lines.${at}.time_entry_id`, message: 'Another line names this time entry.' },
      ])
    ids.set(time_entry_id, at)
  }
  return ids
}

/**
 * The lines of a draft. A line that names a time entry uses its activity, hours and rate, unless the line sets them.
 *
 * Hours have four decimal places, so hours × rate may differ from the amount of the entry: 100 minutes at 210 EUR are
 * 350.00, but 1.6667 × 210 is 350.01. If they differ, and the line sets neither hours nor rate, the line bills the
 * amount of the entry as one piece.
 *
 * @throws Failure VALIDATION_ERROR for a line without text or price
 */
export function linesOf(
  inputs: readonly InvoiceLineInput[],
  entries: readonly TimeEntryRecord[],
): InvoiceLine[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const faults: FailureDetail[] = []
  const lines = inputs.map((input, at) => {
    const { time_entry_id, tax_rate } = input
    const entry = time_entry_id === null ? undefined : byId.get(time_entry_id)
    const text = input.text ?? entry?.activity
    const { quantity, unit, unit_price } = pricedBy(input, entry)
    if (text === undefined) faults.push({ path: `body.lines.${at}.text`, message: 'This is required.' })
    if (unit_price === undefined || unit_price === null) {
      const message = entry ? 'This is required: the time entry has no rate.' : 'This is required.'
      faults.push({ path: `body.lines.${at}.unit_price`, message })
    }
    const priced = { quantity, unit, unit_price: unit_price ?? '0' }
    return { text: text ?? '', ...priced, tax_rate, net: netOfLine(priced), time_entry_id }
  })
  if (faults.length > 0) throw invalid('Some lines are not complete.', faults)
  return lines
}

/** Quantity, unit and price of a line. The price is undefined or null if neither the line nor its entry has one. */
function pricedBy(
  input: Pick<InvoiceLineInput, 'quantity' | 'unit' | 'unit_price'>,
  entry: TimeEntryRecord | undefined,
): { quantity: string; unit: InvoiceLine['unit']; unit_price: string | null | undefined } {
  const unit_price = input.unit_price ?? entry?.rate
  if (entry === undefined) return { quantity: input.quantity ?? '1', unit: input.unit ?? 'piece', unit_price }
  const quantity = input.quantity ?? hoursOf(entry.minutes)
  const isOfEntry = !input.quantity && !input.unit_price
  if (isOfEntry && entry.rate !== null && entry.amount !== null) {
    const net = netOfLine({ quantity, unit_price: entry.rate })
    if (net !== entry.amount) return { quantity: '1', unit: 'piece', unit_price: entry.amount }
  }
  const isInHours = !input.quantity || !input.unit_price
  return { quantity, unit: input.unit ?? (isInHours ? 'hour' : 'piece'), unit_price }
}

/** The lines and their sums. @throws Failure VALIDATION_ERROR if the lines are too long or a sum is too large */
export function withTotals(lines: InvoiceLine[]): Pick<Invoice, 'lines' | 'taxes' | 'net' | 'tax' | 'gross'> {
  const totals = totalsOf(lines)
  const fault = (message: string) => invalidAt('body.lines', message)
  const grossByRate = totals.taxes.map(({ net, tax }) => decimal(net).plus(tax))
  const sums = [decimal(totals.net), decimal(totals.gross), ...grossByRate]
  if (sums.some((sum) => sum.abs().gt(maxSum)))
    throw fault(`The sum of an invoice, and of each tax rate, is at most ${maxSum} EUR.`)
  if (Buffer.byteLength(JSON.stringify(lines)) > maxBytesOfLines)
    throw fault('The lines are too long together. Shorten their texts, or create two invoices.')
  return { lines, ...totals }
}

/**
 * The recipient of an invoice: `base` with the fields of `input`. If `input` is null, `base` is ignored. A missing name
 * or e-mail address comes from the party (X8).
 */
export function buyerOf(
  base: Buyer | undefined,
  input: BuyerInput | null | undefined,
  party: { name: string; email: string | null } | undefined,
): Buyer {
  const given = Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== undefined))
  const buyer: Buyer = { ...(input === null ? noBuyer : (base ?? noBuyer)), ...given }
  return { ...buyer, name: buyer.name ?? party?.name ?? null, email: buyer.email ?? party?.email ?? null }
}

/** @throws Failure VALIDATION_ERROR if the services would end before they begin */
export function requireServiceDaysInOrder({
  service_from,
  service_to,
}: Pick<Invoice, 'service_from' | 'service_to'>): void {
  if (service_from !== null && service_to !== null && service_to < service_from)
    throw invalid('The services must not end before they begin.', [
      { path: 'body.service_to', message: `Not before \`service_from\`, ${service_from}.` },
    ])
}

/**
 * The first and last day of the services when an invoice is issued. A missing `service_from` becomes the earliest of
 * all `days` and `service_to`. A missing `service_to` becomes the latest of all `days` and `service_from`.
 *
 * @param days the days of the time entries, or the invoice date if there are none
 */
export function serviceDays(
  { service_from, service_to }: Pick<Invoice, 'service_from' | 'service_to'>,
  days: readonly CalendarDate[],
): { service_from: CalendarDate; service_to: CalendarDate } {
  const known = [...days, service_from, service_to].filter((day) => day !== null).toSorted()
  const [first = '', last = first] = [known[0], known.at(-1)]
  return { service_from: service_from ?? first, service_to: service_to ?? last }
}

/** @throws Failure VALIDATION_ERROR if an invoice would be due before its date */
export function requireDueAfterDate({
  invoice_date,
  due_date,
}: Pick<Invoice, 'invoice_date' | 'due_date'>): void {
  if (due_date !== null && due_date < invoice_date)
    throw invalid('An invoice must not be due before its date.', [
      { path: 'body.due_date', message: `Not before the invoice date, ${invoice_date}.` },
    ])
}

/**
 * Requires the content that an invoice needs before it is issued.
 *
 * @throws Failure VALIDATION_ERROR, whose details name the missing fields
 */
export function requireComplete({ lines, buyer }: Pick<Invoice, 'lines' | 'buyer'>): void {
  const missing: FailureDetail[] = []
  if (lines.length === 0) missing.push({ path: 'lines', message: 'Add at least one line.' })
  if (buyer.name === null)
    missing.push({
      path: 'buyer.name',
      message: 'Set the name of the recipient, or a party (§ 14 Abs. 4 Nr. 1 UStG).',
    })
  if (missing.length > 0) throw invalid('An invoice without lines or recipient cannot be issued.', missing)
}
