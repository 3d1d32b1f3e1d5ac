import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, invalidAt, notFound, required, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { billedEntries } from './billed-schema.ts'
import {
  buyerOf,
  entriesNamedBy,
  linesOf,
  requireDueAfterDate,
  requireServiceDaysInOrder,
  withTotals,
} from './drafting.ts'
import { basisOf, feeLines } from './fee-lines.ts'
import { releaseJobs, requireBillable, whileHolding } from './holding.ts'
import { type InvoiceChanges, type InvoiceInput, type InvoiceLineInput, maxLines } from './input-schema.ts'
import { type InvoiceDeps, todayAndSeller } from './invoice-deps.ts'
import { shownInvoice } from './invoice-warnings.ts'
import type { BillingParties, InvoiceRecord } from './ports.ts'
import type { Invoice, InvoiceLine, ShownInvoice } from './schema.ts'

/** The use cases of invoices that are not issued yet (X7). */
export function invoiceDrafts(deps: InvoiceDeps) {
  const { store, entries, cases, parties, storeJobs, calculateRvg, clock } = deps

  const requireCase = async ({ workspace_id }: Actor, id: string): Promise<void> => {
    if (!(await cases.exists(workspace_id, id)))
      throw notFound('CASE_NOT_FOUND', unknownAt('body.case_id', id))
  }

  /**
   * Calls `work` with the party, and prevents its deletion until `work` has written the invoice. Without a party id it
   * calls `work` with undefined.
   *
   * @throws Failure PARTY_NOT_FOUND
   */
  const withParty = async <Result>(
    { workspace_id }: Actor,
    partyId: string | null | undefined,
    invoiceId: string,
    work: (party: Awaited<ReturnType<BillingParties['find']>>) => Promise<Result>,
  ): Promise<Result> => {
    if (partyId === null || partyId === undefined) return work(undefined)
    const found = await parties.find(workspace_id, partyId)
    const party = required(found, 'PARTY_NOT_FOUND', unknownAt('body.party_id', partyId))
    const release = await parties.reserve(workspace_id, [partyId], invoiceId)
    return work(party).finally(release)
  }

  /** Holds the time entries that the lines name, and returns the lines, completed with values from these entries. */
  const holdAndComplete = async (
    invoice: Pick<Invoice, 'id' | 'case_id'> & { workspace_id: string },
    lines: readonly InvoiceLineInput[],
  ): Promise<InvoiceLine[]> => {
    const ids = entriesNamedBy(lines)
    if (ids.size === 0) return linesOf(lines, [])
    const find = (id: string) => store.find(invoice.workspace_id, id)
    const check = async (records: Parameters<typeof requireBillable>[1]) => {
      await requireBillable(ids, records, invoice, find)
      withTotals(linesOf(lines, records))
    }
    return linesOf(lines, await entries.hold(invoice.workspace_id, invoice.id, [...ids.keys()], check))
  }

  return {
    /**
     * Creates a draft.
     *
     * @throws Failure CASE_NOT_FOUND, PARTY_NOT_FOUND, TIME_ENTRY_NOT_FOUND, TIME_ENTRY_INVOICED, REQUEST_IN_PROGRESS,
     *   VALIDATION_ERROR
     */
    async add(actor: Actor, input: InvoiceInput): Promise<Answered<ShownInvoice>> {
      const { workspace_id } = actor
      const { case_id, party_id, buyer, buyer_reference, due_date = null } = input
      await requireCase(actor, case_id)
      const id = newId('invoice')
      const named = [...entriesNamedBy(input.lines).keys()]
      const now = timestamp(clock)
      const { day: today, seller } = await todayAndSeller(deps, actor)
      const basis = input.rvg
        ? basisOf(input.rvg, await calculateRvg(input.rvg, { today, path: 'body.rvg' }))
        : null
      const ofFees = feeLines(basis?.result)
      if (ofFees.length + input.lines.length > maxLines)
        throw invalidAt('body.lines', `At most ${maxLines} lines, with the ${ofFees.length} of \`rvg\`.`)
      const dated = {
        invoice_date: input.invoice_date ?? today,
        has_given_date: typeof input.invoice_date === 'string',
        due_date,
        service_from: input.service_from ?? null,
        service_to: input.service_to ?? null,
      }
      requireDueAfterDate(dated)
      requireServiceDaysInOrder(dated)
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
            ...withTotals([
              ...ofFees,
              ...(await holdAndComplete({ workspace_id, id, case_id }, input.lines)),
            ]),
            basis,
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
          return store.add({ record, answer: shownInvoice(record, seller, party) })
        }),
      )
    },

    /**
     * Changes the fields of a draft that are in `changes`. `lines` replaces all lines.
     *
     * @throws Failure INVOICE_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, TIME_ENTRY_NOT_FOUND, INVOICE_NOT_DRAFT,
     *   TIME_ENTRY_INVOICED, PRECONDITION_FAILED, VALIDATION_ERROR
     */
    async change(
      actor: Actor,
      id: string,
      changes: InvoiceChanges,
      precondition: Precondition<Invoice> = anyState,
    ): Promise<ShownInvoice> {
      const { workspace_id } = actor
      const before = required(await store.find(workspace_id, id), 'INVOICE_NOT_FOUND')
      if (changes.case_id !== undefined && changes.case_id !== before.case_id)
        await requireCase(actor, changes.case_id)
      const named = changes.lines ? [...entriesNamedBy(changes.lines).keys()] : []
      const { day, seller } = await todayAndSeller(deps, actor)

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
              basis: changes.lines === undefined ? current.basis : null,
            }
            requireDueAfterDate(record)
            requireServiceDaysInOrder(record)
            if (isDeepStrictEqual(record, current)) return { answer: shownInvoice(current, seller, party) }
            const kept = billedEntries(record)
            const left = [...billedEntries(current)].filter((entryId) => !kept.has(entryId))
            const changed = { ...record, updated_at: timestamp(clock) }
            const answer = shownInvoice(changed, seller, party)
            return { record: changed, jobs: releaseJobs(current, left), answer }
          }),
        ),
      )
    },

    /**
     * Deletes a draft and frees its time entries. @throws Failure INVOICE_NOT_FOUND, INVOICE_NOT_DRAFT,
     * PRECONDITION_FAILED
     */
    async remove(actor: Actor, id: string, precondition: Precondition<Invoice> = anyState): Promise<void> {
      await store.change(actor.workspace_id, id, (current) => {
        precondition(current)
        requireDraft(current)
        return {
          record: { ...current, deleted_at: timestamp(clock) },
          jobs: releaseJobs(current, [...billedEntries(current)]),
          answer: undefined,
        }
      })
    },
  }
}

/**
 * The dates of a draft after a change. `invoice_date: null` sets today's date, which issuing replaces by the day of
 * issue.
 */
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

function asInput({ lines }: InvoiceRecord): InvoiceLineInput[] {
  return lines.map(({ net: _, ...line }) => line as InvoiceLineInput)
}

function requireDraft({ status }: InvoiceRecord): void {
  if (status !== 'draft')
    throw conflict(
      'INVOICE_NOT_DRAFT',
      'The invoice was issued and can no longer be changed. Cancel it and create another one.',
    )
}
