import { beforeAll, describe, expect, it } from 'vitest'
import type { DocumentRecord } from '#documents/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import type { EnvelopeStatus } from '#signing/status-schema.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { aSigner } from '#test/support/an-envelope.ts'
import { envelopeDocument, envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { entry, walk } from '#test/support/mail-stores.ts'
import { caseRemoval } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  stores = envelopeStores(await sharedTable())
})

const inADay = () => new Date(epochMilliseconds() + 86_400_000).toISOString()
const anHourAgo = () => new Date(epochMilliseconds() - 3_600_000).toISOString()

/** Adds an envelope of these documents; documents without a case are assigned to its case. */
async function add(
  workspace: string,
  case_id: string,
  documents: DocumentRecord[],
  changes: Partial<EnvelopeRecord> = {},
): Promise<EnvelopeRecord> {
  const unfiled = documents.filter((document) => document.case_id === null)
  const change = userChange(
    envelopeRecord(workspace, { case_id, documents: documents.map(envelopeDocument), ...changes }),
    {},
    'created',
  )
  const timeline = unfiled.map(({ id }) => ({
    case_id,
    entry: { ...entry('document.assigned'), ref: { type: 'document', id } },
  }))
  await stores.envelopes.add(
    newEnvelope({ ...change, timeline: [...change.timeline, ...timeline] }, ...unfiled.map(({ id }) => id)),
  )
  return change.record
}

const send = (workspace: string, id: string) =>
  applyRule(stores.envelopes, workspace, id, (current) =>
    current.status === 'draft'
      ? userChange(current, { status: 'sent', expires_at: inADay() }, 'sent')
      : undefined,
  )

const become = (workspace: string, id: string, status: EnvelopeStatus) =>
  applyRule(stores.envelopes, workspace, id, (current) => userChange(current, { status }))

const remove = (workspace: string, id: string) =>
  stores.documents.remove(workspace, id, () => ({ deleted_at: anHourAgo(), answer: undefined }))

const assign = (workspace: string, id: string, case_id: string) =>
  stores.documents.change(workspace, id, (current) => ({
    record: { ...current, case_id, version: current.version + 1 },
    answer: undefined,
  }))

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  )

const documentsOf = async (workspace: string, query: object) =>
  (await walk((cursor) => stores.documents.page(workspace, { limit: 50, cursor, ...query }))).items

describe('an envelope of documents that are in no case', () => {
  it('puts them into its case: their records, their lists and the timeline', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const unfiled = await stores.addDocument(workspace)
    const filed = await stores.addDocument(workspace, { case_id })

    const { created_at } = await add(workspace, case_id, [unfiled, filed])

    const after = await stores.documents.find(workspace, unfiled.id)
    expect(after).toEqual({
      ...unfiled,
      case_id,
      assigned_at: { case_id: created_at },
      updated_at: created_at,
      version: unfiled.version + 1,
      changed_at: expect.any(String),
    })
    expect(await stores.documents.find(workspace, filed.id)).toEqual({
      ...filed,
      changed_at: expect.any(String),
    })
    const listed = await documentsOf(workspace, { case_id })
    expect(listed.map(({ id }) => id)).toEqual([filed.id, unfiled.id])
    for (const query of [{}, { status: 'pending' }, { search: 'vollmacht' }]) {
      const shown = (await documentsOf(workspace, query)).find(({ id }) => id === unfiled.id)
      expect(shown?.case_id).toBe(case_id)
    }
    const timeline = await stores.cases.timeline(workspace, case_id, { limit: 50, cursor: undefined })
    expect(timeline.data.map(({ type, ref }) => [type, ref?.id])).toContainEqual([
      'document.assigned',
      unfiled.id,
    ])
  })

  it('twenty of them in folders, in one that is sent to fifty signers, fit into one transaction', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const documents: DocumentRecord[] = []
    for (let at = 0; at < 20; at += 1) documents.push(await stores.addDocument(workspace))
    const signers = Array.from({ length: 50 }, (_, at) => aSigner({ order: at + 1 }))

    const record = await add(workspace, case_id, documents, {
      status: 'sent',
      expires_at: inADay(),
      signers,
    })

    expect((await stores.envelopes.find(workspace, record.id))?.documents).toHaveLength(20)
    expect(await documentsOf(workspace, { case_id })).toHaveLength(20)
    const after = await stores.documents.findAll(
      workspace,
      documents.map(({ id }) => id),
    )
    expect(after.map(({ envelope_ids }) => envelope_ids)).toEqual(after.map(() => [record.id]))
  })

  it('is not made where one was deleted or put into another case meanwhile, and then nothing changes', async () => {
    const workspace = newId('workspace')
    const [case_id, other] = [await stores.addCase(workspace), await stores.addCase(workspace)]
    const meanwhile: ((document: DocumentRecord) => Promise<unknown>)[] = [
      ({ id }) => remove(workspace, id),
      ({ id }) => assign(workspace, id, other),
    ]
    for (const status of ['draft', 'sent'] as const) {
      for (const isFiled of [true, false]) {
        for (const happens of meanwhile) {
          const first = await stores.addDocument(workspace)
          const second = await stores.addDocument(workspace, { case_id: isFiled ? case_id : null })
          await happens(second)

          const code = await codeOf(
            add(workspace, case_id, [first, second], { status, expires_at: inADay() }),
          )

          expect([status, isFiled, code]).toEqual([status, isFiled, 'DOCUMENT_NOT_FOUND'])
          expect(await stores.documents.find(workspace, first.id)).toEqual({
            ...first,
            changed_at: expect.any(String),
          })
        }
      }
    }
    expect((await stores.envelopes.page(workspace, { limit: 10, cursor: undefined })).data).toEqual([])
  })

  it('is made where one was put into the same case meanwhile', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const document = await stores.addDocument(workspace)
    await assign(workspace, document.id, case_id)

    await add(workspace, case_id, [document])

    expect(await documentsOf(workspace, { case_id })).toHaveLength(1)
  })

  it('made while a document is read keeps record and lists the same', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const document = await stores.addDocument(workspace)
    const reading = async () => {
      const processed = (current: DocumentRecord) => ({
        record: { ...current, status: 'processed' as const, version: current.version + 1 },
        answer: undefined,
      })
      await stores.documents.change(workspace, document.id, processed)
    }

    await Promise.all([add(workspace, case_id, [document]), reading(), reading()])

    expect(await stores.documents.find(workspace, document.id)).toMatchObject({
      case_id,
      status: 'processed',
    })
    for (const query of [{}, { case_id }, { status: 'processed' }, { case_id, status: 'processed' }])
      expect(await documentsOf(workspace, query)).toMatchObject([{ id: document.id, case_id }])
    expect(await documentsOf(workspace, { status: 'pending' })).toEqual([])
  })
})

describe('a document of envelopes (D10)', () => {
  const prepared = async (changes: Partial<EnvelopeRecord> = {}) => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const document = await stores.addDocument(workspace, { case_id })
    const { id } = await add(workspace, case_id, [document], changes)
    return { workspace, case_id, document, id }
  }

  it('can be deleted while the envelope is a draft, which then cannot be sent', async () => {
    const { workspace, document, id } = await prepared()

    await remove(workspace, document.id)

    expect(await codeOf(send(workspace, id))).toBe('DOCUMENT_NOT_FOUND')
    expect((await stores.envelopes.find(workspace, id))?.status).toBe('draft')
  })

  it.each(['sent', 'in_progress'] as const)('cannot be deleted while the envelope is %s', async (status) => {
    const { workspace, document, id } = await prepared()
    await send(workspace, id)
    await become(workspace, id, status)

    expect(await codeOf(remove(workspace, document.id))).toBe('DOCUMENT_IN_USE')
    expect(await stores.documents.find(workspace, document.id)).toMatchObject({ envelope_ids: [id] })
  })

  it('cannot be deleted where the envelope was sent as it was made', async () => {
    const { workspace, document } = await prepared({ status: 'sent', expires_at: inADay() })

    expect(await codeOf(remove(workspace, document.id))).toBe('DOCUMENT_IN_USE')
  })

  it.each([
    'completed',
    'declined',
    'voided',
    'expired',
  ] as const)('can be deleted once the envelope is %s', async (status) => {
    const { workspace, document, id } = await prepared()
    await send(workspace, id)
    await become(workspace, id, status)

    expect(await codeOf(remove(workspace, document.id))).toBe('done')
    expect(await codeOf(remove(workspace, document.id))).toBe('DOCUMENT_NOT_FOUND')
  })

  it('can be deleted once the time of the envelope is over, even if nobody recorded it, but not while it is sealed', async () => {
    const over = await prepared({ status: 'sent', expires_at: anHourAgo() })
    const sealing = await prepared({
      status: 'in_progress',
      expires_at: anHourAgo(),
      sealing_since: anHourAgo(),
      seal_again_at: inADay(),
    })

    expect(await codeOf(remove(over.workspace, over.document.id))).toBe('done')
    expect(await codeOf(remove(sealing.workspace, sealing.document.id))).toBe('DOCUMENT_IN_USE')
  })

  it('of several envelopes cannot be deleted while one of them needs it', async () => {
    const { workspace, case_id, document, id } = await prepared({ status: 'sent', expires_at: inADay() })
    const other = await add(workspace, case_id, [document], { status: 'sent', expires_at: inADay() })
    await become(workspace, id, 'completed')

    expect(await codeOf(remove(workspace, document.id))).toBe('DOCUMENT_IN_USE')
    await become(workspace, other.id, 'voided')
    expect(await codeOf(remove(workspace, document.id))).toBe('done')
  })

  it('keeps its envelopes when it is assigned, read or marked as a duplicate', async () => {
    const { workspace, document, id } = await prepared({ status: 'sent', expires_at: inADay() })

    await assign(workspace, document.id, await stores.addCase(workspace))
    await stores.documents.markDuplicates(workspace, document.sha256 ?? '')

    expect(await codeOf(remove(workspace, document.id))).toBe('DOCUMENT_IN_USE')
    await become(workspace, id, 'voided')
    expect(await codeOf(remove(workspace, document.id))).toBe('done')
  })

  it('deleted and sent at once, twenty times: never both', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { workspace, document, id } = await prepared()
        const [sent, removed] = await Promise.all([
          codeOf(send(workspace, id)),
          codeOf(remove(workspace, document.id)),
        ])
        const after = await stores.envelopes.find(workspace, id)
        const left = await stores.documents.find(workspace, document.id)
        return { codes: [sent, removed], status: after?.status, isThere: left !== undefined }
      }),
    )

    const either = [
      { codes: ['done', 'DOCUMENT_IN_USE'], status: 'sent', isThere: true },
      { codes: ['DOCUMENT_NOT_FOUND', 'done'], status: 'draft', isThere: false },
    ]
    for (const outcome of outcomes) expect(either).toContainEqual(outcome)
  })

  it('stays where an envelope whose time was over is given more before the deletion is written', async () => {
    const { workspace, document, id } = await prepared({ status: 'sent', expires_at: anHourAgo() })
    // As if the request for more time had begun just before the time was over.
    const prolong = () =>
      applyRule(stores.envelopes, workspace, id, (current) => userChange(current, { expires_at: inADay() }))
    let isProlonged = false
    const documents = stores.documentsWith(async (...asked) => {
      const conditions = await stores.requireUnused(...asked)
      if (!isProlonged) await prolong()
      isProlonged = true
      return conditions
    })

    const removed = documents.remove(workspace, document.id, () => ({
      deleted_at: anHourAgo(),
      answer: undefined,
    }))

    expect(await codeOf(removed)).toBe('DOCUMENT_IN_USE')
    expect(isProlonged).toBe(true)
    expect(await stores.documents.find(workspace, document.id)).toMatchObject({ id: document.id })
  })
})

describe('a sealed copy', () => {
  const sealing = async (case_id?: string) => {
    const workspace = newId('workspace')
    const inCase = case_id ?? (await stores.addCase(workspace))
    const document = await stores.addDocument(workspace, { case_id: inCase })
    const { id } = await add(workspace, inCase, [document], { status: 'in_progress' })
    const copy = {
      document_id: newId('document'),
      filename: 'Vollmacht (signiert).pdf',
      size_bytes: 4_096,
      sha256: hexDigest(newId('document')),
      case_id: inCase as string | null,
    }
    return { workspace, case_id: inCase, document, id, copy }
  }
  type Sealing = Awaited<ReturnType<typeof sealing>>

  const sealedFile = ({ id, copy }: Pick<Sealing, 'id' | 'copy'>) => ({
    sha256: copy.sha256,
    answer: {
      known: true as const,
      envelope: { id, title: 'Vollmacht', completed_at: '2026-03-16T08:30:00.000Z' },
      document: { filename: copy.filename },
      signers: [{ name: 'Max Müller', signed_at: '2026-03-16T08:30:00.000Z' }],
    },
  })

  const file = ({ workspace, id, copy }: Pick<Sealing, 'workspace' | 'id' | 'copy'>) =>
    stores.envelopes.fileCopy(workspace, id, (current) => {
      const [document] = current.documents
      if (document === undefined || document.sealed?.is_filed) return { answer: undefined }
      const sealed = {
        document_id: copy.document_id,
        attempts: 1,
        sha256: copy.sha256,
        key: `files/${copy.sha256}`,
        size_bytes: copy.size_bytes,
        attached_because: null,
        is_filed: true,
      }
      return {
        ...userChange(current, { documents: [{ ...document, sealed }] }),
        copy,
        sealedFile: sealedFile({ id, copy }),
        answer: undefined,
      }
    })

  it('is filed as a document of the case with its lists, its timeline and its digest, at once', async () => {
    const given = await sealing()

    await file(given)

    const { workspace, case_id, copy } = given
    expect(await stores.documents.find(workspace, copy.document_id)).toMatchObject({
      source: 'signing',
      status: 'pending',
      mime_type: 'application/pdf',
      filename: copy.filename,
      sha256: copy.sha256,
      case_id,
    })
    for (const query of [{ case_id }, { search: 'signiert' }, { status: 'pending' }])
      expect((await documentsOf(workspace, query)).map(({ id }) => id)).toContain(copy.document_id)
    const timeline = await stores.cases.timeline(workspace, case_id, { limit: 50, cursor: undefined })
    expect(timeline.data.filter(({ ref }) => ref?.id === copy.document_id)).toMatchObject([
      { type: 'document.created', actor: { type: 'system', name: 'Aktenlage' } },
    ])
    expect(await stores.envelopes.findSealedFile(copy.sha256)).toEqual({
      ...sealedFile(given),
      workspace_id: workspace,
    })
    expect(await stores.envelopes.findSealedFile(hexDigest('another'))).toBeUndefined()
  })

  it('filed twenty times at once is filed once', async () => {
    const given = await sealing()

    await Promise.all(Array.from({ length: 20 }, () => file(given)))

    const { workspace, case_id, copy } = given
    expect((await documentsOf(workspace, { case_id })).map(({ id }) => id)).toContain(copy.document_id)
    const timeline = await stores.cases.timeline(workspace, case_id, { limit: 50, cursor: undefined })
    expect(timeline.data.filter(({ ref }) => ref?.id === copy.document_id)).toHaveLength(1)
  })

  it('is filed in its case after the deletion of the case too, and in no case once that is being disposed of', async () => {
    const [given, late] = [await sealing(), await sealing()]
    const { workspace, case_id, copy } = given
    for (const one of [given, late])
      await stores.cases.remove(one.workspace, one.case_id, async () =>
        caseRemoval(one.case_id, entry('case.deleted')),
      )
    const disposed = { workspace_id: late.workspace, id: late.case_id }
    await caseEntity(await sharedTable())
      .patch(disposed)
      .set({ disposal_id: newId('disposal') })
      .go()

    await file(given)
    expect(await codeOf(file(late))).toBe('CASE_NOT_FOUND')
    const { documents, envelopes } = stores
    expect(await documents.find(workspace, copy.document_id)).toMatchObject({ case_id })
    expect(await documents.find(late.workspace, late.copy.document_id)).toBeUndefined()
    expect(await envelopes.findSealedFile(late.copy.sha256)).toBeUndefined()

    await file({ ...late, copy: { ...late.copy, case_id: null } })
    expect(await documents.find(late.workspace, late.copy.document_id)).toMatchObject({ case_id: null })
  })
})
