import { expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { creatingEnvelopes } from '#signing/envelopes/creating.ts'
import type { EnvelopeChange, EnvelopeStore, SignableDocument } from '#signing/ports.ts'
import { noFiles } from '#test/support/an-envelope.ts'

const actor = {
  workspace_id: newId('workspace'),
  user_id: newId('user'),
  user_name: 'Dr. Jana Vogt',
  key_id: newId('apiKey'),
  scopes: [],
}
const caseId = newId('case')
const half = 25 * 1024 * 1024

/** Creates an envelope of documents with these sizes; returns the stored records. */
async function promote(documents: Partial<SignableDocument>[]) {
  const found = documents.map((fields): SignableDocument => {
    const id = newId('document')
    const known = { filename: 'Vertrag.pdf', mime_type: 'application/pdf', sha256: 'ab'.repeat(32) }
    return { id, ...known, size_bytes: 1, case_id: caseId, is_complete: true, key: id, ...fields }
  })
  const added: EnvelopeChange[] = []
  const store = { add: async (change: EnvelopeChange) => void added.push(change) }
  const service = creatingEnvelopes({
    store: store as unknown as EnvelopeStore,
    documents: { findAll: async () => found.toReversed() },
    cases: { exists: async () => true },
    files: noFiles,
    canMail: () => true,
    clock: systemClock,
  })
  const input = { case_id: caseId, document_ids: found.map(({ id }) => id), title: 'Vertrag' }
  const code = await service.promote(actor, input).then(
    () => 'created',
    (error) => `${error.kind} ${error.code}`,
  )
  return { code, added, ids: input.document_ids }
}

it('the documents of an envelope may have 50 MiB together, and not a byte more, and keep the given order', async () => {
  const [full, over] = await Promise.all([
    promote([{ size_bytes: half }, { size_bytes: half }]),
    promote([{ size_bytes: half }, { size_bytes: half + 1 }]),
  ])

  expect([full.code, full.added[0]?.record.documents.map(({ document_id }) => document_id)]).toEqual([
    'created',
    full.ids,
  ])
  expect([over.code, over.added]).toEqual(['too_large PAYLOAD_TOO_LARGE', []])
})

it('missing data is reported before incomplete data, and incomplete data before the size', async () => {
  const other = { case_id: newId('case') }
  const incomplete = { is_complete: false, sha256: null }
  const large = { size_bytes: 3 * half }

  const answers = await Promise.all([promote([large, incomplete, other]), promote([large, incomplete])])

  expect(answers.map(({ code }) => code)).toEqual([
    'not_found DOCUMENT_NOT_FOUND',
    'conflict UPLOAD_INCOMPLETE',
  ])
})
