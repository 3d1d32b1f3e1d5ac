import { textFileOf } from '#bea/messages/message-schema.ts'
import type { BeaMessageChange, BeaMessageRecord, BeaMessageStore, KnownMessage } from '#bea/ports.ts'
import { processArrivals } from '#inbox/arrival-schema.ts'
import { required } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { readAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import { triages } from '../inbox/triages.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { noteLeft } from '../retention/removed-in-case.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, retryStale } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { beaImportEntity } from './bea-message-entity.ts'
import { beaMessageEvents } from './bea-message-events.ts'
import { beaMessageRecords, folderFilter, remoteKey, seenFilter } from './bea-message-records.ts'

/**
 * Messages of beA in the table. A list entry holds what its message is found by, and of the message the id alone; a
 * page reads the messages that it names. Two users may see different messages of a postbox. So a page merges one list
 * for each account, with confidential messages in lists of their own.
 */
export function beaMessageStore(deps: StoreDeps): BeaMessageStore {
  const { db, outbox } = deps
  const imports = beaImportEntity(db)
  const ofCase = caseActions(db)
  const judged = triages(db)
  const recordEvents = eventActions(db)
  const { list, find, findAll, addition, replacement, follow } = beaMessageRecords(deps)

  const known: BeaMessageStore['known'] = async (workspace_id, postbox_safe_id, remoteIds) => {
    const gets = remoteIds.map((id) =>
      imports.get({ workspace_id, postbox_safe_id, remote_key: remoteKey(id) }),
    )
    // A postbox has thousands of them: only what is needed, and without ElectroDB.
    const items = (await readAll(db, gets, ['remote_id', ...knownFields])) as StoredImport[]
    return new Map(items.map(({ remote_id, receipt = null, ...one }) => [remote_id, { ...one, receipt }]))
  }

  const also = (change: BeaMessageChange, before?: BeaMessageRecord): Action[] => {
    const { record, timeline = [], events = beaMessageEvents(before, record), triage } = change
    return [
      ...ofCase.recordTimelines(record.workspace_id, timeline),
      ...recordEvents(record.workspace_id, events),
      ...(triage === undefined ? [] : [judged.write(record, triage)]),
    ]
  }

  return {
    find,
    findAll,

    page: (workspaceId, seen, { account_id, search = '', ...asked }, { limit, cursor }) => {
      const { folder, case_id, direction, unassigned } = asked
      const filters = {
        folder: folder && folderFilter(folder),
        case_id,
        direction,
        unassigned: unassigned ? 'true' : undefined,
      }
      const needsReading = search.trim() !== '' || case_id !== undefined || unassigned === true
      const wanted = seen
        .filter(({ mayRead }) => mayRead || !needsReading)
        .map((one) => ({ filters: { ...filters, seen: seenFilter(one) }, search }))
      return pageOfRecords(
        { limit, cursor },
        (request) =>
          list.pageOfAny<{ id: string }>(workspaceId, [{ ...filters, account_id }, search], wanted, request),
        (entries) => findAll(workspaceId, idsOf(entries)),
      )
    },

    known,

    add: async (change) => {
      const { record, jobs = [] } = change
      const { workspace_id, postbox_safe_id, remote_id, id } = record
      const arrived = awaitsReading(record) ? [processArrivals.of({ workspace_id, ids: [id] })] : []
      try {
        await outbox.commit(
          [...addition(record, () => new AlreadyKnown()), ...ofCase.inCase(record), ...also(change)],
          [...jobs, ...arrived, ...follow(undefined, record)],
        )
        return id
      } catch (error) {
        if (!(error instanceof AlreadyKnown)) throw error
        const stored = (await known(workspace_id, postbox_safe_id, [remote_id])).get(remote_id)
        if (stored === undefined) throw error
        return stored.id
      }
    },

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = required(await find(workspaceId, id), 'BEA_MESSAGE_NOT_FOUND')
        const change = decide(before)
        if (change.record === undefined) return unchanged(change.answer)
        const { record, jobs = [] } = change
        return outbox.commit(
          [
            ...replacement(before, record),
            ...(change.followsDraft ? ofCase.withCase(record) : ofCase.inCase(record, before)),
            ...noteLeft(db, record, before),
            ...also(change, before),
          ],
          [...jobs, ...follow(before, record)],
          change,
        )
      }),
  }
}

/** Whether the triage must still judge it, or it is a sent message with a file that may have its text. */
function awaitsReading(record: BeaMessageRecord): boolean {
  if (record.inbox !== null) return !record.inbox.is_judged
  return record.direction === 'outbound' && textFileOf(record) !== undefined
}

class AlreadyKnown extends Error {}

const knownFields = [
  'id',
  'account_id',
  'folder',
  'direction',
  'receipt',
] as const satisfies (keyof KnownMessage)[]

/** An item of `beaImportEntity`, as far as it is read. */
type StoredImport = Omit<KnownMessage, 'receipt'> &
  Partial<Pick<KnownMessage, 'receipt'>> & { remote_id: string }
