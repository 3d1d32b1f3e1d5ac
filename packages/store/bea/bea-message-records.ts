import type { BeaMessageRecord } from '#bea/ports.ts'
import type { Job } from '#jobs/job.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'
import { attachmentParts, groupsOf } from '../attachment-parts.ts'
import { readById } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { type Arrived, arrivalActions } from '../inbox/arrival-actions.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Listed, recordList, searchedTexts } from '../search.ts'
import { searchMarks } from '../text-search/search-marks.ts'
import { type Action, put } from '../transact.ts'
import { beaAttachmentEntity, beaImportEntity, beaMessageEntity } from './bea-message-entity.ts'

/**
 * The records of beA messages, and what every transaction that changes one writes with it: its attachments, its identity,
 * its entries in the list of messages and in the inbox.
 */
export function beaMessageRecords({ db, cursors }: { db: Db; cursors: Cursors }) {
  const messages = beaMessageEntity(db)
  const parts = attachmentParts<BeaMessageRecord, 'message_id'>(
    db,
    beaAttachmentEntity(db),
    'message_id',
    partsBeside,
  )
  const imports = beaImportEntity(db)
  const list = recordList(db, cursors, 'bea_messages', listed)
  const arrivals = arrivalActions({ db, cursors })
  const marks = searchMarks(db)

  const findAll = async (workspaceId: string, ids: string[]): Promise<BeaMessageRecord[]> => {
    const items = await readById(db, messages, workspaceId, ids)
    const attached = await parts.findAll(workspaceId, items)
    return items.map(({ attachment_parts: _, attachments: inItem, ...item }) => ({
      ...withNulls(item, beaMessageEntity.nullable),
      attachments: inItem ?? attached.get(item.id) ?? [],
    }))
  }

  /** The other writes of an addition or of a replacement. */
  const besides = (before: BeaMessageRecord | undefined, after: BeaMessageRecord): Action[] => [
    ...parts.changes(before, after),
    ...list.changes(before, after),
    ...arrivals.changes(before && arrivedMessage(before), arrivedMessage(after)),
    ...marks.ofBeaMessage(before, after).actions,
  ]

  return {
    list,

    /** The messages of these ids that exist, in no particular order. */
    findAll,

    find: async (workspaceId: string, id: string): Promise<BeaMessageRecord | undefined> =>
      (await findAll(workspaceId, [id]))[0],

    /** Adds a message. The first action fails if the message is known already. */
    addition: (record: BeaMessageRecord, isKnown: () => Error): Action[] => [
      put(imports.create(importOf(record)), isKnown),
      put(messages.create(itemOf(record))),
      ...besides(undefined, record),
    ],

    /** Replaces a message; the transaction fails as Stale if it was changed since it was read. */
    replacement: (before: BeaMessageRecord, replaced: BeaMessageRecord): Action[] => {
      const attachments = withUnknownMembers(before.attachments, replaced.attachments, {})
      const after = { ...replaced, attachments }
      return [
        rewrite(messages, messages.put(itemOf(after)).where(asRead(before)), before, {
          mayLack: { 'eeb.error': true },
        }),
        ...(JSON.stringify(importOf(before)) === JSON.stringify(importOf(after))
          ? []
          : [rewrite(imports, imports.put(importOf(after)), importOf(before))]),
        ...besides(before, after),
      ]
    },

    /** The jobs that follow an addition or a replacement. */
    follow: (before: BeaMessageRecord | undefined, after: BeaMessageRecord): Job[] => [
      ...list.follow(before, after),
      ...marks.ofBeaMessage(before, after).jobs,
    ],
  }
}

/** The value of the filter by which messages are found that one right shows: of an account, confidential or not. */
export function seenFilter({
  account_id,
  confidential,
}: Pick<BeaMessageRecord, 'account_id' | 'confidential'>) {
  return `${account_id} ${confidential ? 'confidential' : 'open'}`
}

/** A message as the inbox sees it. */
export function arrivedMessage(record: BeaMessageRecord): Arrived {
  const { workspace_id, id, imported_at, inbox, filing } = record
  return {
    workspace_id,
    id,
    created_at: filing?.at ?? imported_at,
    kind: 'bea',
    isFiling: filing !== undefined,
    inbox,
    isListed: inbox?.state === 'open',
    seen: seenFilter(record),
  }
}

/**
 * Attachments of at most this size as JSON (a few attachments) are in the item of their message. Then a page reads
 * nothing else.
 */
const maxBytesInItem = 2_000

function itemOf({ attachments, ...record }: BeaMessageRecord) {
  const item = { ...withoutNulls(record), attachment_parts: partsBeside(attachments).length }
  return fitInItem(attachments) ? { ...item, attachments } : item
}

function importOf(record: BeaMessageRecord) {
  const { workspace_id, postbox_safe_id, remote_id, id, account_id, folder, direction, receipt } = record
  return {
    workspace_id,
    postbox_safe_id,
    remote_key: remoteKey(remote_id),
    remote_id,
    id,
    account_id,
    folder,
    direction,
    ...(receipt && { receipt }),
  }
}

function fitInItem(attachments: BeaMessageRecord['attachments']): boolean {
  return Buffer.byteLength(JSON.stringify(attachments)) <= maxBytesInItem
}

/** Attachments that do not fit into the item of their message, in groups that fit into an item each. */
function partsBeside(attachments: BeaMessageRecord['attachments']): BeaMessageRecord['attachments'][] {
  return fitInItem(attachments) ? [] : groupsOf(attachments)
}

/** The ids of messages have the time of their reception or sending, so the list is sorted by it. */
function listed(record: BeaMessageRecord): Listed | undefined {
  if (record.is_missing) return undefined
  const { id, case_id, folder, direction } = record
  return {
    id,
    summary: { id },
    filters: {
      seen: seenFilter(record),
      folder: folderFilter(folder),
      direction,
      case_id,
      unassigned: case_id === null ? 'true' : null,
    },
    texts: textsOf(record),
  }
}

/** A gateway's id as a part of a key: it may have any characters and any length. */
export function remoteKey(remoteId: string): string {
  return hexDigest(remoteId)
}

/** The name of a folder as a part of a key: it may have any characters and any length. */
export function folderFilter(folder: string): string {
  return hexDigest(folder).slice(0, 32)
}

/**
 * The searched texts of a message: subject, names and references. SAFE-IDs are not among them: each has some thirty
 * fragments, which would be half of what an import writes. The name of the postbox itself, which all its messages have,
 * is not among them either.
 */
function textsOf(record: BeaMessageRecord): string[] {
  const { subject, sender, recipients, reference_sender, reference_recipient } = record
  const own = record.postbox_safe_id.toLowerCase()
  const others = [sender, ...recipients].filter(({ bea_id }) => bea_id?.toLowerCase() !== own)
  const names = others.map(({ name }) => name ?? '')
  return searchedTexts([subject, reference_sender ?? '', reference_recipient ?? '', ...names])
}
