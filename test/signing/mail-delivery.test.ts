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
  await mailDelivery({ store }).recordDropped({ workspace_id, about })

  expect(records.get(id)?.signers[0]?.delivery).toBe('queued')
  expect(changes).toEqual([])
})

it('only a mail with a link proves that a signer was mailed, so a notice does not', async () => {
  const signer = aSigner({ delivery: null, sent_at: null, mail_key: 'newest' })
  const envelope = anEnvelope({ status: 'completed', signers: [signer] })
  const { store, records } = envelopesInMemory(envelope)
  const { workspace_id, id } = envelope
  const sent_at = '2026-03-16T09:00:00.000Z'
  const outcome = (key: string, link_sha256: string | null) =>
    ({ workspace_id, about: { id, signer_id: signer.id, key, link_sha256 }, state: 'sent', sent_at }) as const

  await mailDelivery({ store }).recordOutcome(outcome('newest', null))
  expect(records.get(id)?.signers[0]).toMatchObject({ delivery: 'sent', sent_at: null })

  await mailDelivery({ store }).recordOutcome(outcome('earlier', 'the hash of a link'))
  expect(records.get(id)?.signers[0]).toMatchObject({ delivery: 'sent', sent_at })
})
