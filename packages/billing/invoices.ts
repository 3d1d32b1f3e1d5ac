import { isDeepStrictEqual } from 'node:util'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { willAnswer } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import { entryOf } from '#timeline/schema.ts'
import { reversed, totalsOf } from './amounts.ts'
import { orderOfDays } from './days.ts'
import {
  buyerOf,
  entriesNamedBy,
  linesOf,
  requireComplete,
  requireDueAfterDate,
  requireOrderOfService,
  serviceDays,
  withTotals,
} from './drafting.ts'
import { type Seller, unsetSeller } from './firm-schema.ts'
import { billedEntries, releaseEntries, requireBillable, whileHolding } from './holding.ts'
import type { InvoiceChanges, InvoiceInput, InvoiceLineInput, InvoiceQuery } from './input-schema.ts'
import type {
  BillingCases,
  BillingParties,
  BillingWorkspaces,
  InvoiceRecord,
  InvoiceStore,
  StoreJobs,
  TimeEntryStore,
  WriteXrechnung,
} from './ports.ts'
import type { Invoice, InvoiceLine, InvoiceSummary } from './schema.ts'
import { summaries } from './summaries.ts'

export type InvoiceService = ReturnType<typeof invoiceService>

/** Throws where the request was made for another state of the invoice. */
type Precondition = (current: Invoice) => void

/** The use cases of invoices (X7). */
export function invoiceService(deps: {
  store: InvoiceStore
  entries: TimeEntryStore
  cases: BillingCases
  parties: BillingParties
  workspaces: BillingWorkspaces
  storeJobs: StoreJobs
  writeXrechnung: WriteXrechnung
  clock: Clock
}) {
  const { store, entries, cases, parties, workspaces, storeJobs, writeXrechnung, clock } = deps

  /** The day in the workspace's time zone, and how the firm appears on invoices. */
  const ofToday = async ({ workspace_id }: Actor): Promise<{ day: string; seller: Seller }> => {
    const workspace = await workspaces.find(workspace_id)
    if (workspace === undefined) throw notFound('WORKSPACE_NOT_FOUND')
    return { day: localDateOf(clock.now(), workspace.time_zone), seller: workspace.seller }
  }

  const requireCase = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    if (!(await cases.exists(workspace_id, id))) throw notFound('CASE_NOT_FOUND')
  }

  /** Keeps the party from being deleted while the invoice is written, and gives what the invoice takes from it. */
  const withParty = async <Result>(
    { workspace_id }: Actor,
    partyId: string | null | undefined,
    invoiceId: string,
    work: (party: Awaited<ReturnType<BillingParties['find']>>) => Promise<Result>,
  ): Promise<Result> => {
    if (partyId === null || partyId === undefined) return work(undefined)
    const party = await parties.find(workspace_id, partyId)
    if (party === undefined) throw notFound('PARTY_NOT_FOUND')
    const release = await parties.reserve(workspace_id, [partyId], invoiceId)
    return work(party).finally(release)
  }

  /** Holds the time entries that the lines name, and completes the lines. */
  const holdAndComplete = async (
    invoice: Pick<Invoice, 'id' | 'case_id'> & { workspace_id: string },
    lines: readonly InvoiceLineInput[],
  ): Promise<InvoiceLine[]> => {
    const ids = entriesNamedBy(lines)
    if (ids.size === 0) return linesOf(lines, [])
    const check = (records: Parameters<typeof requireBillable>[1]) => {
      requireBillable(ids, records, invoice)
      withTotals(linesOf(lines, records))
    }
    return linesOf(lines, await entries.hold(invoice.workspace_id, invoice.id, [...ids.keys()], check))
  }

  const entry = (actor: Actor, id: string, type: string, summary: string) =>
    entryOf(clock, actor, { type, summary, ref: { type: 'invoice', id } })

  const freeing = (invoice: InvoiceRecord, entryIds: readonly string[]) =>
    entryIds.length === 0
      ? []
      : [
          releaseEntries.of({
            workspace_id: invoice.workspace_id,
            invoice_id: invoice.id,
            entry_ids: [...entryIds],
          }),
        ]

  return {
    /** A page of invoices without their lines, the newest date first (X1). @throws Failure INVALID_DATE_RANGE */
    async list(actor: Actor, { limit, cursor, ...filters }: InvoiceQuery): Promise<Page<InvoiceSummary>> {
      orderOfDays(filters)
      return store.page(actor.workspace_id, filters, { limit, cursor })
    },

    /**
     * Makes a draft.
     *
     * @throws Failure CASE_NOT_FOUND, PARTY_NOT_FOUND, TIME_ENTRY_NOT_FOUND, TIME_ENTRY_INVOICED, VALIDATION_ERROR
     */
    async add(actor: Actor, input: InvoiceInput): Promise<Invoice> {
      const { workspace_id } = actor
      const { case_id, party_id, buyer, buyer_reference, due_date = null } = input
      await requireCase(actor, case_id)
      const id = newId('invoice')
      const named = [...entriesNamedBy(input.lines).keys()]
      const now = timestamp(clock)
      const dated = {
        invoice_date: input.invoice_date ?? (await ofToday(actor)).day,
        has_given_date: typeof input.invoice_date === 'string',
        due_date,
        service_from: input.service_from ?? null,
        service_to: input.service_to ?? null,
      }
      requireDueAfterDate(dated)
      requireOrderOfService(dated)
      return withParty(actor, party_id, id, (party) =>
        whileHolding(storeJobs, { workspace_id, id }, named, async () => {
          const record: InvoiceRecord = {
            workspace_id,
            id,
            number: null,
            case_id,
            party_id,
            status: 'draft',
            ...dated,
            buyer: buyerOf(undefined, buyer, party),
            buyer_reference,
            ...withTotals(await holdAndComplete({ workspace_id, id, case_id }, input.lines)),
            currency: 'EUR',
            cancels: null,
            cancelled_by: null,
            issued_at: null,
            paid_at: null,
            created_at: now,
            updated_at: now,
            seller: null,
            deleted_at: null,
            version: 1,
          }
          await store.add(willAnswer(record))
          return record
        }),
      )
    },

    /** @throws Failure INVOICE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Invoice> {
      const record = await store.find(actor.workspace_id, id)
      if (record === undefined) throw notFound('INVOICE_NOT_FOUND')
      return record
    },

    /**
     * Changes what is included of a draft; `lines` replaces all lines.
     *
     * @throws Failure INVOICE_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, TIME_ENTRY_NOT_FOUND, INVOICE_NOT_DRAFT,
     *   TIME_ENTRY_INVOICED, PRECONDITION_FAILED, VALIDATION_ERROR
     */
    async change(
      actor: Actor,
      id: string,
      changes: InvoiceChanges,
      precondition: Precondition = () => {},
    ): Promise<Invoice> {
      const { workspace_id } = actor
      const before = await store.find(workspace_id, id)
      if (before === undefined) throw notFound('INVOICE_NOT_FOUND')
      if (changes.case_id !== undefined && changes.case_id !== before.case_id)
        await requireCase(actor, changes.case_id)
      const named = changes.lines ? [...entriesNamedBy(changes.lines).keys()] : []
      const { day } = await ofToday(actor)

      return withParty(actor, changes.party_id, id, (newParty) =>
        whileHolding(storeJobs, { workspace_id, id }, named, () =>
          store.change(workspace_id, id, async (current) => {
            precondition(current)
            requireDraft(current)
            const case_id = changes.case_id ?? current.case_id
            const party_id = changes.party_id === undefined ? current.party_id : changes.party_id
            const isAddressedAnew = party_id !== current.party_id || changes.buyer !== undefined
            const party =
              newParty ?? (party_id === null ? undefined : await parties.find(workspace_id, party_id))
            const lines =
              changes.lines === undefined && case_id === current.case_id
                ? current.lines
                : await holdAndComplete({ workspace_id, id, case_id }, changes.lines ?? asInput(current))
            const record: InvoiceRecord = {
              ...current,
              case_id,
              party_id,
              ...datesOf(current, changes, day),
              buyer: isAddressedAnew
                ? buyerOf(party_id === current.party_id ? current.buyer : undefined, changes.buyer, party)
                : current.buyer,
              buyer_reference:
                changes.buyer_reference === undefined ? current.buyer_reference : changes.buyer_reference,
              ...withTotals(lines),
            }
            requireDueAfterDate(record)
            requireOrderOfService(record)
            if (isDeepStrictEqual(record, current)) return undefined
            const kept = billedEntries(record)
            const left = [...billedEntries(current)].filter((entryId) => !kept.has(entryId))
            return { record: { ...record, updated_at: timestamp(clock) }, jobs: freeing(current, left) }
          }),
        ),
      )
    },

    /** Deletes a draft and frees its time entries. @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_DRAFT, PRECONDITION_FAILED */
    async remove(actor: Actor, id: string, precondition: Precondition = () => {}): Promise<void> {
      await store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        requireDraft(current)
        return {
          record: { ...current, deleted_at: timestamp(clock) },
          jobs: freeing(current, [...billedEntries(current)]),
        }
      })
    },

    /**
     * Issues a draft under the next number of the year of this day; one that is issued stays as it is. A draft without
     * a given date gets this day's.
     *
     * @throws Failure INVOICE_NOT_FOUND, VALIDATION_ERROR for one without lines or without a recipient's name, or due before
     *   its date, PRECONDITION_FAILED
     */
    async issue(actor: Actor, id: string, precondition: Precondition = () => {}): Promise<Invoice> {
      const { day, seller } = await ofToday(actor)
      return store.change(actor.workspace_id, id, async (current, nextNumber) => {
        precondition(current)
        if (current.status !== 'draft') return undefined
        requireComplete(current)
        const dated = current.has_given_date ? current : { ...current, invoice_date: day }
        requireDueAfterDate(dated)
        const worked = await entries.findAll(actor.workspace_id, [...billedEntries(current)])
        const days = worked.length === 0 ? [dated.invoice_date] : worked.map(({ date }) => date)
        const now = timestamp(clock)
        const record: InvoiceRecord = {
          ...dated,
          ...serviceDays(dated, days),
          status: 'issued',
          number: await nextNumber(day.slice(0, 4)),
          seller,
          issued_at: now,
          updated_at: now,
        }
        return {
          record: willAnswer(record),
          entry: entry(actor, id, 'invoice.issued', summaries.issued(record)),
        }
      })
    },

    /** Notes that an issued invoice was paid; a paid one stays as it is. @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_ISSUED, PRECONDITION_FAILED */
    pay: (actor: Actor, id: string, precondition: Precondition = () => {}): Promise<Invoice> =>
      store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        if (current.status === 'paid') return undefined
        if (current.status !== 'issued') throw notIssued(current)
        const now = timestamp(clock)
        const record: InvoiceRecord = { ...current, status: 'paid', paid_at: now, updated_at: now }
        return { record: willAnswer(record), entry: entry(actor, id, 'invoice.paid', summaries.paid(record)) }
      }),

    /**
     * An issued invoice as XRechnung. The seller is the firm as it was when the invoice was issued; what was not set then
     * is taken from the workspace now.
     *
     * @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_ISSUED for a draft, XRECHNUNG_INCOMPLETE with each missing field
     */
    async xrechnung(actor: Actor, id: string): Promise<string> {
      const { workspace_id } = actor
      const invoice = await store.find(workspace_id, id)
      if (invoice === undefined) throw notFound('INVOICE_NOT_FOUND')
      if (invoice.seller === null) throw notIssued(invoice)
      const { seller: present } = await ofToday(actor)
      const seller = { ...invoice.seller }
      for (const field of sellerFields) seller[field] ??= present[field]
      const preceding = invoice.cancels === null ? null : await store.find(workspace_id, invoice.cancels)
      const written = await writeXrechnung(invoice, seller, preceding ?? null)
      if ('xml' in written) return written.xml
      throw new Failure(
        'conflict',
        'XRECHNUNG_INCOMPLETE',
        'An XRechnung demands more than the invoice and the workspace hold.',
        { details: written.missing },
      )
    },

    /**
     * Cancels an issued or paid invoice by another one of negative amounts, and frees its time entries; a cancelled one
     * stays as it is. What cancels another invoice cannot be cancelled.
     *
     * @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_ISSUED, PRECONDITION_FAILED
     */
    async cancel(actor: Actor, id: string, precondition: Precondition = () => {}): Promise<Invoice> {
      const { day, seller } = await ofToday(actor)
      return store.change(actor.workspace_id, id, async (current, nextNumber) => {
        precondition(current)
        if (current.status === 'cancelled') return undefined
        if (current.status === 'draft' || current.cancels !== null) throw notIssued(current)
        const now = timestamp(clock)
        const lines = reversed(current.lines)
        const added: InvoiceRecord = {
          ...current,
          id: newId('invoice'),
          number: await nextNumber(day.slice(0, 4)),
          status: 'issued',
          invoice_date: day,
          has_given_date: false,
          due_date: null,
          lines,
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
          record: willAnswer(record),
          added,
          entry: entry(actor, id, 'invoice.cancelled', summaries.cancelled(record, added)),
          jobs: freeing(current, [...billedEntries(current)]),
        }
      })
    },
  }
}

const sellerFields = Object.keys(unsetSeller) as (keyof Seller)[]

/** The dates of a draft after a change; null makes it take the day of issue again. */
function datesOf(current: InvoiceRecord, changes: InvoiceChanges, day: string) {
  const after = (field: 'due_date' | 'service_from' | 'service_to') => {
    const given = changes[field]
    return given === undefined ? current[field] : given
  }
  const isDated = changes.invoice_date !== undefined
  return {
    invoice_date: isDated ? (changes.invoice_date ?? day) : current.invoice_date,
    has_given_date: isDated ? changes.invoice_date !== null : current.has_given_date,
    due_date: after('due_date'),
    service_from: after('service_from'),
    service_to: after('service_to'),
  }
}

/** The lines of a draft as they would be given. */
function asInput({ lines }: InvoiceRecord): InvoiceLineInput[] {
  return lines.map(({ net: _, ...line }) => line as InvoiceLineInput)
}

function requireDraft({ status }: InvoiceRecord): void {
  if (status !== 'draft')
    throw new Failure(
      'conflict',
      'INVOICE_NOT_DRAFT',
      'The invoice was issued and does not change any more. Cancel it and make another one.',
    )
}

function notIssued({ status, cancels }: InvoiceRecord): Failure {
  if (status !== 'draft' && cancels !== null)
    return new Failure(
      'conflict',
      'INVOICE_NOT_ISSUED',
      'This invoice cancels another one. It cannot be cancelled.',
    )
  const message =
    status === 'draft' ? 'The invoice is a draft. Issue it first.' : 'The invoice was cancelled.'
  return new Failure('conflict', 'INVOICE_NOT_ISSUED', message)
}
