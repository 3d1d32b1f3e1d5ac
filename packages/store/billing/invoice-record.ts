import type { InvoiceRecord } from '#billing/ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { type Action, change, demand, put, Stale } from '../transact.ts'
import { invoiceEntity } from './invoice-entity.ts'

const nullable = [
  'number',
  'party_id',
  'due_date',
  'service_from',
  'service_to',
  'buyer_reference',
  'cancels',
  'cancelled_by',
  'issued_at',
  'paid_at',
  'seller',
  'deleted_at',
] as const

/** Records of invoices: reading them, and the actions that other transactions need of them. */
export function invoiceRecords(db: Db) {
  const invoices = lazily(() => invoiceEntity(db))
  return {
    /** The record, a deleted one too. */
    async find(workspaceId: string, id: string): Promise<InvoiceRecord | undefined> {
      const { data } = await invoices.get({ workspace_id: workspaceId, id }).go(strongly)
      return data === null ? undefined : (withNulls(data, nullable) as InvoiceRecord)
    },

    add: (record: InvoiceRecord): Action => put(invoices.create(withoutNulls(record))),

    replace: (before: InvoiceRecord, after: InvoiceRecord): Action =>
      put(
        invoices
          .put(withoutNulls({ ...after, version: before.version + 1 }))
          .where(({ version }, { eq }) => eq(version, before.version)),
      ),

    /** Requires that the invoice has not changed since it was read, and makes others who read it read it again. */
    touch: (record: InvoiceRecord): Action =>
      change(
        invoices
          .patch({ workspace_id: record.workspace_id, id: record.id })
          .set({ version: record.version + 1 })
          .where(({ version }, { eq }) => eq(version, record.version)),
      ),

    /** Requires that there is no such invoice. */
    isMissing: (workspaceId: string, id: string): Action => {
      const { Key, TableName } = invoices.get({ workspace_id: workspaceId, id }).params() as {
        Key: object
        TableName: string
      }
      const condition = {
        TableName,
        Key,
        ConditionExpression: 'attribute_not_exists(pk)',
      }
      return demand({ params: () => condition }, () => new Stale())
    },
  }
}
