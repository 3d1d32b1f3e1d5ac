import type { InboxStore } from '#inbox/ports.ts'
import { documentItem, type InboxItem, mailItem } from '#inbox/schema.ts'
import type { Clock } from '#kernel/clock.ts'
import { arrivedMail, correspondenceRecords } from '../correspondence/correspondence-records.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import { arrivedDocument } from '../documents/document-record.ts'
import { documentRecords } from '../documents/document-records.ts'
import { mapPage } from '../newest-first.ts'
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
  const judged = triages(deps.db)

  const itemsOf = async (
    workspaceId: string,
    ids: string[],
    kinds: Map<string, string>,
  ): Promise<InboxItem[]> => {
    const ofKind = (kind: string) => ids.filter((id) => kinds.get(id) === kind)
    const [foundMails, foundDocuments, triageOf] = await Promise.all([
      mails.findAll(workspaceId, ofKind('correspondence')),
      documents.findAll(workspaceId, ofKind('document')),
      judged.findAll(workspaceId, ofKind('document')),
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
    ]
  }

  return {
    page: (workspaceId, { limit, cursor, kind, category, assigned_to }) => {
      const kinds = new Map<string, string>()
      return pageOfRecords(
        { limit, cursor },
        async (request) => {
          const wanted = { filters: { kind, category, assigned_to } }
          const page = await list.page<ListedArrival>(workspaceId, wanted, request)
          for (const listed of page.data) kinds.set(listed.id, listed.kind)
          return mapPage(page, ({ id }) => id)
        },
        (ids) => itemsOf(workspaceId, ids, kinds),
      )
    },

    related: relatedItems(deps),
  }
}
