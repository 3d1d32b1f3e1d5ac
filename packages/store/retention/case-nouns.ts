import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'
import type { InvoiceRecord, TimeEntryRecord } from '#billing/ports.ts'
import { noBuyer } from '#billing/schema.ts'
import type { EventRecord } from '#calendar/ports.ts'
import type { CorrespondenceRecord, DraftRecord } from '#correspondence/ports.ts'
import type { DeadlineRecord } from '#deadlines/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { FolderRecord } from '#folders/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { derivedId, idPrefixes } from '#kernel/id.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { beaAccountIds } from '../bea/bea-account-ids.ts'
import { beaDraftEntity, dueBeaSend } from '../bea/bea-draft-entity.ts'
import { beaDraftList } from '../bea/bea-draft-store.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { arrivedMessage, beaMessageRecords } from '../bea/bea-message-records.ts'
import { invoiceEntity } from '../billing/invoice-entity.ts'
import { invoiceLists } from '../billing/invoice-lists.ts'
import { timeEntryEntity } from '../billing/time-entry-entity.ts'
import { timeEntryLists } from '../billing/time-entry-lists.ts'
import { agendas } from '../calendar/agendas.ts'
import { eventChanges } from '../calendar/event-changes.ts'
import { eventEntity } from '../calendar/event-entity.ts'
import { eventLists } from '../calendar/event-lists.ts'
import { eventRecords } from '../calendar/event-records.ts'
import { storedPushes } from '../calendar/push-store.ts'
import { correspondenceEntity } from '../correspondence/correspondence-entity.ts'
import { arrivedMail, correspondenceRecords } from '../correspondence/correspondence-records.ts'
import { draftActions } from '../correspondence/draft-actions.ts'
import { draftEntity } from '../correspondence/draft-entity.ts'
import { messageIds } from '../correspondence/message-ids.ts'
import { sharedLink, sharedLinkOf } from '../correspondence/shared-link-entity.ts'
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
import { emptyingFolders } from '../folders/emptying-folders.ts'
import { folderEntity } from '../folders/folder-entity.ts'
import { folderList } from '../folders/folder-store.ts'
import { arrivalActions } from '../inbox/arrival-actions.ts'
import { isTeacher } from '../inbox/case-lessons.ts'
import { triageEntity } from '../inbox/triage-entity.ts'
import { envelopeEntity } from '../signing/envelope-entity.ts'
import { envelopeLists } from '../signing/envelope-lists.ts'
import { sealedFile } from '../signing/sealed-file-entity.ts'
import { signingLink } from '../signing/signing-link-entity.ts'
import type { StoreDeps } from '../store-deps.ts'
import { retryStale, transact } from '../transact.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import { userIds } from '../workspace/user-ids.ts'
import { caseLists } from './case-lists.ts'
import { type CaseNoun, caseNoun, type ItemKey } from './case-noun.ts'
import { eraseName } from './case-texts.ts'
import { invoiceKeptUntil } from './kept-invoices.ts'

/**
 * The kinds of records that belong to cases: the one place that says so. A kind that is missing here is named by a test, unless
 * `test/support/entities-without-case.ts` says why its items are of no case.
 *
 * @param deps.providerDomain the domain of the ids that the mail provider gives messages
 */
export function caseNouns(deps: StoreDeps & { providerDomain: string }): CaseNoun[] {
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
  const [list, watches, arrivals, twins] = [
    documentList(db, cursors),
    watchActions(db),
    arrivalActions({ db, cursors }),
    twinActions(db),
  ]
  return caseNoun<DocumentRecord>(db, documentEntity, {
    lists: caseLists.document,
    idPrefix: idPrefixes.document,
    folders: ['files', 'texts', 'uploads'],
    staysElsewhere: true,
    recordOf: storedDocuments(db).recordOf,
    traces: async (record) => {
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
          ...(await sharedLinkKeys(db, record)),
        ],
        partitions: [`shared_links#${id}`],
        jobs: [...list.follow(record, undefined), ...removal.jobs],
        isSearched: true,
      }
    },
    texts: {
      fields: ['filename', 'metadata.json.**'],
      follow: (before, after) => ({
        actions: list.changes(before, after),
        jobs: [...list.follow(before, after), ...eraseName(before, after)],
      }),
    },
  })
}

function mails(deps: { db: Db; cursors: Cursors; providerDomain: string }): CaseNoun {
  const { db, providerDomain } = deps
  const { list } = correspondenceRecords(deps)
  const [arrivals, ids] = [arrivalActions(deps), messageIds(db)]
  return caseNoun<CorrespondenceRecord>(db, correspondenceEntity, {
    lists: caseLists.correspondence,
    idPrefix: idPrefixes.correspondence,
    folders: ['mails'],
    related: ({ draft_id }) => [draft_id ?? []].flat(),
    traces: async (record) => {
      const { workspace_id, id } = record
      return {
        entries: [...list.changes(record, undefined), ...arrivals.changes(arrivedMail(record), undefined)],
        keys: [
          keyIn(triageEntity(db).delete({ workspace_id, id })),
          ...lessonKeys(record),
          ...(await sharedLinkKeys(db, record)),
        ],
        partitions: [`attachments#${id}`, `shared_links#${id}`],
        jobs: list.follow(record, undefined),
        isSearched: true,
        alsoRun: () => ids.forget(record, providerDomain),
      }
    },
  })
}

function beaMessages(deps: { db: Db; cursors: Cursors }): CaseNoun {
  const { db } = deps
  const { list } = beaMessageRecords(deps)
  const arrivals = arrivalActions(deps)
  return caseNoun<BeaMessageRecord>(db, beaMessageEntity, {
    lists: caseLists.beamessage,
    idPrefix: idPrefixes.beaMessage,
    folders: ['bea'],
    // The answer to its request for a receipt is in no list.
    related: ({ id }) => [derivedId('beaDraft', id, 0)],
    traces: (record) => {
      const { workspace_id, id } = record
      return {
        entries: [...list.changes(record, undefined), ...arrivals.changes(arrivedMessage(record), undefined)],
        keys: [keyIn(triageEntity(db).delete({ workspace_id, id })), ...lessonKeys(record)],
        partitions: [`bea_attachments#${id}`],
        jobs: list.follow(record, undefined),
        isSearched: true,
      }
    },
  })
}

export function deadlines(db: Db): CaseNoun {
  const [lists, history, due] = [dueLists(db), historyEntry(db), dueDeadline(db)]
  return caseNoun<DeadlineRecord & { changed_at: string }>(db, deadlineEntity, {
    lists: caseLists.deadline,
    idPrefix: idPrefixes.event,
    traces: async (record) => {
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
    texts: {
      fields: ['title', 'struck_reason', 'evidence.text', 'extension.note'],
      follow: (before, after) => ({ actions: lists.changes(before, after) }),
      first: ({ workspace_id, id }) => withdrawPushes(db, workspace_id, id),
    },
  })
}

function events(db: Db): CaseNoun {
  const records = eventRecords(db)
  const [lists, changes, agendasOf] = [eventLists(db), eventChanges(db, records), agendas(db, records)]
  type Stored = EventRecord & { changed_at: string }
  const recordOf = ({ record }: { record?: unknown }): Stored => JSON.parse(String(record))
  return caseNoun<Stored>(db, eventEntity, {
    lists: caseLists.event,
    idPrefix: idPrefixes.event,
    recordOf,
    caseOf: (item) => recordOf(item).case_id,
    traces: (before) => {
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
    texts: {
      fields: ['record.json.title', 'record.json.location', 'record.json.description'],
      follow: (before, after) => ({
        actions: [...lists.changes(before, after), ...changes.add(before, after)],
      }),
      first: ({ workspace_id, id }) => withdrawPushes(db, workspace_id, id),
    },
  })
}

function envelopes(db: Db): CaseNoun {
  const lists = envelopeLists(db)
  return caseNoun<EnvelopeRecord>(db, envelopeEntity, {
    lists: caseLists.envelope,
    idPrefix: idPrefixes.envelope,
    folders: ['signatures'],
    // Older releases filed the copies in no case if the case was deleted before they were sealed.
    related: ({ documents }) => documents.flatMap(({ sealed }) => sealed?.document_id ?? []),
    traces: (record) => ({
      entries: lists.changes(record),
      keys: record.signers.flatMap(({ link_sha256 }) =>
        link_sha256 === null ? [] : [keyIn(signingLink(db).delete({ token_sha256: link_sha256 }))],
      ),
      partitions: [`envelope_audit#${record.id}`],
    }),
  })
}

function timeEntries(db: Db): CaseNoun {
  const lists = timeEntryLists(db)
  return caseNoun<TimeEntryRecord>(db, timeEntryEntity, {
    lists: caseLists.timeentry,
    idPrefix: idPrefixes.timeEntry,
    traces: (record) => ({ entries: lists.changes(record) }),
    texts: {
      fields: ['activity'],
      follow: (before, after) => ({ actions: lists.changes(before, after) }),
    },
  })
}

function invoices(db: Db): CaseNoun {
  const lists = invoiceLists(db)
  return caseNoun<InvoiceRecord>(db, invoiceEntity, {
    lists: caseLists.invoice,
    idPrefix: idPrefixes.invoice,
    traces: (record) => {
      const { workspace_id, id, party_id, updated_at } = record
      return {
        entries: lists.changes({ ...record, deleted_at: null }, { ...record, deleted_at: updated_at }),
        keys: party_id === null ? [] : [{ pk: `${workspace_id}#party_use#${party_id}`, sk: id }],
      }
    },
    texts: {
      fields: ['buyer.name', 'buyer_reference', 'lines.text'],
      // A recipient that is another party may share the address of the erased one.
      instead: ({ party_id }) => (party_id === null ? { buyer: noBuyer } : {}),
      isEvidence: ({ status }) => status !== 'draft',
      follow: (before, after) => ({ actions: lists.changes(before, after) }),
    },
    keptUntil: invoiceKeptUntil,
  })
}

/**
 * A draft that is not sent is open work, unless its user is deactivated. A sent one goes with its mail, a deleted one is
 * noted: they are in no list.
 */
function mailDrafts(db: Db): CaseNoun {
  const { list } = draftActions(db)
  return caseNoun<DraftRecord>(db, draftEntity, {
    idPrefix: idPrefixes.draft,
    folders: ['mails'],
    listed: async (_, workspaceId) =>
      (await userIds(db, workspaceId)).flatMap(({ id, active }) => (active ? [] : [`drafts#${id}`])),
    traces: (record) => ({ entries: list.changes({ ...record, status: 'draft' }) }),
    texts: {
      fields: [
        'subject',
        'to.*',
        'cc.*',
        'bcc.*',
        'warnings.*',
        'attachments.filename',
        'in_reply_to',
        'references.*',
      ],
    },
  })
}

function beaDrafts(db: Db): CaseNoun {
  const [list, due] = [beaDraftList(db), dueBeaSend(db)]
  return caseNoun<BeaDraftRecord>(db, beaDraftEntity, {
    idPrefix: idPrefixes.beaDraft,
    folders: ['bea'],
    // One list for each account that the firm has, or once had.
    listed: async (caseId, workspaceId) =>
      (await beaAccountIds(db, workspaceId)).map((id) => `bea_drafts#account=${id} case=${caseId}`),
    traces: (record) => ({
      entries: list.changes(record),
      keys: record.due_at === null ? [] : [keyIn(due.delete(dueKey(record.due_at, record.id)))],
    }),
    texts: {
      fields: [
        'subject',
        'to.*',
        'reference_sender',
        'reference_recipient',
        'error',
        'eeb.answer.reason',
        'eeb.override_reason',
      ],
      // A message whose send has not ended is compared with the sent ones: it stays as it is sent.
      files: ({ body_key, eeb, state, send, message_id }) => [
        ...(body_key === null ? [] : [body_key]),
        ...(send !== null && eeb === null && (state === 'failed' || message_id !== null)
          ? [send.order_key]
          : []),
      ],
    },
  })
}

function folders(deps: StoreDeps): CaseNoun {
  const { db, cursors } = deps
  const list = folderList(db, cursors)
  const emptied = emptyingFolders(deps)
  return caseNoun<FolderRecord>(db, folderEntity, {
    lists: caseLists.folder,
    idPrefix: idPrefixes.folder,
    traces: (record) => ({
      entries: list.changes(record, undefined),
      jobs: list.follow(record, undefined),
      alsoRun: () => emptied(record),
    }),
    texts: {
      fields: ['name'],
      follow: (before, after) => ({ actions: list.changes(before, after), jobs: list.follow(before, after) }),
    },
  })
}

/** The links by which a mail or a document can be opened, and the notes of their openings in the last days. */
async function sharedLinkKeys(
  db: Db,
  { workspace_id, id: of_id }: { workspace_id: string; id: string },
): Promise<ItemKey[]> {
  const { data } = await sharedLinkOf(db).query.newest({ workspace_id, of_id }).go(allPages)
  return data.map(({ token_sha256 }) => keyIn(sharedLink(db).delete({ token_sha256 })))
}

/** Has an event or deadline removed from the calendars that it was pushed to (K11). */
export async function withdrawPushes(db: Db, workspaceId: string, eventId: string): Promise<void> {
  const pushes = storedPushes(db)
  const at = new Date(epochMilliseconds()).toISOString()
  for (const push of await pushes.ofEvent(workspaceId, eventId)) await pushes.withdraw(push, at)
}

/** The keys of the facts that a case has learnt from a mail or a beA message. */
export function lessonKeys(
  message: Pick<CorrespondenceRecord | BeaMessageRecord, 'workspace_id' | 'case_id' | 'teaches'>,
): ItemKey[] {
  const { workspace_id, case_id, teaches } = message
  const { sender, references } = teaches
  if (!isTeacher(sender) || case_id === null) return []
  return [
    { pk: `${workspace_id}#learnt_sender#${sender}`, sk: case_id },
    ...references.map((reference) => ({
      pk: `${workspace_id}#learnt_reference#${reference}`,
      sk: `${case_id}#${sender}`,
    })),
  ]
}
