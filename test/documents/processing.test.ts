import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type DocumentRecord, type DocumentWatches, type ReadText, StillReading } from '#documents/ports.ts'
import { documentProcessing } from '#documents/processing.ts'
import { sweepDocuments } from '#documents/sweep.ts'
import { systemClock } from '#kernel/clock.ts'
import { allDue, endOfTime, only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** The real table and bucket, without the worker that runs beside them: these documents are in no queue. */
async function setUp() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { documentFoundation } = await import('#foundation/documents.ts')
  const base = foundation('test')
  return { ...base, ...documentFoundation(base) }
}

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const never = new AbortController().signal

/** A reader that never returns, as if its worker was killed. */
const neverReads = () => new Promise<never>(() => {})

/** A pending document without a message in the queue. */
async function stored(changes: Partial<DocumentRecord> = {}) {
  const { db, files } = await setUp()
  const { documentEntity } = await import('#store/documents/document-entity.ts')
  const { newId } = await import('#kernel/id.ts')
  const bytes = new TextEncoder().encode('Ein Text.')
  const record = {
    workspace_id: firm.workspace.id,
    id: newId('document'),
    filename: 'a.txt',
    mime_type: 'text/plain',
    size_bytes: bytes.length,
    status: 'pending' as const,
    parties: [],
    sha256: createHash('sha256').update(bytes).digest('hex'),
    source: 'upload' as const,
    created_at: systemClock.now().toISOString(),
    updated_at: systemClock.now().toISOString(),
    changed_at: systemClock.now().toISOString(),
    has_twins: false,
    attempts: 0,
    version: 1,
  }
  const item = { ...record, ...changes } as typeof record
  await documentEntity(db).create(item).go()
  await files.put(`files/${record.workspace_id}/${record.id}/${record.sha256}`, bytes, {
    mimeType: 'text/plain',
    sha256: record.sha256,
  })
  return { workspace_id: record.workspace_id, document_id: record.id }
}

const shown = async (id: string) => (await firm.owner('GET', `/api/v1/documents/${id}`)).body

describe('reading a document', () => {
  it('fails after three attempts that killed their workers', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const dying = documentProcessing({
      store,
      files,
      readText: neverReads,
      clock,
    })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      void dying.process(document, never)
      await expect
        .poll(async () => (await store.find(document.workspace_id, document.document_id))?.attempts, {
          timeout: 60_000,
        })
        .toBe(attempt + 1)
    }

    const later = { now: () => new Date(clock.now().getTime() + 61_000) }
    await documentProcessing({ store, files, readText: neverReads, clock: later }).process(document, never)

    expect(await shown(document.document_id)).toMatchObject({
      status: 'failed',
      status_reason: 'out_of_resources',
      size_bytes: 9,
    })
    expect((await firm.owner('GET', `/api/v1/documents/${document.document_id}/download`)).body).toBe(
      'Ein Text.',
    )
  })

  it('records what could not be read', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const readText = async () => ({
      text: 'Siehe Tabelle',
      page_count: 1,
      word_count: 2,
      unread: 'embedded_unread',
    })

    await documentProcessing({ store, files, readText, clock }).process(document, never)

    expect(await shown(document.document_id)).toMatchObject({
      status: 'processed',
      status_reason: 'embedded_unread',
      extracted_text_length: 13,
    })
  })

  it('again keeps the earlier text if the new reading fails, and says why', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const { workspace_id, document_id: id } = document
    const reading = (read: Awaited<ReturnType<ReadText>>) =>
      documentProcessing({ store, files, readText: async () => read, clock }).process(document, never)
    const pending = { status: 'pending' as const, extracted_text_length: null, page_count: null, attempts: 0 }
    const again = () =>
      store.change(workspace_id, id, (current) => ({
        record: { ...current, ...pending, version: current.version + 1 },
        answer: undefined,
      }))

    await reading({ text: 'Der Text.', page_count: 2, word_count: 2 })
    await again()
    await reading({ refused: 'too_complex' })
    const failed = await shown(id)
    const text = await firm.owner('POST', `/api/v1/documents/${id}/extract`)
    // Reads it again for the pages, which an older release did not store.
    await reading({ text: 'Der Text.', page_count: 2, word_count: 2, page_starts: [0, 4] })
    const withPages = await shown(id)
    await again()
    await reading({ text: 'Der ganze Text.', page_count: 2, word_count: 3 })

    expect(failed).toMatchObject({
      status: 'processed',
      status_reason: 'too_complex',
      extracted_text_length: 9,
      page_count: 2,
    })
    expect(text.body).toEqual({ text: 'Der Text.', page_count: 2, word_count: 2 })
    expect(withPages).toMatchObject({ status: 'processed', status_reason: null, extracted_text_length: 9 })
    expect(await shown(id)).toMatchObject({
      status: 'processed',
      status_reason: null,
      extracted_text_length: 15,
    })
  })

  it('again keeps the earlier text after three dead workers, until one of their attempts succeeds', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored({ attempts: 2 })
    const { workspace_id, document_id: id } = document
    const { promise: late, resolve: succeed } = Promise.withResolvers<Awaited<ReturnType<ReadText>>>()
    const earlier = Buffer.from(JSON.stringify({ text: 'Früher.', page_count: 1, word_count: 1 }))
    const sha256 = createHash('sha256').update(earlier).digest('hex')
    await files.put(`texts/${workspace_id}/${id}`, earlier, { mimeType: 'application/json', sha256 })
    const running = documentProcessing({ store, files, readText: () => late, clock }).process(document, never)
    await expect.poll(async () => (await store.find(workspace_id, id))?.attempts, { timeout: 60_000 }).toBe(3)

    const later = { now: () => new Date(clock.now().getTime() + 61_000) }
    await documentProcessing({ store, files, readText: neverReads, clock: later }).process(document, never)
    const ended = await shown(id)
    succeed({ text: 'Der ganze Text.', page_count: 1, word_count: 3 })
    await running

    expect(ended).toMatchObject({
      status: 'processed',
      status_reason: 'out_of_resources',
      extracted_text_length: 7,
    })
    expect(await shown(id)).toMatchObject({
      status: 'processed',
      status_reason: null,
      extracted_text_length: 15,
    })
  })

  it('starts again if the document was changed in between', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    let begun = 0
    const overtaken: typeof store = {
      ...store,
      beginAttempt: async (record, at) => {
        begun += 1
        if (begun === 1) return undefined
        return store.beginAttempt(record, at)
      },
    }
    const readText = async () => ({ text: 'Ein Text.', page_count: 1, word_count: 2 })
    const { process: work } = documentProcessing({ store: overtaken, files, readText, clock })

    await work(document, never)

    expect(await shown(document.document_id)).toMatchObject({ status: 'processed', extracted_text_length: 9 })
  })

  it('does not fail while the last attempt may still be running', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored({ attempts: 3, attempted_at: systemClock.now().toISOString() })
    const processing = documentProcessing({
      store,
      files,
      readText: () => Promise.reject(new Error('It is not to be read.')),
      clock,
    })

    await expect(processing.process(document, never)).rejects.toThrow('may still be running')
    expect((await shown(document.document_id)).status).toBe('pending')
  })

  it('waits for the accepted bytes if other bytes are stored under their key', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const half = { ...files, read: async (key: string) => (await files.read(key)).subarray(0, 4) }
    const readText = async (bytes: Uint8Array) => ({
      text: String(bytes.length),
      page_count: 1,
      word_count: 1,
    })

    const early = documentProcessing({ store, files: half, readText, clock }).process(document, never)
    await expect(early).rejects.toThrow('not those that were accepted')
    expect((await shown(document.document_id)).status).toBe('pending')

    await documentProcessing({ store, files, readText, clock }).process(document, never)
    expect((await shown(document.document_id)).status).toBe('processed')
  })

  it('fails after three attempts that found damaged bytes', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const damaged = { ...files, read: async () => new TextEncoder().encode('Kein Text') }
    const readText = () => Promise.reject(new Error('It is not to be read.'))
    const processing = documentProcessing({ store, files: damaged, readText, clock })

    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(processing.process(document, never)).rejects.toThrow('not those that were accepted')
    await processing.process(document, never)

    expect(await shown(document.document_id)).toMatchObject({
      status: 'failed',
      status_reason: 'bytes_damaged',
    })
  })

  it('does not count an attempt that another service made fail', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const failing = documentProcessing({
      store,
      files,
      readText: () => Promise.reject(new Error('Textract is out of reach.')),
      clock,
    })

    for (let round = 0; round < 7; round += 1)
      await expect(failing.process(document, never)).rejects.toThrow('out of reach')

    expect(await store.find(document.workspace_id, document.document_id)).toMatchObject({
      status: 'pending',
      attempts: 0,
    })
  })

  it('fails after three attempts that ended with a programming error', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const readText = () => Promise.reject(new TypeError('undefined is not a function'))
    const failing = documentProcessing({ store, files, readText, clock })
    for (let attempt = 1; attempt <= 3; attempt += 1)
      await expect(failing.process(document, never)).rejects.toThrow('not a function')

    const later = { now: () => new Date(clock.now().getTime() + 61_000) }
    await documentProcessing({ store, files, readText, clock: later }).process(document, never)

    expect(await shown(document.document_id)).toMatchObject({
      status: 'failed',
      status_reason: 'out_of_resources',
    })
  })

  it('does not count an attempt that ran out of time while Textract was still reading', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const waiting = documentProcessing({
      store,
      files,
      readText: (_bytes, _document, signal) =>
        new Promise((_, reject) => {
          const stop = () => reject(new StillReading({ cause: signal.reason }))
          // On a busy machine the time may be over before the reading begins.
          if (signal.aborted) stop()
          else signal.addEventListener('abort', stop)
        }),
      clock,
    })

    for (let round = 0; round < 4; round += 1)
      await expect(waiting.process(document, AbortSignal.timeout(50))).rejects.toThrow(StillReading)

    expect(await store.find(document.workspace_id, document.document_id)).toMatchObject({
      status: 'pending',
      attempts: 0,
    })
  })

  it('counts any other attempt that ran out of time', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const slow = documentProcessing({
      store,
      files,
      readText: async (_bytes, _document, signal) => {
        signal.throwIfAborted()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
      clock,
    })

    await expect(slow.process(document, AbortSignal.timeout(50))).rejects.toThrow()

    expect((await store.find(document.workspace_id, document.document_id))?.attempts).toBe(1)
  })

  it('leaves no text of a document that was deleted meanwhile', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const { document_id: id } = document
    const processing = documentProcessing({
      store,
      files,
      readText: async () => {
        expect((await firm.owner('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
        return { text: 'geheim', page_count: 1, word_count: 1 }
      },
      clock,
    })

    await processing.process(document, never)

    expect(await files.head(`texts/${document.workspace_id}/${id}`)).toBeUndefined()
  })

  it('removes the text of a deleted document whose worker died after storing it', async () => {
    const { store, files, clock } = await setUp()
    const document = await stored()
    const { document_id: id } = document
    const readText = async () => {
      expect((await firm.owner('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
      return { text: 'geheim', page_count: 1, word_count: 1 }
    }
    const dying: typeof store = { ...store, change: () => Promise.reject(new Error('killed')) }
    const died = documentProcessing({ store: dying, files, readText, clock }).process(document, never)
    await expect(died).rejects.toThrow('killed')
    const before = await files.head(`texts/${document.workspace_id}/${id}`)

    await documentProcessing({ store, files, readText, clock }).process(document, never)

    expect(before).toBeDefined()
    expect(await files.head(`texts/${document.workspace_id}/${id}`)).toBeUndefined()
  })
})

/** A sweep of the documents of this firm only, because other tests run at the same time. */
async function sweepAt(now: Date, limits = { queueWasLost: false, milliseconds: 60_000 }) {
  const { db, store, send } = await setUp()
  const { documentWatches } = await import('#store/documents/document-watches.ts')
  const all = documentWatches(db)
  const isOurs = ({ workspace_id }: { workspace_id: string }) => workspace_id === firm.workspace.id
  const watches: DocumentWatches = {
    ...all,
    unread: only(all.unread, isOurs),
    announced: only(all.announced, isOurs),
  }
  return sweepDocuments({ store, send, watches, log: console }, now, limits)
}

describe('the sweeper', () => {
  it('sends the lost message of a document again after an hour', async () => {
    const { db, clock } = await setUp()
    const { documentWatch } = await import('#store/documents/document-entity.ts')
    const document = await stored()
    const { workspace_id, document_id: id } = document
    const watches = documentWatch(db)
    const sent = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000).toISOString()
    const watch = { awaited: 'reading' as const, shard: id.slice(-1), id }

    await watches.put({ ...watch, workspace_id, sent_at: sent(59) }).go()
    await sweepAt(clock.now())
    await new Promise((resolve) => setTimeout(resolve, 500))
    const before = await shown(id)
    await watches.put({ ...watch, workspace_id, sent_at: sent(61) }).go()
    await sweepAt(clock.now())

    expect(before.status).toBe('pending')
    await expect.poll(async () => (await shown(id)).status, { timeout: 60_000 }).toBe('processed')
    expect((await watches.get(watch).go()).data).toBeNull()
  })

  it('knows how long a document has waited, even after its message was sent again', async () => {
    const { db } = await setUp()
    const { documentWatch } = await import('#store/documents/document-entity.ts')
    const { documentWatches } = await import('#store/documents/document-watches.ts')
    const { document_id: id, workspace_id } = await stored()
    const shard = id.slice(-1)
    const waits_since = '2026-11-22T14:03:00.000Z'
    const again = new Date('2026-11-22T15:04:00.000Z')
    const watched = async () =>
      (await allDue(documentWatches(db).unread, endOfTime, shard)).filter((watch) => watch.id === id)
    await documentWatch(db).put({ awaited: 'reading', shard, id, workspace_id, sent_at: waits_since }).go()
    const first = await watched()

    await documentWatches(db).sent(id, again)

    expect(first).toEqual([{ workspace_id, id, waits_since, sent_at: waits_since }])
    expect(await watched()).toEqual([{ workspace_id, id, waits_since, sent_at: again.toISOString() }])
    await documentWatches(db).forget('reading', id)
  })

  it('removes an upload whose bytes never arrived, a day after its announcement', async () => {
    const { clock } = await setUp()
    const { body } = await firm.owner('POST', '/api/v1/documents/uploads', {
      body: { filename: 'nie.pdf', mime_type: 'application/pdf', size_bytes: 5 },
    })
    const path = `/api/v1/documents/${body.document.id}`
    const later = (hours: number) => new Date(clock.now().getTime() + hours * 3_600_000)

    await sweepAt(later(23.9))
    const before = await firm.owner('GET', path)
    await sweepAt(later(24.1))
    const after = await firm.owner('GET', path)

    expect([before.status, after.status]).toEqual([200, 404])
    expect((await firm.owner('GET', '/api/v1/documents')).body.data).toEqual([])
  })

  it('leaves the remaining documents to the next sweep when its time is over', async () => {
    const { db, clock } = await setUp()
    const { documentWatch } = await import('#store/documents/document-entity.ts')
    const { workspace_id, document_id: id } = await stored()
    const watch = { awaited: 'reading' as const, shard: id.slice(-1), id }
    await documentWatch(db)
      .put({ ...watch, workspace_id, sent_at: new Date(clock.now().getTime() - 61 * 60_000).toISOString() })
      .go()

    const swept = await sweepAt(clock.now(), { queueWasLost: false, milliseconds: 0 })

    expect(swept).toEqual({ sent: 0, expired: 0, failed: 0 })
    await sweepAt(clock.now())
    await expect.poll(async () => (await shown(id)).status, { timeout: 60_000 }).toBe('processed')
  })
})

describe('documents with the same bytes', () => {
  /** Runs the job as the sweeper does after a failed attempt. */
  const retry = async (payload: unknown) => {
    const { jobs } = await setUp()
    await jobs.run({ name: 'document.accepted', version: 1, payload })
  }

  it('are marked as duplicates by a retried job, even if they were read meanwhile', async () => {
    const first = await stored()
    const second = await stored()
    const { store, files, clock } = await setUp()
    const readText = async () => ({ text: 'Ein Text.', page_count: 1, word_count: 2 })
    const { process } = documentProcessing({ store, files, readText, clock })
    for (const document of [first, second]) await process(document, never)

    for (const { workspace_id, document_id } of [first, second]) {
      const { sha256 } = (await store.find(workspace_id, document_id)) ?? {}
      await retry({ workspace_id, documents: [{ id: document_id, sha256 }] })
    }

    expect(await shown(first.document_id)).toMatchObject({
      status: 'processed',
      duplicate_of: [second.document_id],
    })
    expect((await shown(second.document_id)).duplicate_of).toEqual([first.document_id])
  })

  it('do not include one that was deleted before the job was retried', async () => {
    const [first, gone] = [await stored(), await stored()]
    const { store } = await setUp()
    const { sha256 } = (await store.find(first.workspace_id, first.document_id)) ?? {}
    await firm.owner('DELETE', `/api/v1/documents/${gone.document_id}`)

    const documents = [first, gone].map(({ document_id: id }) => ({ id, sha256 }))
    await retry({ workspace_id: first.workspace_id, documents })

    expect((await shown(first.document_id)).duplicate_of).toEqual([])
  })
})
