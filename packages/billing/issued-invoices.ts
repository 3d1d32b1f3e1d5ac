import type { CalendarDate } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, type Failure, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { entryOf } from '#timeline/schema.ts'
import { reversed, totalsOf } from './amounts.ts'
import { billedEntries } from './billed-schema.ts'
import { requireComplete, requireDueAfterDate, serviceDays } from './drafting.ts'
import type { Seller } from './firm-schema.ts'
import { releaseJobs } from './holding.ts'
import { type InvoiceDeps, sellerOf, todayAndSeller } from './invoice-deps.ts'
import { shownInvoice } from './invoice-warnings.ts'
import type { InvoiceDecision, InvoiceRecord } from './ports.ts'
import type { Invoice, ShownInvoice } from './schema.ts'
import { summaries } from './summaries.ts'

/** The use cases that issue an invoice and that handle issued invoices (X7, X8). */
export function issuedInvoices(deps: InvoiceDeps) {
  const { store, entries, parties, workspaces, writeXrechnung, clock } = deps

  const timelineOf = (actor: Actor, { case_id, id }: InvoiceRecord, type: string, summary: string) => [
    { case_id, entry: entryOf(clock, actor, { type, summary, ref: { type: 'invoice', id } }) },
  ]

  /**
   * Changes an invoice under the next number of the current year. The change may wait for its number, so `decide` gets
   * the day on which it runs: date, year of the number and `issued_at` agree, and a later number never has an earlier
   * day. If the year ends meanwhile, the change begins again with the numbers of the new year.
   */
  const changeNumbered = async <Answer>(
    { workspace_id }: Actor,
    id: string,
    decide: (
      current: InvoiceRecord,
      issuing: { number: string; day: CalendarDate; now: string; seller: Seller },
    ) => Promise<InvoiceDecision<Answer>> | InvoiceDecision<Answer>,
  ): Promise<Answered<Answer>> => {
    const { time_zone, seller } = required(await workspaces.find(workspace_id), 'WORKSPACE_NOT_FOUND')
    for (;;) {
      const year = localDateOf(clock.now(), time_zone).slice(0, 4)
      try {
        return await store.changeNumbered(workspace_id, id, year, (current, number) => {
          const now = clock.now()
          const day = localDateOf(now, time_zone)
          if (!day.startsWith(year)) throw new YearEnded()
          return decide(current, { number, day, now: now.toISOString(), seller })
        })
      } catch (error) {
        if (!(error instanceof YearEnded)) throw error
      }
    }
  }

  return {
    /**
     * Issues a draft. It gets the next number of the current year, and today's date if no date was given. An invoice
     * that is already issued does not change.
     *
     * @throws Failure INVOICE_NOT_FOUND; VALIDATION_ERROR if it has no lines, no name of the recipient, or is due
     *   before its date; PRECONDITION_FAILED
     */
    async issue(
      actor: Actor,
      id: string,
      precondition: Precondition<Invoice> = anyState,
    ): Promise<Answered<ShownInvoice>> {
      return changeNumbered(actor, id, async (current, { number, day, now, seller }) => {
        precondition(current)
        if (current.status !== 'draft') return { answer: shownInvoice(current, sellerOf(current, seller)) }
        requireComplete(current)
        const dated = current.has_given_date ? current : { ...current, invoice_date: day }
        requireDueAfterDate(dated)
        const worked = await entries.findAll(actor.workspace_id, [...billedEntries(current)])
        const days = worked.length === 0 ? [dated.invoice_date] : worked.map(({ date }) => date)
        const party =
          current.party_id === null ? undefined : await parties.find(actor.workspace_id, current.party_id)
        const record: InvoiceRecord = {
          ...dated,
          ...serviceDays(dated, days),
          status: 'issued',
          number,
          seller,
          issued_at: now,
          updated_at: now,
        }
        return {
          record,
          timeline: timelineOf(actor, record, 'invoice.issued', summaries.issued(record)),
          answer: shownInvoice(record, seller, party),
        }
      })
    },

    /**
     * Records that an issued invoice was paid. A paid invoice does not change.
     *
     * @throws Failure INVOICE_NOT_FOUND; INVOICE_NOT_ISSUED for a draft or a cancelled invoice; PRECONDITION_FAILED
     */
    async pay(
      actor: Actor,
      id: string,
      precondition: Precondition<Invoice> = anyState,
    ): Promise<Answered<ShownInvoice>> {
      const present = (await todayAndSeller(deps, actor)).seller
      return store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        const seller = sellerOf(current, present)
        if (current.status === 'paid') return { answer: shownInvoice(current, seller) }
        if (current.status !== 'issued') throw notIssued(current)
        const now = timestamp(clock)
        const record: InvoiceRecord = { ...current, status: 'paid', paid_at: now, updated_at: now }
        const timeline = timelineOf(actor, record, 'invoice.paid', summaries.paid(record))
        return { record, timeline, answer: shownInvoice(record, seller) }
      })
    },

    /**
     * An issued invoice as XRechnung (XML). The seller is the firm as it was when the invoice was issued. If required
     * fields were not set at that time, all unset fields are taken from the workspace as it is now, the address as a
     * whole.
     *
     * @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_ISSUED for a draft, XRECHNUNG_INCOMPLETE with each missing field
     */
    async xrechnung(actor: Actor, id: string): Promise<string> {
      const { workspace_id } = actor
      const invoice = required(await store.find(workspace_id, id), 'INVOICE_NOT_FOUND')
      if (invoice.seller === null) throw notIssued(invoice)
      const preceding = invoice.cancels === null ? undefined : await store.find(workspace_id, invoice.cancels)
      const write = (seller: Seller) => writeXrechnung(invoice, seller, preceding ?? null)
      const asIssued = await write(invoice.seller)
      if ('xml' in asIssued) return asIssued.xml
      const written = await write(sellerOf(invoice, (await todayAndSeller(deps, actor)).seller))
      if ('xml' in written) return written.xml
      throw conflict(
        'XRECHNUNG_INCOMPLETE',
        'Fields that an XRechnung needs are missing. `details` names them.',
        { details: written.missing },
      )
    },

    /**
     * Cancels an issued or paid invoice: issues another invoice with negative amounts, and frees the time entries.
     * Returns the cancelled invoice. An invoice that is already cancelled does not change.
     *
     * @throws Failure INVOICE_NOT_FOUND; INVOICE_NOT_ISSUED for a draft or a cancellation;
     *   PRECONDITION_FAILED
     */
    async cancel(
      actor: Actor,
      id: string,
      precondition: Precondition<Invoice> = anyState,
    ): Promise<Answered<ShownInvoice>> {
      return changeNumbered(actor, id, (current, { number, day, now, seller }) => {
        precondition(current)
        if (current.status === 'cancelled') return { answer: shownInvoice(current, seller) }
        if (current.status === 'draft' || current.cancels !== null) throw notIssued(current)
        const lines = reversed(current.lines)
        const added: InvoiceRecord = {
          ...current,
          id: newId('invoice'),
          number,
          status: 'issued',
          invoice_date: day,
          has_given_date: false,
          due_date: null,
          lines,
          basis: null,
          ...totalsOf(lines),
          cancels: id,
          seller,
          issued_at: now,
          paid_at: null,
          created_at: now,
          updated_at: now,
          version: 1,
        }
        const record: InvoiceRecord = {
          ...current,
          status: 'cancelled',
          cancelled_by: added.id,
          updated_at: now,
        }
        return {
          record,
          added,
          timeline: timelineOf(actor, record, 'invoice.cancelled', summaries.cancelled(record, added)),
          jobs: releaseJobs(current, [...billedEntries(current)]),
          answer: shownInvoice(record, seller),
        }
      })
    },
  }
}

/** Thrown if a year ended while an invoice waited for a number of it. */
class YearEnded extends Error {
  constructor() {
    super('The year of the number has ended.')
    this.name = 'YearEnded'
  }
}

function notIssued({ status, cancels }: InvoiceRecord): Failure {
  if (status !== 'draft' && cancels !== null)
    return conflict(
      'INVOICE_NOT_ISSUED',
      'This invoice is a cancellation. A cancellation cannot be cancelled.',
    )
  const message =
    status === 'draft' ? 'The invoice is a draft. Issue it first.' : 'The invoice was cancelled.'
  return conflict('INVOICE_NOT_ISSUED', message)
}
