import type { InboxStore, VisibleBeaMessages } from '#inbox/ports.ts'
import { beaItem, documentItem, type InboxItem, mailItem } from '#inbox/schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { arrivedMessage, beaMessageRecords, seenFilter } from '../bea/bea-message-records.ts'
import { arrivedMail, correspondenceRecords } from '../correspondence/correspondence-records.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { arrivedDocument, documentRecords } from '../documents/document-record.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { arrivalActions, type ListedArrival } from './arrival-actions.ts'
import { relatedItems } from './related-items.ts'
import { triages } from './triages.ts'

/**
 * The inbox in the table. Its list holds ids; a page reads the records that it names and what the triage says of them. So
 * it is as current as the records: one that was filed while the page was read is left out.
 */
export function inboxStore(deps: { db: Db; cursors: Cursors; clock: Clock }): InboxStore {
  const { list } = arrivalActions(deps)
  const mails = correspondenceRecords(deps)
  const documents = documentRecords(deps)
  const messages = beaMessageRecords(deps)
  const judged = triages(deps.db)

  const itemsOf = async (
    workspaceId: string,
    listed: ListedArrival[],
    seen: VisibleBeaMessages[],
  ): Promise<InboxItem[]> => {
    const ofKind = (kind: string) => listed.filter((one) => one.kind === kind).map(({ id }) => id)
    const [foundMails, foundDocuments, foundMessages, triageOf] = await Promise.all([
      mails.findAll(workspaceId, ofKind('correspondence')),
      documents.findAll(workspaceId, ofKind('document')),
      messages.findAll(workspaceId, ofKind('bea')),
      judged.findAll(workspaceId, [...ofKind('document'), ...ofKind('bea')]),
    ])
    return [
      ...foundMails.flatMap((mail) =>
        mail.inbox !== null && arrivedMail(mail).isListed ? [mailItem(mail, mail.inbox)] : [],
      ),
      ...foundDocuments.flatMap((document) =>
        document.inbox !== null && arrivedDocument(document).isListed
          ? [documentItem(document, document.inbox, triageOf.get(document.id) ?? null)]
          : [],
      ),
      ...foundMessages.flatMap((message) => {
        const visibility = seen.find((one) => seenFilter(one) === seenFilter(message))
        if (visibility === undefined || message.inbox === null || !arrivedMessage(message).isListed) return []
        const { mayRead } = visibility
        return [beaItem(message, message.inbox, { mayRead, triage: triageOf.get(message.id) ?? null })]
      }),
    ]
  }

  return {
    page: (workspaceId, query, seen) => {
      const { limit, cursor, kind, category, assigned_to } = query
      const filters = { category, assigned_to }
      const wanted = [
        ...(['correspondence', 'document'] as const)
          .filter((one) => (kind ?? one) === one)
          .map((one) => ({ filters: { ...filters, kind: one } })),
        // A category is a judgement by the text, so it finds no message that may not be read.
        ...seen
          .filter(({ mayRead }) => mayRead || category === undefined)
          .map((one) => ({ filters: { ...filters, seen: seenFilter(one) } })),
      ]
      return pageOfRecords(
        { limit, cursor },
        (request) => list.pageOfAny<ListedArrival>(workspaceId, [filters, kind], wanted, request),
        (listed) => itemsOf(workspaceId, listed, seen),
      )
    },

    related: relatedItems(deps),
  }
}
