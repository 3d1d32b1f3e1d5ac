import type { InvoiceRecord } from '#billing/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { unavailable } from '#kernel/unavailable.ts'
import type { Db } from '../db.ts'
import { asRead, records } from '../records.ts'
import { type Action, change, demand } from '../transact.ts'
import { invoiceEntity } from './invoice-entity.ts'

/** How long the key of an abandoned invoice stays blocked: far longer than any request runs. */
const abandonedSeconds = 24 * 60 * 60

/** Records of invoices: reading them, and the actions that other transactions need of them. */
export function invoiceRecords(db: Db) {
  const invoices = invoiceEntity(db)
  const { find, add, replace, unchanged } = records<InvoiceRecord>(db, invoiceEntity, {
    missing: 'INVOICE_NOT_FOUND',
    mayLack: {
      'basis.request.client_values': true,
      'basis.request.credited.ordered_on': true,
      'basis.result.lines.checked_until': true,
    },
  })

  const placeOf = (workspace_id: string, id: string) =>
    invoices.get({ workspace_id, id }).params() as { TableName: string; Key: object }

  return {
    /** The record, a deleted one too. */
    find,

    /** Writes a new invoice. @throws Failure 503 if its time entries were freed meanwhile (`abandon`) */
    add: (record: InvoiceRecord): Action =>
      add(record, () => unavailable('The invoice took too long to be written.')),

    replace: (before: InvoiceRecord, after: InvoiceRecord): Action =>
      replace(before, { ...after, version: before.version + 1 }),

    /** Requires that the invoice has not changed since it was read. */
    unchanged,

    /** Requires that the invoice has not changed since it was read. Increments its version: concurrent writes fail. */
    touch: (record: InvoiceRecord): Action =>
      change(
        invoices
          .patch({ workspace_id: record.workspace_id, id: record.id })
          .set({ version: record.version + 1 })
          .where(asRead(record)),
      ),

    /** Requires that there is no such invoice. */
    isMissing: (workspaceId: string, id: string): Action =>
      demand({
        params: () => ({ ...placeOf(workspaceId, id), ConditionExpression: 'attribute_not_exists(version)' }),
      }),

    /**
     * Requires that there is no such invoice, and writes a placeholder under its key for a day. So a stalled request
     * cannot write the invoice later.
     */
    abandon: (workspaceId: string, id: string): Action =>
      change({
        params: () => ({
          ...placeOf(workspaceId, id),
          UpdateExpression: 'SET #ttl = :ttl',
          ConditionExpression: 'attribute_not_exists(version)',
          ExpressionAttributeNames: { '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':ttl': Math.ceil(epochMilliseconds() / 1_000) + abandonedSeconds },
        }),
      }),
  }
}
