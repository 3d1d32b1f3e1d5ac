import { describe, expect, it } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { envelopeView } from '#signing/envelopes/views.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { accessAttempts } from '#signing/signer/access-attempts.ts'
import { signerActions } from '#signing/signer/signer-actions.ts'
import { signingLinks, type Visit } from '#signing/signer/signing-links.ts'
import { anEnvelope, aSigner } from '#test/support/an-envelope.ts'
import { envelopesInMemory } from './envelopes-in-memory.ts'

const now = new Date('2026-03-17T09:00:00.000Z')
const token = 'a'.repeat(43)
const request = { ip: '203.0.113.7', userAgent: 'Test', language: 'de' as const }
const form = { name: 'Anna Meier', consent: 'yes' as const, signature: Buffer.from('PNG') }

/** A running envelope that its signers have opened, its first signer at the page, and a bucket in memory. */
function opened(fields: Partial<EnvelopeRecord> = {}) {
  const opened_at = '2026-03-16T09:00:00.000Z'
  const link_sha256 = hexDigest(token)
  const signers = [
    aSigner({ name: 'Anna Meier', order: 1, opened_at, link_sha256, mail_key: 'one' }),
    aSigner({ name: 'Bert Schulze', order: 2, opened_at }),
  ]
  const envelope = anEnvelope({
    status: 'in_progress',
    sent_at: opened_at,
    expires_at: '2026-04-16T09:00:00.000Z',
    signers,
    ...fields,
  })
  const memory = envelopesInMemory(envelope)
  const bucket = new Map<string, Uint8Array>()
  const service = signerActions({
    store: memory.store,
    files: {
      put: async (key, bytes) => void bucket.set(key, bytes),
      remove: async (keys) => {
        for (const key of keys) bucket.delete(key)
      },
    },
    checkSignature: async () => {},
    clock: { now: () => now },
  })
  const visit = { workspace_id: envelope.workspace_id, envelope, signer: envelope.signers[0], token } as Visit
  const record = () => memory.records.get(envelope.id) as EnvelopeRecord
  return { ...memory, service, bucket, visit, envelope, record }
}

describe('a drawn signature', () => {
  it('is stored under the key that the record names', async () => {
    const { service, visit, bucket, record } = opened()

    await service.sign(visit, form, request)

    const signature = record().signers[0]?.signature
    expect([...bucket.keys()]).toEqual([signature?.picture_key])
    expect(signature?.picture_sha256).toBe(hexDigest(form.signature))
  })

  it('is removed if the form was repeated, and the drawing of the first form stays', async () => {
    const { service, visit, bucket, record } = opened()

    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => service.sign(visit, form, request)),
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect([...bucket.keys()]).toEqual([record().signers[0]?.signature?.picture_key])
  })

  it('is refused from an approver, and nothing is stored', async () => {
    const { service, visit, bucket, record } = opened()
    const approver = { ...visit, signer: { ...visit.signer, role: 'approver' as const } }

    await expect(service.sign(approver, form, request)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })

    expect([bucket.size, record().signers[0]?.status]).toEqual([0, 'pending'])
  })

  it.each([
    new Error('The answer was lost.'),
    unavailable('The answer was lost.'),
  ])('stays if it is not known whether the change was made: %o', async (lost) => {
    const { visit, bucket, envelope } = opened()
    const unknown = signerActions({
      store: { change: () => Promise.reject(lost) },
      files: { put: async (key, bytes) => void bucket.set(key, bytes), remove: async () => bucket.clear() },
      checkSignature: async () => {},
      clock: { now: () => now },
    })

    await expect(unknown.sign({ ...visit, envelope }, form, request)).rejects.toThrow('The answer was lost.')

    expect(bucket.size).toBe(1)
  })
})

describe('signing one after the other', () => {
  it('sends the next signer a mail if the envelope was sent with mails', async () => {
    const { service, visit, changes, record } = opened({ signing_order: 'sequential', sends_emails: true })

    await service.sign(visit, form, request)

    const [, second] = record().signers
    expect(changes[0]?.jobs).toEqual([
      expect.objectContaining({
        name: 'envelope.mail',
        payload: expect.objectContaining({
          mails: [expect.objectContaining({ kind: 'your_turn', to: { signer_id: second?.id } })],
        }),
      }),
    ])
    expect(second?.delivery).toBe('queued')
    expect(record().sealing_since).toBeNull()
  })

  it('sends no mail if the envelope was sent without mails', async () => {
    const { service, visit, changes } = opened({ signing_order: 'sequential' })

    await service.sign(visit, form, request)

    expect(changes[0]?.jobs).toEqual([])
  })
})

describe('the last signature', () => {
  it('enqueues the sealing of the envelope, and reserves the ids of the sealed documents', async () => {
    const { service, visit, changes, record, envelope } = opened()
    const [first, second] = envelope.signers
    if (first === undefined || second === undefined) throw new Error('There are two signers.')
    envelope.signers.splice(1, 1, { ...second, status: 'signed' })

    await service.sign({ ...visit, signer: first }, form, request)

    expect(record()).toMatchObject({ status: 'in_progress', sealing_since: now.toISOString() })
    expect(record().documents[0]?.sealed?.document_id).toMatch(/^doc_/)
    // No answer names them before the documents are there (S7).
    expect(envelopeView(record(), now).documents[0]?.sealed_document_id).toBeNull()
    expect(changes[0]?.jobs.map(({ name }) => name)).toEqual(['envelope.seal'])
  })
})

describe('declining', () => {
  it('notifies a signer who got a mail, even if a new link has cancelled their newest mail', async () => {
    const { service, visit, changes, envelope } = opened()
    const [, second] = envelope.signers
    if (second === undefined) throw new Error('There are two signers.')
    envelope.signers.splice(1, 1, { ...second, sent_at: '2026-03-16T09:00:00.000Z', mail_key: null })

    await service.decline(visit, { reason: 'Nein.' }, request)

    const { mails } = changes[0]?.jobs[0]?.payload as { mails: { to: unknown }[] }
    expect(mails.map(({ to }) => to)).toContainEqual({ signer_id: second.id })
  })

  it('notifies the user who created the envelope and the other signers who got a mail, not the one who declined', async () => {
    const { service, visit, changes, envelope } = opened({ sends_emails: true })
    const [, second] = envelope.signers
    if (second === undefined) throw new Error('There are two signers.')
    envelope.signers.splice(1, 1, { ...second, mail_key: 'two' })

    await service.decline(visit, { reason: 'Nein.' }, request)

    const { mails } = changes[0]?.jobs[0]?.payload as { mails: { kind: string; to: unknown }[] }
    expect(mails.map(({ kind, to }) => [kind, to])).toEqual([
      ['declined', { user_id: envelope.created_by }],
      ['declined', { signer_id: second.id }],
    ])
  })
})

describe('a link that was replaced between the page and the form', () => {
  it.each(['open', 'sign', 'decline'] as const)('does not let %s', async (what) => {
    const { service, visit, envelope, changes } = opened()
    const [first] = envelope.signers
    if (first === undefined) throw new Error('There are two signers.')
    const before = { ...visit, signer: { ...first } }
    envelope.signers.splice(0, 1, { ...first, link_sha256: hexDigest('b'.repeat(43)) })

    const act = {
      open: () => service.open(before, request),
      sign: () => service.sign(before, form, request),
      decline: () => service.decline(before, { reason: 'Nein.' }, request),
    }

    await expect(act[what]()).rejects.toMatchObject({ code: 'SIGNING_LINK_NOT_FOUND' })
    expect(changes).toEqual([])
  })

  it('gives no access after it was replaced', async () => {
    const { store, visit, envelope } = opened()
    const [first] = envelope.signers
    if (first === undefined) throw new Error('There are two signers.')
    const found = { workspace_id: envelope.workspace_id, envelope_id: envelope.id, signer_id: first.id }
    const { admit } = signingLinks({
      store: { ...store, findLink: async () => found },
      workspaces: { find: async () => ({ name: 'Kanzlei', time_zone: 'Europe/Berlin' }) },
      clock: { now: () => now },
    })
    const before = await admit(visit.token)
    envelope.signers.splice(0, 1, { ...first, link_sha256: hexDigest('b'.repeat(43)) })

    expect(before.signer).toEqual(first)
    await expect(admit(visit.token)).rejects.toMatchObject({ code: 'SIGNING_LINK_NOT_FOUND' })
  })
})

describe('an access code is neither compared nor counted', () => {
  const wrongCode = ({ store }: ReturnType<typeof opened>, visit: Visit) =>
    accessAttempts({ store, clock: { now: () => now } }).unlock(visit, 'falsch', request)

  /** The first signer has an access code. */
  function coded(fields: Partial<EnvelopeRecord> = {}) {
    const at = opened(fields)
    const [first] = at.envelope.signers
    if (first === undefined) throw new Error('There are two signers.')
    const signer = { ...first, access_code_hash: 'scrypt' }
    at.envelope.signers.splice(0, 1, signer)
    return { at, signer, visit: { ...at.visit, signer } }
  }

  it('if the link was replaced in the meantime', async () => {
    const { at, signer, visit } = coded()
    at.envelope.signers.splice(0, 1, { ...signer, link_sha256: hexDigest('b'.repeat(43)) })

    await expect(wrongCode(at, visit)).rejects.toMatchObject({ code: 'SIGNING_LINK_NOT_FOUND' })
    expect(at.changes).toEqual([])
  })

  it('while the envelope is being sealed, because its audit trail is closed', async () => {
    const { at, visit } = coded({ sealing_since: '2026-03-17T08:59:00.000Z' })

    await expect(wrongCode(at, visit)).rejects.toMatchObject({ code: 'ENVELOPE_ENDED' })
    expect(at.changes).toEqual([])
  })
})
