import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { documentEntity } from '#store/documents/document-entity.ts'
import { redactTriage } from '#store/inbox/redact-triage.ts'
import { triages } from '#store/inbox/triages.ts'
import { erasureInRecords } from '#store/parties/erasure-in-records.ts'
import { partyUse } from '#store/parties/party-entity.ts'
import { transact } from '#store/transact.ts'
import { sharedTable } from '#test/support/table.ts'

/** The triage of a document quotes its text: an erased party leaves it too (R5). */

const triage = {
  ...{ category: 'opponent', priority: 'normal', suggested_assignment: null, confidence: 0.5, final: true },
  case_suggestions: [
    {
      case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
      confidence: 0.5,
      evidence: [{ kind: 'party_name', text: 'Text: „unsere Mandantin Anna Meier“' }],
    },
  ],
  deadline_hints: [
    { text: 'Anna Meier zahlt bis zum 3. Mai 2026.', date: '2026-05-03', period: null, confidence: 0.9 },
  ],
} as const

const redact = (text: string) => text.replaceAll('Anna Meier', '[gelöscht]')

it('the evidence and the hints lose the party, and all else stays', async () => {
  const db = await sharedTable()
  const key = { workspace_id: newId('workspace'), id: newId('document') }
  await transact(db, [triages(db).write(key, triage as never)])

  await redactTriage(db, key.workspace_id, key.id, redact)
  await redactTriage(db, key.workspace_id, key.id, redact)

  const left = await triages(db).find(key.workspace_id, key.id)
  expect(left).toEqual(JSON.parse(redact(JSON.stringify(triage))))
})

it('of a party with the name of a category changes no category', async () => {
  const db = await sharedTable()
  const key = { workspace_id: newId('workspace'), id: newId('document') }
  await transact(db, [triages(db).write(key, triage as never)])

  await redactTriage(db, key.workspace_id, key.id, (text) => text.replaceAll(/opponent|party_name/g, '…'))

  expect(await triages(db).find(key.workspace_id, key.id)).toEqual(triage)
})

it('a document that names the party loses it from its triage', async () => {
  const db = await sharedTable()
  const now = '2026-11-27T09:00:00.000Z'
  const [workspace_id, id, party_id] = [newId('workspace'), newId('document'), newId('party')]
  await documentEntity(db)
    .create({
      ...{ workspace_id, id, filename: 'Brief.pdf', mime_type: 'application/pdf', size_bytes: 1 },
      ...{ status: 'processed', parties: [{ id: party_id, name: 'Anna Meier', is_primary: true }] as never },
      ...{ source: 'upload', created_at: now, updated_at: now, changed_at: now, has_twins: false },
      ...{ attempts: 0, version: 1, deleted_at: now },
    })
    .go()
  await partyUse(db).create({ workspace_id, party_id, named_by: id }).go()
  await transact(db, [triages(db).write({ workspace_id, id }, triage as never)])
  const unused = { change: () => Promise.reject(new Error('It is deleted.')) }
  const steps = erasureInRecords({ db, documents: unused, invoices: unused, withoutParty: () => redact })
  const party = { workspace_id, id: party_id, name: 'Anna Meier', email: null } as never

  for await (const _ of steps.documents(party, null, () => null));

  expect(JSON.stringify(await triages(db).find(workspace_id, id))).not.toContain('Anna Meier')
})
