import type { EntityItem } from 'electrodb'
import type {
  DocumentChange,
  DocumentKeeper,
  DocumentRecord,
  DocumentRemoval,
  DocumentStore,
  ListedDocument,
} from '#documents/ports.ts'
import { type DocumentToRead, uploadHours } from '#documents/schema.ts'
import type { Job, SendMessage } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { idPrefixes, uuidv7At } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { readAll } from './batch.ts'
import { caseActions } from './case-actions.ts'
import { caseTitles } from './case-titles.ts'
import type { Cursors } from './cursor.ts'
import { type Db, strongly } from './db.ts'
import { documentEntity, documentTwin, documentWatch } from './entities/document.ts'
import { folderPlaces } from './folder-store.ts'
import { lazily } from './lazily.ts'
import { withNulls, withoutNulls } from './nulls.ts'
import type { Outbox } from './outbox.ts'
import { type Listed, searchableList } from './search.ts'
import { type Action, change, demand, erase, put, retryStale, Stale, transact } from './transact.ts'

/** After so long without an outcome a document is sent to be read again: longer than a message can be at work. */
const resendMilliseconds = 60 * 60 * 1_000

const watchShards = [...'0123456789abcdef']

/** How many documents of a shard one sweep looks at. */
const mostPerShard = 1_000

/** One more than are shown of a document. */
const mostTwins = 101

/** Documents in the table. */
export function documentStore(world: {
  db: Db
  cursors: Cursors
  outbox: Outbox
  clock: Clock
  send: SendMessage<DocumentToRead>
  /** What an upload that never came is deleted with. */
  expire: (record: DocumentRecord, at: string) => DocumentRemoval
}): DocumentStore & DocumentKeeper {
  const { db, cursors, outbox, clock, send, expire } = world
  const documents = lazily(() => documentEntity(db))
  const twins = lazily(() => documentTwin(db))
  const watches = lazily(() => documentWatch(db))
  const cases = caseTitles(db)
  const ofCase = caseActions(db)
  const list = searchableList(db, cursors, 'documents')
  const folders = folderPlaces(world)

  const recordOf = (data: Item | null): DocumentRecord | undefined =>
    data === null || data.deleted_at !== undefined || isOver(data.upload_expires_at, clock)
      ? undefined
      : documentRecord(data)

  const find = async (workspaceId: string, id: string): Promise<DocumentRecord | undefined> => {
    const { data } = await documents.get({ workspace_id: workspaceId, id }).go(strongly)
    return recordOf(data)
  }

  const found = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await find(workspaceId, id)
    if (record === undefined) throw notFound('DOCUMENT_NOT_FOUND')
    return record
  }

  /** The places that a document is put into must be there when it is. */
  const inPlaces = async (record: DocumentRecord, before?: DocumentRecord): Promise<Action[]> => [
    ...(record.case_id !== null && record.case_id !== before?.case_id
      ? [ofCase.isThere(record.workspace_id, record.case_id)]
      : []),
    ...(record.folder_id !== null && record.folder_id !== before?.folder_id
      ? [await folders.open(record.workspace_id, record.folder_id)]
      : []),
  ]

  const timelineActions = (workspaceId: string, entries: DocumentChange['timelineEntries']): Action[] =>
    entries.map(({ case_id, entry }) => ofCase.recordTimeline(workspaceId, case_id, entry))

  const watch = (awaited: 'reading' | 'bytes', { id }: { id: string }) => ({
    awaited,
    shard: id.slice(-1),
    id,
  })

  const addition = ({ record, timelineEntries }: DocumentChange): Action[] => [
    put(documents.create(itemOf(record))),
    ...list.changes(record.workspace_id, undefined, listed(record)),
    ...timelineActions(record.workspace_id, timelineEntries),
  ]

  const follow = (before: DocumentRecord | undefined, after: DocumentRecord | undefined): Job[] =>
    list.follow((after ?? before)?.workspace_id ?? '', before && listed(before), after && listed(after))

  /** The record as it is becomes what `decide` says; `more` goes into the same transaction. */
  const alter = (
    workspaceId: string,
    id: string,
    decide: (current: DocumentRecord) => DocumentChange | undefined,
    more: (record: DocumentRecord) => { actions: Action[] },
  ): Promise<DocumentRecord> =>
    retryStale(async () => {
      const before = await found(workspaceId, id)
      const decided = decide(before)
      if (decided === undefined) return before
      const { record, jobs = [] } = decided
      const { actions } = more(record)
      const isSettled = before.status === 'pending' && record.status !== 'pending'
      await outbox.commit(
        [
          put(
            documents
              .put(itemOf(record))
              .where(
                ({ version, deleted_at }, { eq, notExists }) =>
                  `${eq(version, before.version)} AND ${notExists(deleted_at)}`,
              ),
          ),
          ...list.changes(workspaceId, listed(before), listed(record)),
          ...timelineActions(workspaceId, decided.timelineEntries),
          ...(await inPlaces(record, before)),
          ...(isSettled ? [erase(watches.delete(watch('reading', record)))] : []),
          ...actions,
        ],
        [...jobs, ...follow(before, record)],
      )
      return record
    })

  const nothingMore = () => ({ actions: [] })

  /** Notes, unless it is gone or read already, that a document is to be read, and files it under its digest. */
  const recordAccepted = async (workspaceId: string, id: string): Promise<DocumentRecord | undefined> => {
    const record = await find(workspaceId, id)
    if (record === undefined || record.status !== 'pending' || record.sha256 === null) return undefined
    const stillPending = documents
      .remove({ workspace_id: workspaceId, id })
      .where(
        ({ status, deleted_at }, { eq, notExists }) =>
          `${eq(status, 'pending')} AND ${notExists(deleted_at)}`,
      )
    const isThere = await transact(db, [
      demand(stillPending, () => new Stale()),
      put(watches.put({ ...watch('reading', record), workspace_id: workspaceId, sent_at: timestamp(clock) })),
      put(twins.put({ workspace_id: workspaceId, sha256: record.sha256, id, told: false })),
    ]).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Stale) return false
        throw error
      },
    )
    return isThere ? record : undefined
  }

  /** Has every document with these bytes know that there are several. */
  const markDuplicates = async (workspaceId: string, sha256: string): Promise<void> => {
    const { data } = await twins.query
      .oldest({ workspace_id: workspaceId, sha256 })
      .go({ order: 'desc', limit: mostTwins, ...strongly })
    if (data.length < 2) return
    for (const twin of data.filter((one) => !one.told)) {
      const toTell = (current: DocumentRecord) =>
        current.has_twins
          ? undefined
          : { record: { ...current, has_twins: true, version: current.version + 1 }, timelineEntries: [] }
      await alter(workspaceId, twin.id, toTell, nothingMore).catch(unlessGone)
      const { id } = twin
      await transact(db, [
        change(twins.patch({ workspace_id: workspaceId, sha256, id }).set({ told: true })),
      ]).catch(unlessStale)
    }
  }

  const remove: DocumentStore['remove'] = (workspaceId, id, decide) =>
    retryStale(async () => {
      const before = await found(workspaceId, id)
      await removeRecord(before, decide(before))
    })

  const removeRecord = (
    before: DocumentRecord,
    { deleted_at: deletedAt, timelineEntries, jobs = [] }: DocumentRemoval,
  ) => {
    const { workspace_id, id, sha256 } = before
    return outbox.commit(
      [
        change(
          documents
            .patch({ workspace_id, id })
            .set({ deleted_at: deletedAt })
            .where(
              ({ version, deleted_at }, { eq, notExists }) =>
                `${eq(version, before.version)} AND ${notExists(deleted_at)}`,
            ),
        ),
        ...list.changes(workspace_id, listed(before), undefined),
        ...timelineActions(workspace_id, timelineEntries),
        ...(sha256 === null ? [] : [erase(twins.delete({ workspace_id, sha256, id }))]),
        erase(watches.delete(watch('reading', before))),
        erase(watches.delete(watch('bytes', before))),
      ],
      [...jobs, ...follow(before, undefined)],
    )
  }

  /** Sends what is still pending though its message was sent long ago; what is settled is no longer watched. */
  const sendAgain = async (shard: string, now: Date, queueWasLost: boolean): Promise<number> => {
    const { data } = await watches.query
      .oldest({ awaited: 'reading', shard })
      .go({ limit: mostPerShard, ...strongly })
    const before = new Date(now.getTime() - resendMilliseconds).toISOString()
    let sent = 0
    for (const { workspace_id, id, sent_at = '' } of data) {
      if (!queueWasLost && sent_at > before) continue
      const record = await find(workspace_id, id)
      if (record === undefined || record.status !== 'pending') {
        await watches.delete(watch('reading', { id })).go()
        continue
      }
      await send({ workspace_id, document_id: id })
      await transact(db, [
        change(watches.patch(watch('reading', { id })).set({ sent_at: now.toISOString() })),
      ]).catch(unlessStale)
      sent += 1
    }
    return sent
  }

  const removeExpired = async (shard: string, now: Date): Promise<number> => {
    const before = idPrefixes.document + uuidv7At(now.getTime() - uploadHours * 3_600_000)
    const { data } = await watches.query
      .oldest({ awaited: 'bytes', shard })
      .lt({ id: before })
      .go({ limit: mostPerShard, ...strongly })
    for (const { workspace_id, id } of data) {
      const { data: item } = await documents.get({ workspace_id, id }).go(strongly)
      if (item === null || item.deleted_at !== undefined || item.upload_expires_at === undefined)
        await watches.delete(watch('bytes', { id })).go()
      else {
        const record = documentRecord(item)
        await removeRecord(record, expire(record, now.toISOString())).catch(unlessStale)
      }
    }
    return data.length
  }

  return {
    find,

    findAll: async (workspaceId, ids) => {
      const items = await readAll(
        db,
        ids.map((id) => documents.get({ workspace_id: workspaceId, id })),
      )
      return items.flatMap((item) => recordOf(documents.parse({ Item: item }).data) ?? [])
    },

    page: async (workspaceId, { limit, cursor, search, case_id, folder_id, status }) => {
      const wanted = { filters: { case_id, folder_id, status }, search }
      const page = await list.page<Summary>(workspaceId, wanted, { limit, cursor })
      const data = page.data.filter((summary) => !isOver(summary.upload_expires_at ?? undefined, clock))
      return {
        data: data.map((summary) => ({
          ...summary,
          workspace_id: workspaceId,
          metadata: parsed(summary.metadata),
        })),
        pagination: page.pagination,
      }
    },

    duplicates: async (workspaceId, sha256) => {
      const { data } = await twins.query
        .oldest({ workspace_id: workspaceId, sha256 })
        .go({ limit: mostTwins, ...strongly })
      return data.map(({ id }) => id)
    },

    requireAll: async (workspaceId, { case_id, folder_id }) => {
      if (case_id !== null && !(await cases.exists(workspaceId, case_id))) throw notFound('CASE_NOT_FOUND')
      if (folder_id !== null) await retryStale(() => folders.open(workspaceId, folder_id))
    },

    add: (changes) =>
      retryStale(async () => {
        const records = changes.map(({ record }) => record)
        const [first] = records
        if (first === undefined) return
        await outbox.commit(
          [...changes.flatMap(addition), ...(await inPlaces(first))],
          [
            ...changes.flatMap(({ jobs = [] }) => jobs),
            ...records.flatMap((record) => follow(undefined, record)),
          ],
        )
      }),

    announce: (record) =>
      retryStale(async () => {
        await outbox.commit(
          [
            ...addition({ record, timelineEntries: [] }),
            ...(await inPlaces(record)),
            put(watches.create({ ...watch('bytes', record), workspace_id: record.workspace_id })),
          ],
          follow(undefined, record),
        )
      }),

    change: (workspaceId, id, decide) => alter(workspaceId, id, decide, nothingMore),

    complete: (workspaceId, id, decide) =>
      alter(workspaceId, id, decide, (record) => ({
        actions: [erase(watches.delete(watch('bytes', record)))],
      })),

    remove,
    recordAccepted,
    markDuplicates,

    beginAttempt: async (record, at) => {
      const { workspace_id, id } = record
      const attempted = {
        ...record,
        attempts: record.attempts + 1,
        attempted_at: at,
        version: record.version + 1,
      }
      const begun = documents
        .patch({ workspace_id, id })
        .set({ attempts: attempted.attempts, attempted_at: at, version: attempted.version })
        .where(
          ({ version, deleted_at }, { eq, notExists }) =>
            `${eq(version, record.version)} AND ${notExists(deleted_at)}`,
        )
      return transact(db, [change(begun)]).then(
        () => attempted,
        (error: unknown) => {
          if (error instanceof Stale) return undefined
          throw error
        },
      )
    },

    cancelAttempt: ({ workspace_id, id }) =>
      transact(db, [
        change(
          documents
            .patch({ workspace_id, id })
            .subtract({ attempts: 1 })
            .add({ version: 1 })
            .where(({ attempts, status }, { gt, eq }) => `${gt(attempts, 0)} AND ${eq(status, 'pending')}`),
        ),
      ]).catch(unlessStale),

    sweep: async (now, { queueWasLost }) => {
      const result = { sent: 0, expired: 0 }
      await inParallel(watchShards, async (shard) => {
        result.sent += await sendAgain(shard, now, queueWasLost)
        result.expired += await removeExpired(shard, now)
      })
      return result
    },
  }
}

function unlessStale(error: unknown): void {
  if (!(error instanceof Stale)) throw error
}

function unlessGone(error: unknown): void {
  if (!(error instanceof Failure) || error.code !== 'DOCUMENT_NOT_FOUND') throw error
}

function isOver(expiresAt: string | undefined, clock: Clock): boolean {
  return expiresAt !== undefined && expiresAt <= timestamp(clock)
}

const nullable = [
  'status_reason',
  'case_id',
  'folder_id',
  'extracted_text_length',
  'page_count',
  'sha256',
  'upload_expires_at',
  'attempted_at',
] as const

type Item = EntityItem<ReturnType<typeof documentEntity>>

function documentRecord({ deleted_at: _, metadata, assigned_at, ...item }: Item): DocumentRecord {
  return { ...withNulls(item, nullable), assigned_at: assigned_at ?? {}, metadata: parsed(metadata ?? null) }
}

/** What the table holds: as the record, but `metadata` is JSON text. */
function itemOf(record: DocumentRecord) {
  return withoutNulls({ ...record, metadata: written(record.metadata) })
}

/** What the list holds of a document. */
type Summary = Omit<ListedDocument, 'workspace_id' | 'metadata'> & { metadata: string | null }

function written(metadata: DocumentRecord['metadata']): string | null {
  return metadata === null ? null : JSON.stringify(metadata)
}

function parsed(text: string | null): DocumentRecord['metadata'] {
  return text === null ? null : JSON.parse(text)
}

function listed(record: DocumentRecord): Listed {
  const {
    workspace_id: _,
    version: __,
    assigned_at: ___,
    attempts: ____,
    attempted_at: _____,
    metadata,
    ...shown
  } = record
  const { id, filename, status, case_id, folder_id } = record
  const summary: Summary = { ...shown, metadata: written(metadata) }
  return { id, summary, filters: { status, case_id, folder_id }, texts: [filename] }
}
