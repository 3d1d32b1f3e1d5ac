import { describe, expect, it } from 'vitest'
import { hashOf } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import {
  aWorker,
  type Durable,
  type Step,
  signedEnvelope,
  toySealer,
} from '#test/support/memory-envelopes.ts'

const signal = new AbortController().signal
const messageOf = ({ workspace_id, id: envelope_id }: EnvelopeRecord) => ({ workspace_id, envelope_id })

/** The conditions that must hold once an envelope is completed, whatever happened before. */
function expectCompletedOnce({ envelopes, changes, copies, objects, sealedFiles }: Durable, id: string) {
  const envelope = envelopes.get(id)
  if (envelope === undefined) throw new Error('The envelope is gone.')
  const { documents, signers, status } = envelope
  const ids = documents.map(({ sealed }) => sealed?.document_id)
  expect([status, documents.map(({ sealed }) => sealed?.is_filed)]).toEqual([
    'completed',
    documents.map(() => true),
  ])
  expect(copies.map(({ document_id }) => document_id).toSorted()).toEqual(ids.toSorted())
  // The bucket has the bytes of each copy, with the digest that `verify` knows, and no other bytes.
  const stored = [...objects].filter(([key]) => key.startsWith(`files/${envelope.workspace_id}/`))
  expect(stored.map(([, bytes]) => hexDigest(bytes)).toSorted()).toEqual(
    copies.map(({ sha256 }) => sha256).toSorted(),
  )
  expect(sealedFiles.map(({ sha256 }) => sha256)).toEqual(copies.map(({ sha256 }) => sha256))
  expect(documents.map(({ sealed }) => sealed?.key).toSorted()).toEqual(stored.map(([key]) => key).toSorted())
  const entries = changes.flatMap(({ auditEntries }) => auditEntries)
  expect(entries.map(({ action }) => action)).toEqual(['completed'])
  expect(changes.flatMap(({ timeline }) => timeline)).toHaveLength(1)
  const mails = changes.flatMap(({ jobs }) => jobs).flatMap(({ payload }) => mailsOf(payload))
  const people = mails.map(({ to }) => to.signer_id ?? to.user_id)
  expect(people.toSorted()).toEqual([...signers.map((signer) => signer.id), envelope.created_by].toSorted())
  expect(new Set(mails.map(({ key }) => key)).size).toBe(people.length)
}

function mailsOf(payload: unknown) {
  return (payload as { mails: { key: string; to: { signer_id?: string; user_id?: string } }[] }).mails
}

/** A process that crashes at its nth step and does nothing after it. */
function dyingAt(nth: number): { step: Step; died: Promise<void>; isDead: () => boolean } {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  let steps = 0
  let isDead = false
  const step: Step = () => {
    steps += 1
    if (steps < nth) return Promise.resolve()
    isDead = true
    resolve()
    return new Promise(() => {})
  }
  return { step, died, isDead: () => isDead }
}

describe('the completion of an envelope (S7)', () => {
  it('files a sealed copy of each document, then records completed with its mails', async () => {
    const { durable, envelope } = signedEnvelope(3)

    await aWorker(durable).complete(messageOf(envelope), signal)

    expectCompletedOnce(durable, envelope.id)
    const after = durable.envelopes.get(envelope.id)
    expect(after?.completed_at).toBe(envelope.sealing_since)
    expect(durable.copies.map(({ filename, case_id }) => [filename, case_id])).toEqual(
      [0, 1, 2].map((index) => [`Vollmacht ${index} (signiert).pdf`, envelope.case_id]),
    )
    expect(durable.sealedFiles[0]?.answer).toEqual({
      known: true,
      envelope: { id: envelope.id, title: 'Vollmacht', completed_at: envelope.sealing_since },
      document: { filename: 'Vollmacht 0 (signiert).pdf' },
      signers: ['Anna Meier', 'Bert Schulze'].map((name) => ({
        name,
        signed_at: '2026-03-16T10:00:00.000Z',
      })),
    })
    const [entry] = durable.changes.at(-1)?.auditEntries ?? []
    expect(entry?.previous_hash).toBe(envelope.audit_hash)
    expect(entry && hashOf(entry)).toBe(entry?.hash)
    expect(entry?.details).toEqual({
      documents: after?.documents.map(({ id, filename, sha256, sealed }) => ({
        id,
        filename,
        sha256,
        sealed_document_id: sealed?.document_id,
        sealed_sha256: sealed?.sha256,
        attached_because: null,
      })),
    })
  })

  it('every certificate names the hash of the last audit entry before completion', async () => {
    const { durable, envelope } = signedEnvelope(2)
    const sealer = toySealer()

    await aWorker(durable, { sealer }).complete(messageOf(envelope), signal)

    expect(sealer.calls.map(({ audit_hash }) => audit_hash)).toEqual([
      envelope.audit_hash,
      envelope.audit_hash,
    ])
    expect(durable.changes.at(-1)?.auditEntries[0]?.previous_hash).toBe(envelope.audit_hash)
  })

  it('the same message three times, one after the other and at once, completes it once', async () => {
    const { durable, envelope } = signedEnvelope(2)

    await aWorker(durable).complete(messageOf(envelope), signal)
    await Promise.all([1, 2].map(() => aWorker(durable).complete(messageOf(envelope), signal)))

    expectCompletedOnce(durable, envelope.id)
  })

  it('two workers at the same time, with steps in any order, record one completed and leave only one copy', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { durable, envelope } = signedEnvelope(2)
      let state = seed
      // Each step waits for zero to three turns of the loop, by a sequence that depends on the seed alone.
      const step: Step = async () => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        for (let turn = 0; turn < (state >> 16) % 4; turn += 1) await new Promise(setImmediate)
      }
      const complete = () => aWorker(durable, { step }).complete(messageOf(envelope), signal)

      await Promise.allSettled([complete(), complete(), complete()])
      // A loser's message comes again.
      await complete()

      expectCompletedOnce(durable, envelope.id)
    }
  })

  it('after a crash at any step, the next message finishes: one copy, one completed, no unused bytes', async () => {
    let deaths = 0
    for (let nth = 1; ; nth += 1) {
      const { durable, envelope } = signedEnvelope(2)
      const dying = dyingAt(nth)
      const work = aWorker(durable, { step: dying.step }).complete(messageOf(envelope), signal)
      await Promise.race([work, dying.died])
      if (!dying.isDead()) break
      deaths += 1

      await aWorker(durable).complete(messageOf(envelope), signal)

      expectCompletedOnce(durable, envelope.id)
    }
    expect(deaths).toBeGreaterThan(25)
  })

  it('two crashes, at any two steps, create no duplicates either', async () => {
    for (let first = 1; first <= 26; first += 1) {
      for (let second = 1; second <= 26; second += 1) {
        const { durable, envelope } = signedEnvelope(1)
        for (const nth of [first, second]) {
          const dying = dyingAt(nth)
          const work = aWorker(durable, { step: dying.step }).complete(messageOf(envelope), signal)
          await Promise.race([work, dying.died])
        }

        await aWorker(durable).complete(messageOf(envelope), signal)

        expectCompletedOnce(durable, envelope.id)
      }
    }
  })

  it('the stored copy of a crashed process is removed by another process that seals the same document', async () => {
    const { durable, envelope } = signedEnvelope()
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    const slow: Step = (call, moment) => (call === 'seal' && moment === 'before' ? died : Promise.resolve())
    const dying: Step = (call, moment) => {
      if (call !== 'put' || moment === 'before') return Promise.resolve()
      die()
      return new Promise(() => {})
    }

    const work = aWorker(durable, { step: slow }).complete(messageOf(envelope), signal)
    void aWorker(durable, { step: dying }).complete(messageOf(envelope), signal)
    await work

    expectCompletedOnce(durable, envelope.id)
  })

  it.each([
    [2, [null, null]],
    [3, ['too_complex', null]],
  ])('after %i crashes at the first of two documents, the reasons for attaching them are %j', async (deaths, attached) => {
    const { durable, envelope } = signedEnvelope(2)
    const deadly = toySealer()
    const sealer = {
      seal: async (...input: Parameters<typeof deadly.seal>) =>
        Buffer.from(input[0]).toString() === 'original 0' && !input[2]?.attachOnly
          ? new Promise<never>(() => {})
          : deadly.seal(...input),
    }
    for (let death = 1; death <= deaths; death += 1) {
      const work = aWorker(durable, { sealer }).complete(messageOf(envelope), signal)
      await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 5))])
    }

    await aWorker(durable).complete(messageOf(envelope), signal)

    expectCompletedOnce(durable, envelope.id)
    const documents = durable.envelopes.get(envelope.id)?.documents
    expect(documents?.map(({ sealed }) => sealed?.attached_because)).toEqual(attached)
  })

  it('an unavailable key does not count as an attempt at a document, and the next message completes the envelope', async () => {
    const { durable, envelope } = signedEnvelope(2)
    const failing = { seal: () => Promise.reject(new Error('KMS is away.')) }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const work = aWorker(durable, { sealer: failing }).complete(messageOf(envelope), signal)
      await expect(work).rejects.toThrow('KMS is away.')
    }
    const waiting = durable.envelopes.get(envelope.id)
    expect([waiting?.status, waiting?.seal_again_at !== null]).toEqual(['in_progress', true])

    const sealer = toySealer()
    await aWorker(durable, { sealer }).complete(messageOf(envelope), signal)

    expectCompletedOnce(durable, envelope.id)
    expect(sealer.calls.map(({ attachOnly }) => attachOnly)).toEqual([false, false])
  })

  it('a document that fails does not block the others of its envelope, but the envelope is not completed', async () => {
    const { durable, envelope } = signedEnvelope(3)
    durable.objects.set('files/original-1', Buffer.from('other bytes'))

    const work = aWorker(durable).complete(messageOf(envelope), signal)

    await expect(work).rejects.toThrow('have changed since the signature')
    const after = durable.envelopes.get(envelope.id)
    expect(after?.documents.map(({ sealed }) => sealed?.is_filed)).toEqual([true, false, true])
    expect([after?.status, after?.completed_at]).toEqual(['in_progress', null])
  })

  it('a drawn signature whose bytes changed is not put on a certificate', async () => {
    const { durable, envelope } = signedEnvelope()
    durable.objects.set('signatures/Anna Meier', Buffer.from('forged'))

    await expect(aWorker(durable).complete(messageOf(envelope), signal)).rejects.toThrow(
      'have changed since the signature',
    )

    expect(durable.copies).toEqual([])
  })

  it.each([
    ['missing', undefined, 'bytes_missing', 'fehlt im Speicher'],
    ['changed', Buffer.from('other bytes'), 'bytes_damaged', 'ist im Speicher verändert'],
  ] as const)('bytes that are %s are reported once in record and timeline, until they are restored', async (_, bytes, reason, words) => {
    const { durable, envelope } = signedEnvelope(2)
    const original = durable.objects.get('files/original-1') as Uint8Array
    if (bytes === undefined) durable.objects.delete('files/original-1')
    else durable.objects.set('files/original-1', bytes)

    for (let attempt = 1; attempt <= 5; attempt += 1)
      await expect(aWorker(durable).complete(messageOf(envelope), signal)).rejects.toThrow('files/original-1')

    const waiting = durable.envelopes.get(envelope.id)
    expect([waiting?.status, waiting?.status_reason]).toEqual(['in_progress', reason])
    expect([waiting?.audit_seq, waiting?.audit_hash]).toEqual([envelope.audit_seq, envelope.audit_hash])
    const shown = durable.changes.flatMap(({ timeline }) => timeline)
    expect(shown.map(({ case_id, entry: { type, summary } }) => [case_id, type, summary])).toEqual([
      [
        envelope.case_id,
        'envelope.sealing_failed',
        `Signaturvorgang „Vollmacht“ kann nicht gesiegelt werden: „Vollmacht 1.pdf“ ${words}`,
      ],
    ])

    durable.objects.set('files/original-1', original)
    durable.changes.splice(0)
    await aWorker(durable).complete(messageOf(envelope), signal)

    expectCompletedOnce(durable, envelope.id)
    expect(durable.envelopes.get(envelope.id)?.status_reason).toBeNull()
  })

  it('a failed seal is not reported as lost bytes', async () => {
    const { durable, envelope } = signedEnvelope()
    const failing = { seal: () => Promise.reject(new Error('KMS is away.')) }

    await expect(
      aWorker(durable, { sealer: failing }).complete(messageOf(envelope), signal),
    ).rejects.toThrow()

    expect(durable.envelopes.get(envelope.id)?.status_reason).toBeNull()
  })

  it('if the case was deleted in the meantime, the copies are filed without a case', async () => {
    const { durable, envelope } = signedEnvelope(2)
    durable.deletedCases.add(envelope.case_id)

    await aWorker(durable).complete(messageOf(envelope), signal)

    expectCompletedOnce(durable, envelope.id)
    expect(durable.copies.map(({ case_id }) => case_id)).toEqual([null, null])
  })

  it('an envelope that is not being sealed is not changed', async () => {
    const { durable, envelope } = signedEnvelope()
    const others = [
      { ...envelope, sealing_since: null },
      { ...envelope, status: 'voided' as const },
      { ...envelope, status: 'completed' as const },
    ]
    for (const other of others) {
      durable.envelopes.set(envelope.id, other)
      await aWorker(durable).complete(messageOf(envelope), signal)
      expect(durable.envelopes.get(envelope.id)).toBe(other)
    }
    await aWorker(durable).complete({ workspace_id: 'ws_x', envelope_id: 'env_x' }, signal)
    expect([durable.changes, durable.copies]).toEqual([[], []])
  })
})
