import type { BeaMessageRecord } from '#bea/ports.ts'
import type { InvoiceRecord, TimeEntryRecord } from '#billing/ports.ts'
import type { EventRecord } from '#calendar/ports.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { DeadlineRecord } from '#deadlines/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { derivedId, idPrefixes } from '#kernel/id.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { arrivedMessage, beaMessageRecords } from '../bea/bea-message-records.ts'
import { invoiceEntity } from '../billing/invoice-entity.ts'
import { invoiceLists } from '../billing/invoice-lists.ts'
import { timeEntryEntity } from '../billing/time-entry-entity.ts'
import { timeEntryLists } from '../billing/time-entry-lists.ts'
import { agendas } from '../calendar/agendas.ts'
import { eventEntity } from '../calendar/event-entity.ts'
import { eventLists } from '../calendar/event-lists.ts'
import { eventRecords } from '../calendar/event-records.ts'
import { storedPushes } from '../calendar/push-store.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { arrivedMail, correspondenceRecords } from '../correspondence/correspondence-records.ts'
import { messageIds } from '../correspondence/message-ids.ts'
import type { Cursors } from '../cursor.ts'
import { allPages, type Db } from '../db.ts'
import { chainEntity } from '../deadlines/chain-entity.ts'
import { deadlineEntity } from '../deadlines/deadline-entity.ts'
import { dueDeadline } from '../deadlines/due-deadline-entity.ts'
import { dueLists } from '../deadlines/due-lists.ts'
import { historyEntry } from '../deadlines/history-entity.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { arrivedDocument, documentList, storedDocuments } from '../documents/document-record.ts'
import { twinActions } from '../documents/document-twins.ts'
import { watchActions } from '../documents/document-watches.ts'
import { dueKey } from '../due-index.ts'
import { folderEntity } from '../folders/folder-entity.ts'
import { folderList } from '../folders/folder-store.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { triageEntity } from '../inbox/triage-entity.ts'
import { envelopeEntity } from '../signing/envelope-entity.ts'
import { envelopeLists } from '../signing/envelope-lists.ts'
import { sealedFile } from '../signing/sealed-file-entity.ts'
import { signingLink } from '../signing/signing-link-entity.ts'
import { retryStale, transact } from '../transact.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import type { CaseNoun, ItemKey, RawItem } from './case-noun.ts'
import { beaDrafts, mailDrafts } from './draft-nouns.ts'
import { invoiceKeptUntil } from './kept-invoices.ts'
import { nounOf, objectsIn } from './noun-of.ts'
import { sharedLinkKeys } from './shared-link-keys.ts'

/**
 * The kinds of records that belong to cases: the one place that says so. A kind that is missing here is named by a test, unless
 * `entities-without-case.ts` says why its items are of no case.
 */
export function caseNouns(deps: { db: Db; cursors: Cursors }): CaseNoun[] {
  const { db } = deps
  return [
    documents(deps),
    mails(deps),
    beaMessages(deps),
    deadlines(db),
    events(db),
    envelopes(db),
    timeEntries(db),
    invoices(db),
    mailDrafts(db),
    beaDrafts(db),
    folders(deps),
  ]
}

function documents({ db, cursors }: { db: Db; cursors: Cursors }): CaseNoun {
  const { read, ...noun } = nounOf(db, documentEntity)
  const stored = storedDocuments(db)
  const [list, watches, arrivals, twins] = [
    documentList(db, cursors),
    watchActions(db),
    arrivalActions({ db, cursors }),
    twinActions(db),
  ]
  return {
    ...noun,
    idPrefix: idPrefixes.document,
    objects: objectsIn('files', 'texts', 'uploads'),
    listed: (caseId) => [`documents#is:case_id=${caseId}`],
    traces: async (item) => {
      const record: DocumentRecord = stored.recordOf(read(item))
      const { workspace_id, id, sha256, source, parties } = record
      const removal = twins.removal(record)
      return {
        entries: [
          ...list.changes(record, undefined),
          ...watches.changes(record, undefined),
          ...arrivals.changes(arrivedDocument(record), undefined),
          ...removal.actions,
        ],
        keys: [
          keyIn(triageEntity(db).delete({ workspace_id, id })),
          ...parties.map((party) => ({ pk: `${workspace_id}#party_use#${party.id}`, sk: id })),
          ...(source === 'signing' && sha256 !== null ? [keyIn(sealedFile(db).delete({ sha256 }))] : []),
          ...(await sharedLinkKeys(db, workspace_id, id)),
        ],
        partitions: [`shared_links#${id}`],
        jobs: [...list.follow(record, undefined), ...removal.jobs],
        isSearched: true,
      }
    },
  }
}

function mails(deps: { db: Db; cursors: Cursors }): CaseNoun {
  const { db } = deps
  const { read, ...noun } = nounOf(db, correspondenceEntity)
  const { list } = correspondenceRecords(deps)
  const [arrivals, ids] = [arrivalActions(deps), messageIds(db)]
  return {
    ...noun,
    idPrefix: idPrefixes.correspondence,
    objects: objectsIn('mails'),
    listed: (caseId) => [`correspondence#is:case_id=${caseId}`],
    related: (item) => [read<CorrespondenceRecord>(item).draft_id ?? []].flat(),
    traces: async (item) => {
      const record = read<CorrespondenceRecord>(item)
      const { workspace_id, id } = record
      return {
        entries: [...list.changes(record, undefined), ...arrivals.changes(arrivedMail(record), undefined)],
        keys: [
          keyIn(triageEntity(db).delete({ workspace_id, id })),
          ...lessonKeys(record),
          ...(await sharedLinkKeys(db, workspace_id, id)),
        ],
        partitions: [`attachments#${id}`, `shared_links#${id}`],
        jobs: list.follow(record, undefined),
        isSearched: true,
        alsoRun: () => ids.forget(record),
      }
    },
  }
}

function beaMessages(deps: { db: Db; cursors: Cursors }): CaseNoun {
  const { db } = deps
  const { read, ...noun } = nounOf(db, beaMessageEntity)
  const { list } = beaMessageRecords(deps)
  const arrivals = arrivalActions(deps)
  return {
    ...noun,
    idPrefix: idPrefixes.beaMessage,
    objects: objectsIn('bea'),
    listed: (caseId) => [`bea_messages#is:case_id=${caseId}`],
    // The answer to its request for a receipt is in no list.
    related: ({ id }) => [derivedId('beaDraft', String(id), 0)],
    traces: (item) => {
      const record = read<BeaMessageRecord>(item)
      const { workspace_id, id } = record
      return {
        entries: [...list.changes(record, undefined), ...arrivals.changes(arrivedMessage(record), undefined)],
        keys: [keyIn(triageEntity(db).delete({ workspace_id, id })), ...lessonKeys(record)],
        partitions: [`bea_attachments#${id}`],
        jobs: list.follow(record, undefined),
        isSearched: true,
      }
    },
  }
}

function deadlines(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, deadlineEntity)
  const [lists, history, due] = [dueLists(db), historyEntry(db), dueDeadline(db)]
  return {
    ...noun,
    idPrefix: idPrefixes.event,
    listed: (caseId) => ['open', 'verified', 'completed'].map((state) => `due#${state} case=${caseId}`),
    traces: async (item) => {
      const record = read<DeadlineRecord>(item)
      const { workspace_id, id, chain_id, due_at } = record
      const { data } = await history.query.oldest({ workspace_id, deadline_id: id }).go(allPages)
      const journal = data.map(({ position, entry }) => {
        const { at } = entry as { at: string }
        return { pk: `${workspace_id}#journal#${at.slice(0, 10)}`, sk: `${at}#${id}#${position}` }
      })
      return {
        entries: lists.removal(record),
        keys: [
          ...journal,
          keyIn(chainEntity(db).delete({ workspace_id, id: chain_id })),
          keyIn(due.delete(dueKey(due_at, id))),
        ],
        partitions: [`history#${id}`, `deadlines_overdue#${id}`],
        alsoRun: () => withdrawPushes(db, workspace_id, id),
      }
    },
  }
}

function events(db: Db): CaseNoun {
  const { read: _, ...noun } = nounOf(db, eventEntity)
  const lists = eventLists(db)
  const agendasOf = agendas(db, eventRecords(db))
  const recordOf = ({ record }: RawItem): EventRecord => JSON.parse(String(record))
  const kinds = ['event', 'meeting'].flatMap((type) => [type, `all-day ${type}`])
  return {
    ...noun,
    idPrefix: idPrefixes.event,
    caseOf: (item) => recordOf(item).case_id,
    listed: (caseId) => kinds.map((kind) => `events#${kind} case=${caseId}`),
    traces: (item) => {
      const before = recordOf(item)
      const record = { ...before, deleted_at: before.deleted_at ?? before.updated_at }
      return {
        entries: lists.changes(before, record),
        alsoRun: async () => {
          await withdrawPushes(db, before.workspace_id, before.id)
          await retryStale(async () => {
            const { guarding, following } = await agendasOf.changes(
              { ...before, deleted_at: null },
              { record, check: false },
            )
            await transact(db, guarding)
            for (const { action } of following) await transact(db, [action])
          })
        },
      }
    },
  }
}

function envelopes(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, envelopeEntity)
  const lists = envelopeLists(db)
  return {
    ...noun,
    idPrefix: idPrefixes.envelope,
    objects: objectsIn('signatures'),
    listed: (caseId) => [`envelopes#case=${caseId}`],
    traces: (item) => {
      const record = read<EnvelopeRecord>(item)
      const { id, signers } = record
      return {
        entries: lists.changes(record),
        keys: signers.flatMap(({ link_sha256 }) =>
          link_sha256 === null ? [] : [keyIn(signingLink(db).delete({ token_sha256: link_sha256 }))],
        ),
        partitions: [`envelope_audit#${id}`],
      }
    },
  }
}

function timeEntries(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, timeEntryEntity)
  const lists = timeEntryLists(db)
  return {
    ...noun,
    idPrefix: idPrefixes.timeEntry,
    listed: (caseId) => [`time_entries#case=${caseId}`],
    traces: (item) => {
      const record = read<TimeEntryRecord>(item)
      return { entries: lists.changes(record) }
    },
  }
}

function invoices(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, invoiceEntity)
  const lists = invoiceLists(db)
  return {
    ...noun,
    idPrefix: idPrefixes.invoice,
    listed: (caseId) => [`invoices#case=${caseId}`],
    traces: (item) => {
      const record = read<InvoiceRecord>(item)
      const { workspace_id, id, party_id } = record
      return {
        entries: lists.changes({ ...record, deleted_at: null }, { ...record, deleted_at: record.updated_at }),
        keys: party_id === null ? [] : [{ pk: `${workspace_id}#party_use#${party_id}`, sk: id }],
      }
    },
    keptUntil: (item, timeZone) => invoiceKeptUntil(read<InvoiceRecord>(item), timeZone),
  }
}

function folders({ db, cursors }: { db: Db; cursors: Cursors }): CaseNoun {
  const { read, ...noun } = nounOf(db, folderEntity)
  const list = folderList(db, cursors)
  return {
    ...noun,
    idPrefix: idPrefixes.folder,
    listed: (caseId) => [`folders#is:case_id=${caseId}`],
    traces: (item) => {
      const record = read<Parameters<typeof list.follow>[0] & object>(item)
      return { entries: list.changes(record, undefined), jobs: list.follow(record, undefined) }
    },
  }
}

/** Has an event or deadline removed from the calendars that it was pushed to (K11). */
async function withdrawPushes(db: Db, workspaceId: string, eventId: string): Promise<void> {
  const pushes = storedPushes(db)
  const at = new Date(epochMilliseconds()).toISOString()
  for (const push of await pushes.ofEvent(workspaceId, eventId)) await pushes.withdraw(push, at)
}

/** What a case has learnt of a mail or a beA message. */
export function lessonKeys({
  workspace_id,
  case_id,
  teaches,
}: Pick<CorrespondenceRecord | BeaMessageRecord, 'workspace_id' | 'case_id' | 'teaches'>): ItemKey[] {
  const { sender, references } = teaches
  if (sender === null || case_id === null) return []
  return [
    { pk: `${workspace_id}#learnt_sender#${sender}`, sk: case_id },
    ...references.map((reference) => ({
      pk: `${workspace_id}#learnt_reference#${reference}`,
      sk: `${case_id}#${sender}`,
    })),
  ]
}
