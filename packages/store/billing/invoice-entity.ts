import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** An invoice with its lines. A draft that was deleted stays for the audit (G13). */
export function invoiceEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'invoice', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        /** `R-2026-0001`; absent from a draft. */
        number: { type: 'string' },
        case_id: { type: 'string', required: true },
        party_id: { type: 'string' },
        status: { type: ['draft', 'issued', 'paid', 'cancelled'] as const, required: true },
        invoice_date: { type: 'string', required: true },
        has_given_date: { type: 'boolean', required: true },
        due_date: { type: 'string' },
        service_from: { type: 'string' },
        service_to: { type: 'string' },
        buyer: { type: 'any', required: true },
        buyer_reference: { type: 'string' },
        lines: { type: 'any', required: true },
        taxes: { type: 'any', required: true },
        net: { type: 'string', required: true },
        tax: { type: 'string', required: true },
        gross: { type: 'string', required: true },
        currency: { type: ['EUR'] as const, required: true },
        cancels: { type: 'string' },
        cancelled_by: { type: 'string' },
        issued_at: { type: 'string' },
        paid_at: { type: 'string' },
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** The firm as it was when the invoice was issued. */
        seller: { type: 'any' },
        deleted_at: { type: 'string' },
        /** Counts the changes of the invoice and of the time entries that it holds, and their releases. */
        version: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#invoice#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
