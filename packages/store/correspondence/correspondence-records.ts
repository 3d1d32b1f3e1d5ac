import { mailboxOf, writeMailAddress } from '#correspondence/address-schema.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { Job } from '#jobs/job.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { idsOf } from '#kernel/id.ts'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'
import type { Triage } from '#triage/schema.ts'
import { attachmentParts, groupsOf } from '../attachment-parts.ts'
import { readById } from '../batch.ts'
import { stamped } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { type Arrived, arrivalActions } from '../inbox/arrival-actions.ts'
import { triages } from '../inbox/triages.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Listed, recordList, searchedTexts } from '../search.ts'
import { searchMarks } from '../text-search/search-marks.ts'
import { type Action, put } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { correspondenceAttachments, correspondenceEntity } from './correspondence-entity.ts'
import { mailEvents } from './mail-events.ts'

/**
 * The records of mails. Every transaction that changes one also writes its attachments, its triage result, its entries
 * in the list of correspondence and in the inbox, and its events.
 */
export function correspondenceRecords({ db, cursors }: { db: Db; cursors: Cursors }) {
  const mails = correspondenceEntity(db)
  const parts = attachmentParts<CorrespondenceRecord, 'correspondence_id'>(
    db,
    correspondenceAttachments(db),
    'correspondence_id',
    groupsOf,
  )
  const judged = triages(db)
  const list = recordList(db, cursors, 'correspondence', listed)
  const arrivals = arrivalActions({ db, cursors })
  const recordEvents = eventActions(db)
  const marks = searchMarks(db)

  const triageChanges = (before: CorrespondenceRecord | undefined, after: CorrespondenceRecord) =>
    after.triage === null || JSON.stringify(after.triage) === JSON.stringify(before?.triage)
      ? []
      : [judged.write(after, after.triage)]

  const findAll = async (workspaceId: string, ids: string[]): Promise<CorrespondenceRecord[]> => {
    const items = await readById(db, mails, workspaceId, ids)
    const [attached, triageOf] = await Promise.all([
      parts.findAll(workspaceId, items),
      judged.findAll(workspaceId, idsOf(items.filter(({ has_triage }) => has_triage))),
    ])
    return items.map(({ attachment_parts: _, has_triage: __, ...item }) =>
      withSenderProof({
        ...withNulls(item, correspondenceEntity.nullable),
        attachments: attached.get(item.id) ?? [],
        triage: shownTriage(triageOf.get(item.id), item.inbox?.is_judged !== false),
      }),
    )
  }

  /** The other writes of an addition or of a replacement. */
  const besides = (before: CorrespondenceRecord | undefined, after: CorrespondenceRecord): Action[] => [
    ...parts.changes(before, after),
    ...triageChanges(before, after),
    ...list.changes(before, after),
    ...arrivals.changes(before && arrivedMail(before), arrivedMail(after)),
    ...recordEvents(after.workspace_id, mailEvents(before, after)),
    ...marks.ofMail(before, after).actions,
  ]

  return {
    list,

    /** The mails of these ids that exist, in no particular order. */
    findAll,

    find: async (workspaceId: string, id: string): Promise<CorrespondenceRecord | undefined> =>
      (await findAll(workspaceId, [id]))[0],

    /** Adds a mail. */
    addition: (added: CorrespondenceRecord): Action[] => {
      const record = stamped(added)
      return [put(mails.create(itemOf(record))), ...besides(undefined, record)]
    },

    /** Replaces a mail; the transaction fails as Stale if it was changed since it was read. */
    replacement: (before: CorrespondenceRecord, record: CorrespondenceRecord): Action[] => {
      const attachments = withUnknownMembers(before.attachments, record.attachments, {})
      const after = stamped({ ...record, attachments }, before)
      const replaced = rewrite(mails, mails.put(itemOf(after)).where(asRead(before)), before)
      return [replaced, ...besides(before, after)]
    },

    /** The jobs that follow an addition or a replacement. */
    follow: (before: CorrespondenceRecord | undefined, after: CorrespondenceRecord): Job[] => [
      ...list.follow(before, after),
      ...marks.ofMail(before, after).jobs,
    ],
  }
}

/** Of the sender of a mail that was received before senders were checked, nothing is known. */
function withSenderProof(record: CorrespondenceRecord): CorrespondenceRecord {
  if (record.direction === 'outbound' || record.sender_verified !== null) return record
  return { ...record, sender_verified: false, sender_verified_reason: 'not_checked' }
}

/** A mail as the inbox sees it. */
export function arrivedMail({ workspace_id, id, created_at, inbox }: CorrespondenceRecord): Arrived {
  return { workspace_id, id, created_at, kind: 'correspondence', inbox, isListed: inbox?.state === 'open' }
}

/**
 * The thread of a mail as a filter names it: by its first message, as far as the mail knows. That is what it references
 * first, what it answers, or itself; null for a mail without any message id. Message ids may be longer than a key.
 */
export function threadKey(
  mail: Pick<CorrespondenceRecord, 'references' | 'in_reply_to' | 'header_message_id'>,
): string | null {
  const { references, in_reply_to, header_message_id } = mail
  const first = references[0] ?? in_reply_to ?? header_message_id
  return first === '' ? null : hexDigest(first).slice(0, 32)
}

/** A mail as the table takes it. */
function itemOf({ attachments, triage, known_as, ...record }: CorrespondenceRecord & { changed_at: string }) {
  return {
    ...withoutNulls(record),
    ...(known_as !== undefined && { known_as }),
    attachment_parts: groupsOf(attachments).length,
    has_triage: triage !== null,
  }
}

function listed(record: CorrespondenceRecord): Listed {
  const { id, case_id, party_id, direction, subject, from, to, cc, bcc, changed_at } = record
  return {
    id,
    summary: { id },
    filters: {
      case_id,
      party_id,
      direction,
      // Only of received mail: all that a firm sends comes from one address.
      from: direction === 'outbound' || from.email === '' ? null : mailboxOf(from.email),
      thread: threadKey(record),
    },
    texts: searchedTexts([subject, writeMailAddress(from), ...to, ...cc, ...bcc]),
    changed_at,
  }
}

function shownTriage(triage: Triage | undefined, isJudged: boolean): Triage | null {
  return triage === undefined ? null : { ...triage, final: triage.final && isJudged }
}
