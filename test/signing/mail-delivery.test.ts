import { expect, it } from 'vitest'
import { mailDelivery } from '#signing/mail/mail-delivery.ts'
import { anEnvelope, aSigner } from '#test/support/an-envelope.ts'
import { envelopesInMemory } from './envelopes-in-memory.ts'

it('a dropped invitation does not change the queued reminder that replaced it', async () => {
  const signer = aSigner({ delivery: 'queued', mail_key: 'reminder' })
  const envelope = anEnvelope({ status: 'sent', signers: [signer] })
  const { store, records, changes } = envelopesInMemory(envelope)
  const { workspace_id, id } = envelope

  const about = { id, signer_id: signer.id, key: 'invitation', link_sha256: null }
  await mailDelivery({ store }).drop({ workspace_id, about })

  expect(records.get(id)?.signers[0]?.delivery).toBe('queued')
  expect(changes).toEqual([])
})
