import { bytesKey } from '#documents/keys.ts'
import { notFound } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type {
  CopyToFile,
  EnvelopeChange,
  EnvelopeRecord,
  SealedCopy,
  SealedFile,
  Sealer,
} from '#signing/ports.ts'
import { beginSealing } from '#signing/sealing/begin-sealing.ts'
import { type CompletionDeps, completion } from '#signing/sealing/completion.ts'
import { anEnvelope, aSigner } from './an-envelope.ts'

/** The data that outlives a process: the table and the bucket, as far as completion uses them. */
export type Durable = {
  envelopes: Map<string, EnvelopeRecord>
  changes: EnvelopeChange[]
  copies: SealedCopy[]
  sealedFiles: SealedFile[]
  objects: Map<string, Uint8Array>
  deletedCases: Set<string>
}

/** An action of a process before and after a call of a port takes effect. It may never return. */
export type Step = (call: string, moment: 'before' | 'after') => Promise<void>

const goesOn: Step = async () => {}

/** An envelope that everybody has signed, with this number of documents, and the durable data that holds it. */
export function signedEnvelope(documents = 1): { durable: Durable; envelope: EnvelopeRecord } {
  const durable: Durable = {
    envelopes: new Map(),
    changes: [],
    copies: [],
    sealedFiles: [],
    objects: new Map(),
    deletedCases: new Set(),
  }
  const signed = (name: string, order: number, picture: Uint8Array | null) => {
    const picture_key = picture && `signatures/${name}`
    if (picture_key !== null && picture !== null) durable.objects.set(picture_key, picture)
    return aSigner({
      name,
      order,
      status: 'signed',
      sent_at: '2026-03-16T09:00:00.000Z',
      opened_at: '2026-03-16T09:30:00.000Z',
      signed_at: '2026-03-16T10:00:00.000Z',
      signature: {
        name,
        consent: 'Ich unterschreibe.',
        picture_key,
        picture_sha256: picture && hexDigest(picture),
        ip: '192.0.2.7',
        user_agent: 'Firefox',
      },
    })
  }
  const original = (index: number) => {
    const bytes = Buffer.from(`original ${index}`)
    const key = `files/original-${index}`
    durable.objects.set(key, bytes)
    const filename = `Vollmacht ${index}.pdf`
    const [id, document_id] = [newId('envelopeDocument'), newId('document')]
    const about = { mime_type: 'application/pdf', size_bytes: bytes.length, sealed: null }
    return { id, document_id, filename, key, sha256: hexDigest(bytes), ...about }
  }
  const running = anEnvelope({
    status: 'in_progress',
    documents: Array.from({ length: documents }, (_, index) => original(index)),
    signers: [
      signed('Anna Meier', 1, Buffer.from('picture')),
      signed('Bert Schulze', 2, null),
      aSigner({ name: 'Clara Copy', role: 'cc', order: 3 }),
    ],
    audit_seq: 4,
    audit_hash: 'c'.repeat(64),
  })
  const { fields } = beginSealing(running, new Date('2026-03-16T10:00:00.000Z'))
  const envelope = { ...running, ...fields }
  durable.envelopes.set(envelope.id, envelope)
  return { durable, envelope }
}

/**
 * A sealer whose files differ each time, like files with a time stamp. They name the originals and facts they
 * contain.
 */
export function toySealer(): Sealer & { calls: { attachOnly: boolean; audit_hash: string }[] } {
  const calls: { attachOnly: boolean; audit_hash: string }[] = []
  return {
    calls,
    seal: async (original, { audit_hash }, { attachOnly = false } = {}) => {
      calls.push({ attachOnly, audit_hash })
      return {
        pdf: Buffer.from(`sealed ${Buffer.from(original)} ${newId('job')}`),
        form: attachOnly ? 'attached' : 'appended',
        attachedBecause: attachOnly ? 'too_complex' : null,
      }
    },
  }
}

/** A process that completes envelopes on the durable data. */
export function aWorker(durable: Durable, options: { step?: Step; sealer?: Sealer } = {}) {
  const { step = goesOn, sealer = toySealer() } = options
  const { envelopes, changes, copies, sealedFiles, objects, deletedCases } = durable

  const at = async <Result>(call: string, effect: () => Result): Promise<Result> => {
    await step(call, 'before')
    const result = effect()
    await step(call, 'after')
    return result
  }

  /** Reads, lets other processes run, and writes only if the version is unchanged, as the table does. */
  const change = async <Changed extends EnvelopeChange, Answer>(
    call: string,
    id: string,
    decide: (
      current: EnvelopeRecord,
    ) => (Changed & { answer: Answer }) | { record?: undefined; answer: Answer },
    also: (change: Changed) => void,
  ): Promise<Answered<Answer>> => {
    for (;;) {
      const before = envelopes.get(id)
      if (before === undefined) throw notFound('ENVELOPE_NOT_FOUND')
      const decided = decide(before)
      if (decided.record === undefined) return unchanged(decided.answer)
      const isWritten = await at(call, () => {
        if (envelopes.get(id)?.version !== before.version) return false
        also(decided)
        envelopes.set(id, decided.record)
        changes.push(decided)
        return true
      })
      if (isWritten) return unchanged(decided.answer)
    }
  }

  const deps: CompletionDeps = {
    store: {
      find: (_, id) => at('find', () => envelopes.get(id)),
      change: (_, id, decide) => change('change', id, decide, () => {}),
      fileCopy: (_, id, decide) =>
        change('fileCopy', id, decide, ({ copy, sealedFile }: EnvelopeChange & CopyToFile) => {
          if (copy.case_id !== null && deletedCases.has(copy.case_id)) throw notFound('CASE_NOT_FOUND')
          copies.push(copy)
          sealedFiles.push(sealedFile)
        }),
    },
    files: {
      head: (key) =>
        at('head', () => {
          const bytes = objects.get(key)
          return bytes && { sizeBytes: bytes.length }
        }),
      read: (key) =>
        at('read', () => {
          const bytes = objects.get(key)
          if (bytes === undefined) throw new Error(`There is no ${key}.`)
          return bytes
        }),
      put: (key, bytes) => at('put', () => void objects.set(key, bytes)),
      remove: (keys) =>
        at('remove', () => {
          for (const key of keys) objects.delete(key)
        }),
    },
    workspaces: { find: async () => ({ name: 'Kanzlei Vogt', time_zone: 'Europe/Berlin' }) },
    sealer: {
      seal: async (...input) => {
        await step('seal', 'before')
        const sealed = await sealer.seal(...input)
        await step('seal', 'after')
        return sealed
      },
    },
    keyOf: bytesKey,
    log: { warn: () => {} },
    clock: { now: () => new Date('2026-03-16T10:00:05.000Z') },
  }
  return completion(deps)
}
