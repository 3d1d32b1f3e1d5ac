import * as z from 'zod'
import {
  InvoiceChanges,
  InvoiceInput,
  InvoiceQuery,
  TimeEntryChanges,
  TimeEntryInput,
  TimeEntryQuery,
} from '#billing/input-schema.ts'
import type { InvoiceService } from '#billing/invoices.ts'
import { Invoice, InvoiceSummary, ShownInvoice, TimeEntry } from '#billing/schema.ts'
import type { TimeEntryService } from '#billing/time-entries.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ timeEntries: TimeEntryService; invoices: InvoiceService }>()

const entryId = idOf('timeEntry')
const oneEntry = { params: { id: entryId }, output: TimeEntry, etag: TimeEntry }
const invoiceId = idOf('invoice')
const oneInvoice = { params: { id: invoiceId }, output: ShownInvoice, etag: Invoice }

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const partyId = 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52'
const timeEntry = {
  id: 'time_01993f6a-1c40-7b2e-8d53-9a0e6f4b7c21',
  case_id: caseId,
  user_id: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
  date: '2026-03-16',
  minutes: 90,
  activity: 'Entwurf der Klageschrift',
  billable: true,
  rate: '250.00',
  amount: '375.00',
  invoice_id: null,
  created_at: '2026-03-16T16:20:00.000Z',
}
const { lines: _, basis: __, warnings: ___, ...summary } = invoiceExample('draft')
const draft = invoiceExample('draft')
const issued = invoiceExample('issued')

export const listTimeEntries = endpoint({
  method: 'GET',
  path: '/api/v1/time-entries',
  access: 'billing:read',
  summary: 'List time entries, the newest day first',
  query: TimeEntryQuery,
  output: pageOf(TimeEntry),
  errors: { 400: ['INVALID_DATE_RANGE'] },
  example: {
    query: { billable: 'true', date_from: '2026-03-01', date_to: '2026-03-31' },
    answer: { data: [timeEntry], pagination: onePage },
  },
  handle: ({ timeEntries }, { actor, query }) => timeEntries.list(actor, query),
})

export const createTimeEntry = endpoint({
  method: 'POST',
  path: '/api/v1/time-entries',
  access: 'billing:write',
  summary: 'Record time',
  description: 'The amount is minutes / 60 × rate, rounded to the cent; half a cent rounds away from zero.',
  body: TimeEntryInput,
  status: 201,
  output: TimeEntry,
  etag: TimeEntry,
  errors: { 404: ['CASE_NOT_FOUND', 'USER_NOT_FOUND'] },
  example: {
    body: {
      case_id: caseId,
      date: timeEntry.date,
      minutes: 90,
      activity: timeEntry.activity,
      rate: '250.00',
    },
    answer: timeEntry,
  },
  handle: ({ timeEntries }, { actor, body }) => timeEntries.add(actor, body),
})

export const getTimeEntry = endpoint({
  ...oneEntry,
  method: 'GET',
  path: '/api/v1/time-entries/{id}',
  access: 'billing:read',
  summary: 'Get a time entry',
  errors: { 404: ['TIME_ENTRY_NOT_FOUND'] },
  example: { params: { id: timeEntry.id }, answer: timeEntry },
  handle: ({ timeEntries }, { actor, params }) => timeEntries.get(actor, params.id),
})

export const updateTimeEntry = endpoint({
  ...oneEntry,
  method: 'PATCH',
  path: '/api/v1/time-entries/{id}',
  access: 'billing:write',
  summary: 'Change a time entry',
  description:
    'Changes only the fields in the body. `rate: null` clears the rate. A time entry on an issued invoice cannot be changed. An entry on a draft must stay billable and in its case. The lines of the draft do not change.',
  body: TimeEntryChanges,
  errors: {
    404: ['TIME_ENTRY_NOT_FOUND', 'CASE_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['TIME_ENTRY_INVOICED'],
  },
  example: {
    params: { id: timeEntry.id },
    body: { minutes: 96 },
    answer: { ...timeEntry, minutes: 96, amount: '400.00' },
  },
  handle: ({ timeEntries }, { actor, params, body, precondition }) =>
    timeEntries.change(actor, params.id, body, precondition),
})

export const deleteTimeEntry = endpoint({
  method: 'DELETE',
  path: '/api/v1/time-entries/{id}',
  access: 'billing:write',
  summary: 'Delete a time entry that is on no invoice',
  params: { id: entryId },
  output: z.void(),
  etag: TimeEntry,
  errors: { 404: ['TIME_ENTRY_NOT_FOUND'], 409: ['TIME_ENTRY_INVOICED'] },
  example: { params: { id: timeEntry.id } },
  handle: ({ timeEntries }, { actor, params, precondition }) =>
    timeEntries.remove(actor, params.id, precondition),
})

export const listInvoices = endpoint({
  method: 'GET',
  path: '/api/v1/invoices',
  access: 'billing:read',
  summary: 'List invoices, the newest date first',
  description: 'The answer does not contain the lines.',
  query: InvoiceQuery,
  output: pageOf(InvoiceSummary),
  errors: { 400: ['INVALID_DATE_RANGE'] },
  example: { query: { status: 'draft' }, answer: { data: [summary], pagination: onePage } },
  handle: ({ invoices }, { actor, query }) => invoices.list(actor, query),
})

export const createInvoice = endpoint({
  method: 'POST',
  path: '/api/v1/invoices',
  access: 'billing:write',
  summary: 'Create a draft invoice',
  description:
    'An invoice has at most 500 lines. A line that names a time entry uses its activity, hours and rate, unless the line sets them. Hours have four decimal places. If hours × rate differs from the amount of the time entry, the line bills that amount as one piece. The time entry must be billable, belong to the case and be on no other invoice. With `rvg` (the body of `POST /fees/rvg`) each fee becomes a line with its number (§ 10 RVG), and the invoice keeps the calculation as `basis`.',
  body: InvoiceInput,
  status: 201,
  output: ShownInvoice,
  etag: Invoice,
  errors: {
    404: ['CASE_NOT_FOUND', 'PARTY_NOT_FOUND', 'TIME_ENTRY_NOT_FOUND'],
    409: ['TIME_ENTRY_INVOICED'],
  },
  example: {
    body: {
      case_id: caseId,
      party_id: partyId,
      due_date: '2099-03-31',
      lines: [{ text: 'Entwurf der Klageschrift', quantity: '1.5', unit: 'hour', unit_price: '250.00' }],
    },
    answer: draft,
  },
  handle: ({ invoices }, { actor, body }) => invoices.add(actor, body),
})

export const getInvoice = endpoint({
  ...oneInvoice,
  method: 'GET',
  path: '/api/v1/invoices/{id}',
  access: 'billing:read',
  summary: 'Get an invoice',
  errors: { 404: ['INVOICE_NOT_FOUND'] },
  example: { params: { id: draft.id }, answer: draft },
  handle: ({ invoices }, { actor, params }) => invoices.get(actor, params.id),
})

export const updateInvoice = endpoint({
  ...oneInvoice,
  method: 'PATCH',
  path: '/api/v1/invoices/{id}',
  access: 'billing:write',
  summary: 'Change a draft',
  description:
    'Changes only the fields in the body. `null` clears a field. `lines` replaces all lines. An issued invoice cannot be changed.',
  body: InvoiceChanges,
  errors: {
    404: ['INVOICE_NOT_FOUND', 'CASE_NOT_FOUND', 'PARTY_NOT_FOUND', 'TIME_ENTRY_NOT_FOUND'],
    409: ['INVOICE_NOT_DRAFT', 'TIME_ENTRY_INVOICED'],
  },
  example: {
    params: { id: draft.id },
    body: { buyer_reference: 'Schaden 4711' },
    answer: { ...draft, buyer_reference: 'Schaden 4711' },
  },
  handle: ({ invoices }, { actor, params, body, precondition }) =>
    invoices.change(actor, params.id, body, precondition),
})

export const deleteInvoice = endpoint({
  method: 'DELETE',
  path: '/api/v1/invoices/{id}',
  access: 'billing:write',
  summary: 'Delete a draft',
  description: 'Its time entries can be billed again.',
  params: { id: invoiceId },
  output: z.void(),
  etag: Invoice,
  errors: { 404: ['INVOICE_NOT_FOUND'], 409: ['INVOICE_NOT_DRAFT'] },
  example: { params: { id: draft.id } },
  handle: ({ invoices }, { actor, params, precondition }) => invoices.remove(actor, params.id, precondition),
})

export const issueInvoice = endpoint({
  ...oneInvoice,
  method: 'POST',
  path: '/api/v1/invoices/{id}/issue',
  access: 'billing:write',
  summary: 'Issue an invoice',
  description:
    'Gives the invoice the next number of the year, without gaps. After that only its status changes. If it is already issued, the answer shows it unchanged. Answers 400 if the invoice has no lines or no name of the recipient, or is due before its date. `warnings` names what else to check.',
  errors: { 404: ['INVOICE_NOT_FOUND'] },
  example: { params: { id: draft.id }, answer: issued },
  handle: ({ invoices }, { actor, params, precondition }) => invoices.issue(actor, params.id, precondition),
})

export const payInvoice = endpoint({
  ...oneInvoice,
  method: 'POST',
  path: '/api/v1/invoices/{id}/pay',
  access: 'billing:write',
  summary: 'Mark an issued invoice as paid',
  errors: { 404: ['INVOICE_NOT_FOUND'], 409: ['INVOICE_NOT_ISSUED'] },
  example: {
    params: { id: draft.id },
    answer: { ...issued, status: 'paid', paid_at: '2026-03-30T09:00:00.000Z' },
  },
  handle: ({ invoices }, { actor, params, precondition }) => invoices.pay(actor, params.id, precondition),
})

export const cancelInvoice = endpoint({
  ...oneInvoice,
  method: 'POST',
  path: '/api/v1/invoices/{id}/cancel',
  access: 'billing:write',
  summary: 'Cancel an issued or paid invoice',
  description:
    'Issues another invoice in the same series, with negative amounts. The answer is the cancelled invoice: its `cancelled_by` names the other one. The time entries can then be billed again. A cancellation cannot be cancelled.',
  errors: { 404: ['INVOICE_NOT_FOUND'], 409: ['INVOICE_NOT_ISSUED'] },
  example: {
    params: { id: draft.id },
    answer: { ...issued, status: 'cancelled', cancelled_by: 'inv_01993f6b-7d10-7e5a-b2c4-8f1a3d6e9b07' },
  },
  handle: ({ invoices }, { actor, params, precondition }) => invoices.cancel(actor, params.id, precondition),
})

export const getInvoiceXrechnung = endpoint({
  method: 'GET',
  path: '/api/v1/invoices/{id}/xrechnung',
  access: 'billing:read',
  summary: 'Get an issued invoice as XRechnung',
  description:
    'EN 16931 as UN/CEFACT Cross Industry Invoice. The seller is the `seller` of the workspace at the time of issue. If required fields were not set at that time, all unset fields get their current values, the address as a whole. If fields are still missing, the answer is 409 `XRECHNUNG_INCOMPLETE`, and `details` names each.',
  params: { id: invoiceId },
  produces: 'application/xml',
  output: z.string(),
  headers: { 'Content-Disposition': 'attachment; filename="xrechnung.xml"' },
  errors: { 404: ['INVOICE_NOT_FOUND'], 409: ['INVOICE_NOT_ISSUED', 'XRECHNUNG_INCOMPLETE'] },
  example: { params: { id: draft.id } },
  handle: ({ invoices }, { actor, params }) => invoices.xrechnung(actor, params.id),
})

function invoiceExample(status: 'draft' | 'issued') {
  const at = '2026-03-16T16:30:00.000Z'
  return {
    id: 'inv_01993f6b-2a5e-7c19-9e36-4d8b0f7a1c52',
    number: status === 'draft' ? null : 'R-2026-0001',
    case_id: caseId,
    party_id: partyId,
    status,
    invoice_date: '2026-03-16',
    due_date: '2099-03-31',
    service_from: status === 'draft' ? null : '2026-03-16',
    service_to: status === 'draft' ? null : '2026-03-16',
    buyer: {
      name: 'Anna Meier',
      street: 'Lindenstraße 7',
      postcode: '10969',
      city: 'Berlin',
      country: 'DE',
      email: 'anna.meier@example.de',
      vat_id: null,
    },
    buyer_reference: null,
    lines: [
      {
        text: 'Entwurf der Klageschrift',
        quantity: '1.5',
        unit: 'hour' as const,
        unit_price: '250.00',
        tax_rate: '19',
        net: '375.00',
        time_entry_id: null,
      },
    ],
    basis: null,
    taxes: [{ tax_rate: '19', net: '375.00', tax: '71.25' }],
    net: '375.00',
    tax: '71.25',
    gross: '446.25',
    currency: 'EUR' as const,
    cancels: null,
    cancelled_by: null,
    issued_at: status === 'draft' ? null : at,
    paid_at: null,
    created_at: at,
    updated_at: at,
    warnings: [],
  }
}
