import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import type { InvoiceRecord } from '#billing/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { newId } from '#kernel/id.ts'
import type { StoredParty } from '#parties/erasure-ports.ts'
import { withoutParty } from '#parties/redaction.ts'
import { invoiceEntity } from '#store/billing/invoice-entity.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import type { Db } from '#store/db.ts'
import { documentEntity } from '#store/documents/document-entity.ts'
import { erasureInRecords } from '#store/parties/erasure-in-records.ts'
import { partyUse } from '#store/parties/party-entity.ts'
import { sharedTable } from '#test/support/table.ts'

/** A party, and a deleted draft of an invoice to it. */
async function prepare(db: Db) {
  const workspace_id = newId('workspace')
  const party: StoredParty = {
    ...{ workspace_id, id: newId('party'), type: 'person', name: 'Anna Meier' },
    ...{ email: null, phone: null, address: null, version: 1 },
    ...{ created_at: now, updated_at: now, changed_at: now, deleted_at: now },
  }
  const key = { workspace_id, id: newId('invoice') }
  await invoiceEntity(db)
    .create({
      ...key,
      ...{ case_id: newId('case'), party_id: party.id, status: 'draft', version: 3, deleted_at: now },
      ...{ invoice_date: '2026-11-27', has_given_date: false, created_at: now, updated_at: now },
      ...{ net: '0.00', tax: '0.00', gross: '0.00', currency: 'EUR', taxes: [] },
      buyer: { name: 'Anna Meier' } as InvoiceRecord['buyer'],
      lines: [{ text: 'Beratung von Anna Meier' }] as InvoiceRecord['lines'],
    })
    .go()
  await partyUse(db).create({ workspace_id, party_id: party.id, named_by: key.id }).go()
  const leave = async (where: Db) => {
    const unused = { change: () => Promise.reject(new Error('It is deleted.')) }
    const deps = { db: where, documents: unused, invoices: unused, withoutParty }
    for await (const _ of erasureInRecords(deps).invoices(party, null, () => null));
    return (await invoiceEntity(db).get(key).go()).data
  }
  return { key, leave }
}

const now = '2026-11-27T09:00:00.000Z'

it('a deleted draft of an invoice loses its recipient', async () => {
  const db = await sharedTable()
  const { leave } = await prepare(db)

  const left = await leave(db)

  expect(left).toMatchObject({ version: 4, lines: [{ text: 'Beratung von [gelöscht]' }] })
  expect([left?.party_id, left?.buyer]).toEqual([undefined, expect.objectContaining({ name: null })])
})

it('a deleted draft that is disposed of at the same moment does not come back', async () => {
  const db = await sharedTable()
  const { key, leave } = await prepare(db)
  const Key = (invoiceEntity(db).get(key).params() as { Key: Record<string, string> }).Key
  const send = db.client.send.bind(db.client)
  const client = Object.create(db.client, {
    send: {
      value: async (command: { input: object }) => {
        const answer = await send(command as never)
        // The disposal comes right after the erasure has read the draft.
        if (JSON.stringify(command.input).includes(key.id) && 'RequestItems' in command.input)
          await send(new DeleteCommand({ TableName: db.table, Key }))
        return answer
      },
    },
  })

  expect(await leave({ ...db, client })).toBeNull()
})

it('a document that is moved into a case with a hold after it was read stays as it is', async () => {
  const db = await sharedTable()
  const [workspace_id, id, party_id, held] = [
    newId('workspace'),
    newId('document'),
    newId('party'),
    newId('case'),
  ]
  await caseEntity(db)
    .put({
      ...{ workspace_id, id: held, name: 'Schulze', file_number: '0001/19', status: 'closed' },
      ...{ parties: [], staff: [], created_at: now, updated_at: now, changed_at: now, version: 1 },
    })
    .go()
  const parties = [{ id: party_id, name: 'Anna Meier', is_primary: true }]
  await documentEntity(db)
    .put({
      ...{
        workspace_id,
        id,
        filename: 'Anna Meier.pdf',
        mime_type: 'application/pdf',
        size_bytes: 1,
        parties,
      },
      ...{
        status: 'processed',
        source: 'upload',
        has_twins: false,
        attempts: 0,
        envelope_ids: [],
        version: 1,
      },
      ...{ created_at: now, updated_at: now, changed_at: now },
    })
    .go()
  await partyUse(db).put({ workspace_id, party_id, named_by: id }).go()
  const moved = { filename: 'Anna Meier.pdf', parties, metadata: null, case_id: held, version: 2 }
  const written: unknown[] = []
  const documents = {
    change: async (_: string, __: string, decide: (before: DocumentRecord) => { record?: unknown }) =>
      void written.push(decide(moved as unknown as DocumentRecord).record),
  }
  const invoices = { change: () => Promise.reject(new Error('There are none.')) }
  const party = {
    ...{ workspace_id, id: party_id, type: 'person', name: 'Anna Meier' },
    ...{ email: null, phone: null, address: null },
  } as unknown as StoredParty

  const step = erasureInRecords({ db, documents, invoices, withoutParty }).documents
  for await (const _ of step(party, null, (one) => (one.id === held ? 'LEGAL_HOLD' : null)));

  expect(written).toEqual([undefined])
})
