import { describe, expect, it } from 'vitest'
import { signerViews } from '#signing/signer/signer-views.ts'
import type { Visit } from '#signing/signer/signing-links.ts'
import { anEnvelope } from '#test/support/an-envelope.ts'

const completed_at = '2026-03-16T09:00:00.000Z'
const key = 'files/vollmacht-gesiegelt'

/** A visit to a completed envelope, and its views with a bucket that has these objects. */
function completedOver(objects: readonly string[], now = '2026-03-17T09:00:00.000Z') {
  const [document] = anEnvelope().documents
  if (document === undefined) throw new Error('The envelope has no document.')
  const sealed = {
    document_id: document.document_id,
    attempts: 0,
    sha256: 'cd'.repeat(32),
    key,
    size_bytes: 2_000,
    attached_because: null,
    is_filed: true,
  }
  const envelope = anEnvelope({
    status: 'completed',
    sent_at: completed_at,
    sealing_since: completed_at,
    completed_at,
    documents: [{ ...document, sealed }],
  })
  const views = signerViews({
    files: {
      head: async (asked) => (objects.includes(asked) ? { sizeBytes: 2_000 } : undefined),
      stream: async (asked) => {
        if (!objects.includes(asked)) throw new Error('NoSuchKey')
        return (async function* () {})()
      },
      read: async () => expect.fail('a sealed copy is streamed'),
    },
    clock: { now: () => new Date(now) },
  })
  return { views, visit: { envelope, signer: envelope.signers[0] } as Visit, id: document.id }
}

describe('a document behind a magic link (S6)', () => {
  it.each([
    ['text/plain', Buffer.from('Vergütung über 1.000 €'), 'text/plain; charset=utf-8'],
    ['text/plain', Buffer.from('Verg\xfctung', 'latin1'), 'text/plain; charset=windows-1252'],
    ['application/pdf', Buffer.from('%PDF'), 'application/pdf'],
  ])('of type %s has the right charset', async (mime_type, bytes, type) => {
    const envelope = anEnvelope({ status: 'in_progress', sent_at: completed_at })
    const [document] = envelope.documents
    if (document === undefined) throw new Error('The envelope has no document.')
    const signer = { ...envelope.signers[0], status: 'signed' }
    const of = { ...envelope, documents: [{ ...document, mime_type }], signers: [signer] }
    const views = signerViews({
      files: {
        head: async () => undefined,
        stream: async () => expect.fail('nobody has opened it'),
        read: async () => bytes,
      },
      clock: { now: () => new Date(completed_at) },
    })

    expect(await views.document({ envelope: of, signer } as Visit, document.id)).toMatchObject({
      mimeType: type,
    })
  })
})

describe('a sealed copy behind a magic link (S5)', () => {
  it('is the file that was sealed', async () => {
    const { views, visit, id } = completedOver([key])

    const copy = await views.sealedCopy(visit, id)

    expect(copy).toMatchObject({ filename: 'Vollmacht (signiert).pdf', sizeBytes: 2_000 })
    await expect(copy.open(undefined)).resolves.toBeDefined()
  })

  it('is not available before the envelope is completed', async () => {
    const { views, visit, id } = completedOver([key])
    const envelope = { ...visit.envelope, status: 'in_progress', completed_at: null } as const

    await expect(views.sealedCopy({ ...visit, envelope }, id)).rejects.toMatchObject({
      code: 'DOCUMENT_NOT_FOUND',
    })
  })

  it('is available for 30 days, and not a millisecond longer', async () => {
    const last = completedOver([key], '2026-04-15T08:59:59.999Z')
    const over = completedOver([key], '2026-04-15T09:00:00.000Z')

    await expect(last.views.sealedCopy(last.visit, last.id)).resolves.toBeDefined()
    await expect(over.views.sealedCopy(over.visit, over.id)).rejects.toMatchObject({
      code: 'DOCUMENT_NOT_FOUND',
    })
  })

  it('is not found, without a server error, after the office has deleted it', async () => {
    const { views, visit, id } = completedOver([])

    await expect(async () => {
      const copy = await views.sealedCopy(visit, id)
      await copy.open(undefined)
    }).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' })
  })
})
