import { mailboxOf } from '#correspondence/address-schema.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { InboxStore } from '#inbox/ports.ts'
import type { Clock } from '#kernel/clock.ts'
import { correspondenceRecords, threadKey } from '../correspondence/correspondence-records.ts'
import { messageIds } from '../correspondence/message-ids.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { documentTwin } from '../documents/document-entity.ts'
import { documentRecords } from '../documents/document-record.ts'
import { searchableList } from '../search.ts'

/** Items shown of each kind (I7). */
const maxShown = 20

/** Message ids of a thread that are looked up, the latest ones. */
const maxAncestors = 12

/**
 * The related items of a document (I7). Of every list it reads the newest entries alone, so its cost does not depend on
 * how much a sender, a thread or a case has.
 */
export function relatedItems(deps: { db: Db; cursors: Cursors; clock: Clock }): InboxStore['related'] {
  const { db, cursors } = deps
  const mails = correspondenceRecords(deps)
  const ids = messageIds(db)
  const documents = documentRecords(deps)
  const documentList = searchableList(db, cursors, 'documents')
  const twins = documentTwin(db)

  const mailsWith = async (
    workspaceId: string,
    filter: 'from' | 'thread' | 'case_id',
    values: (string | null)[],
  ) => {
    const wanted = [...new Set(values)].filter((value) => value !== null)
    const found = await Promise.all(
      wanted.map((value) => mails.list.newest<{ id: string }>(workspaceId, { [filter]: value }, maxShown)),
    )
    return found.flatMap(({ items }) => items.map(({ id }) => id))
  }

  /** The mails of the thread of a mail: mails that name the same first message, and mails that it answers. */
  const threadMails = async (workspaceId: string, mail: CorrespondenceRecord): Promise<string[]> => {
    const { references, in_reply_to } = mail
    const named = [...(in_reply_to === null ? [] : [in_reply_to]), ...references.toReversed()]
    const known = await ids.findAll(workspaceId, [...new Set(named)].slice(0, maxAncestors))
    const ancestors = await mails.findAll(
      workspaceId,
      [...new Set([...known.values()].flat())].slice(0, maxShown),
    )
    // Our mails get another id on their way, so an answer to one names another first message than our own mails do.
    const threads = [mail, ...ancestors].map(threadKey)
    return [...ancestors.map(({ id }) => id), ...(await mailsWith(workspaceId, 'thread', threads))]
  }

  const relatedMails = async (workspaceId: string, document: DocumentRecord, mail?: CorrespondenceRecord) => {
    const sender = mail?.direction === 'inbound' && mail.from.email !== '' ? mailboxOf(mail.from.email) : null
    const found = await Promise.all([
      mailsWith(workspaceId, 'from', [sender]),
      mailsWith(workspaceId, 'case_id', [document.case_id, mail?.case_id ?? null]),
      mail === undefined ? [] : threadMails(workspaceId, mail),
    ])
    const records = await mails.findAll(workspaceId, [...new Set(found.flat())])
    const own = mail === undefined ? [] : [mail]
    return newest([...own, ...records.filter(({ id }) => id !== mail?.id)], dateOf, own)
  }

  const twinIds = async (workspaceId: string, sha256: string | null): Promise<string[]> => {
    if (sha256 === null) return []
    const { data } = await twins.query
      .oldest({ workspace_id: workspaceId, sha256 })
      .go({ order: 'desc', limit: maxShown + 1, ...strongly })
    return data.map(({ id }) => id)
  }

  const relatedDocuments = async (
    workspaceId: string,
    { id, case_id, sha256 }: DocumentRecord,
    mail?: CorrespondenceRecord,
  ) => {
    const [ofCase, twinsFound] = await Promise.all([
      case_id === null
        ? []
        : documentList
            .newest<{ id: string }>(workspaceId, { case_id }, maxShown + 1)
            .then(({ items }) => items),
      twinIds(workspaceId, sha256),
    ])
    const ofMail = mail?.attachments.map(({ document_id }) => document_id) ?? []
    const wanted = new Set([
      ...ofCase.map((one) => one.id),
      ...twinsFound,
      ...ofMail.toSorted().slice(-maxShown - 1),
    ])
    wanted.delete(id)
    return newest(await documents.findAll(workspaceId, [...wanted]), (one) => one.id)
  }

  return async (workspaceId, documentId) => {
    const document = await documents.found(workspaceId, documentId)
    const { correspondence_id } = document
    const mail = correspondence_id === null ? undefined : await mails.find(workspaceId, correspondence_id)
    const [emails, related] = await Promise.all([
      relatedMails(workspaceId, document, mail),
      relatedDocuments(workspaceId, document, mail),
    ])
    return {
      emails: emails.map((one) => ({
        id: one.id,
        subject: one.subject,
        from: one.from,
        received_at: dateOf(one),
      })),
      documents: related.map(({ id, filename, case_id }) => ({ id, filename, case_id })),
    }
  }
}

/** When a mail was received or sent. */
function dateOf({ received_at, sent_at, created_at }: CorrespondenceRecord): string {
  return received_at ?? sent_at ?? created_at
}

/** The newest items, up to the number shown, newest first; all items of `certain` are among them. */
function newest<Item>(items: Item[], placeOf: (item: Item) => string, certain: Item[] = []): Item[] {
  const newestFirst = (one: Item, other: Item) => (placeOf(one) < placeOf(other) ? 1 : -1)
  const others = items.filter((item) => !certain.includes(item)).toSorted(newestFirst)
  return [...certain, ...others.slice(0, maxShown - certain.length)].toSorted(newestFirst)
}
