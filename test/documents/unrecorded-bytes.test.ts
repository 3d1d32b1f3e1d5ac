import { createHash } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { announcedUploads } from '#documents/announced-uploads.ts'
import { bytesKey } from '#documents/keys.ts'
import { addDocuments, newRecord } from '#documents/new-documents.ts'
import { sweepUnrecordedBytes } from '#documents/unrecorded-bytes.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { corpus } from '#test/support/documents.ts'
import { allDue, only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** The real table and bucket. */
async function setUp() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { documentFoundation } = await import('#foundation/documents.ts')
  const { documentWatches } = await import('#store/documents/document-watches.ts')
  const base = foundation('test')
  return { ...base, ...documentFoundation(base), watches: documentWatches(base.db) }
}

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

type Deps = Awaited<ReturnType<typeof setUp>>

const bytes = new TextEncoder().encode('Ein Text.')

/** A document of this firm that is about to be added. */
const aRecord = ({ clock }: Deps) =>
  newRecord(clock, firm.workspace.id, {
    filename: 'a.txt',
    mime_type: 'text/plain',
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    source: 'upload',
  })

/** Stores the bytes, and dies before the record is written. */
const addAndDie = (deps: Deps, record: ReturnType<typeof aRecord>) => {
  const store = { ...deps.store, add: () => Promise.reject(new Error('The process is gone.')) }
  return addDocuments({ store, files: deps.files }, [{ record, bytes }], undefined).catch(() => {})
}

/** A sweep of the bytes of this firm only, this number of hours later. */
const sweepIn = async (hours: number, deps: Deps) => {
  const ours = only(deps.watches.stored, ({ workspace_id }) => workspace_id === firm.workspace.id)
  const watches = { ...deps.watches, stored: ours }
  const now = new Date(deps.clock.now().getTime() + hours * 3_600_000)
  const { removed } = await sweepUnrecordedBytes({ ...deps, watches, log: console }, now, 60_000)
  return removed
}

it('bytes without a record are removed after a day, not before, and once', async () => {
  const deps = await setUp()
  const record = aRecord(deps)
  await addAndDie(deps, record)
  const isThere = async () => (await deps.files.head(bytesKey(record))) !== undefined

  const early = [await sweepIn(23, deps), await isThere()]
  const late = [await sweepIn(25, deps), await isThere()]
  const again = await sweepIn(25, deps)

  expect([early, late, again]).toEqual([[0, true], [1, false], 0])
})

it('bytes of a document stay, a deleted document is left alone, and both are checked only once', async () => {
  const deps = await setUp()
  const [kept, deleted] = [aRecord(deps), aRecord(deps)]
  await addDocuments(deps, [{ record: kept, bytes }], undefined)
  await addDocuments(deps, [{ record: deleted, bytes }], undefined)
  await firm.owner('DELETE', `/api/v1/documents/${deleted.id}`)
  // The deletion has removed the bytes of one. If the sweep considered that document unrecorded, it would count it.
  const removed = await sweepIn(25, deps)

  const left = await allDue(deps.watches.stored, new Date(epochMilliseconds() + 90_000_000))
  expect(removed).toBe(0)
  expect(await deps.files.head(bytesKey(kept))).toBeDefined()
  expect(left.filter(({ workspace_id }) => workspace_id === firm.workspace.id)).toEqual([])
})

it('bytes of an announced upload stay if it was completed; if its completion died, they are removed', async () => {
  const deps = await setUp()
  const pdf = corpus('schriftsatz.pdf')
  const sha256 = createHash('sha256').update(pdf).digest('hex')
  const announced = async () => {
    const { body } = await firm.owner('POST', '/api/v1/documents/uploads', {
      body: { filename: 'Anlage.pdf', mime_type: 'application/pdf', size_bytes: pdf.length },
    })
    const { method, url, headers } = body.upload
    await fetch(url, { method, headers, body: pdf })
    return body.document.id as string
  }
  const [completed, died] = [await announced(), await announced()]
  await firm.owner('POST', `/api/v1/documents/${completed}/complete`)
  const store = { ...deps.store, change: () => Promise.reject(new Error('The process is gone.')) }
  const parties = { names: async () => new Map(), reserve: async () => async () => {} }
  const actor = {
    workspace_id: firm.workspace.id,
    user_id: firm.ownerUser.id,
    user_name: '',
    key_id: '',
    scopes: [],
  }
  await announcedUploads({ ...deps, store, parties } as never)
    .complete(actor, died)
    .catch(() => {})
  const areThere = () =>
    Promise.all(
      [completed, died].map(
        async (id) =>
          (await deps.files.head(bytesKey({ workspace_id: firm.workspace.id, id, sha256 }))) !== undefined,
      ),
    )

  const before = await areThere()
  const removed = await sweepIn(25, deps)

  expect([before, removed, await areThere()]).toEqual([[true, true], 1, [true, false]])
})

it('an upload records its bytes for the sweeper before it stores them', async () => {
  const deps = await setUp()
  const record = aRecord(deps)
  const order: string[] = []
  const noteBytes: typeof deps.store.noteBytes = async (noted) => {
    await deps.store.noteBytes(noted)
    order.push('noted')
  }
  const put: typeof deps.files.put = async (...object) => {
    await deps.files.put(...object)
    order.push('stored')
  }

  const store = { ...deps.store, noteBytes }
  await addDocuments({ store, files: { ...deps.files, put } }, [{ record, bytes }], undefined)

  expect(order).toEqual(['noted', 'stored'])
})
