import type { CorrespondenceRecord, CorrespondenceStore, SendClaim } from '#correspondence/ports.ts'
import { required } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { caseActions } from '../cases/case-actions.ts'
import { strongly, ttlOf } from '../db.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { noteLeft } from '../retention/removed-in-case.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, put, retryStale, Stale } from '../transact.ts'
import { eventActions } from '../webhooks/event-actions.ts'
import { correspondenceRecords } from './correspondence-records.ts'
import { draftActions } from './draft-actions.ts'
import { messageIds } from './message-ids.ts'
import { sendKey } from './send-key-entity.ts'
import { sharedLinks } from './shared-links.ts'

/**
 * Mails in the table.
 *
 * A list entry has the data by which its mail is found (subject, addresses, filters), and the id of the mail. A page
 * reads the mails that it names, with a second read for the attachments of mails that have any. So fields that change
 * often, the status and the delivery to each recipient, are written once and not into every list. A page is as
 * current as the mails. It costs a read unit for each mail of usual size, and another for each with attachments. A page
 * whose mails are together over 3 MB has fewer than requested.
 *
 * @param deps.providerDomain the domain of the ids that the provider gives messages
 */
export function correspondenceStore(deps: StoreDeps & { providerDomain: string }): CorrespondenceStore {
  const { db, outbox, providerDomain } = deps
  const keys = sendKey(db)
  const links = sharedLinks(deps)
  const drafts = draftActions(db)
  const ofCase = caseActions(db)
  const recordEvents = eventActions(db)
  const ids = messageIds(db)
  const { list, find, findAll, addition, replacement, follow } = correspondenceRecords(deps)

  /** The provider's id of our own mail, when it is known: replies refer to it. */
  const sentIds = (before: CorrespondenceRecord, after: CorrespondenceRecord): Action[] => {
    const { direction, message_id } = after
    if (direction === 'inbound' || message_id === null || message_id === before.message_id) return []
    return [ids.addSent(after, `<${message_id}@${providerDomain}>`)]
  }

  const claimed = (claim: SendClaim, record: CorrespondenceRecord, now: Date): Action[] => {
    if (claim.by === 'draft') return drafts.send(claim.draft, record)
    const { user_id, key, digest, expires_at } = claim
    const ttl = ttlOf(claim)
    const { workspace_id, id: correspondence_id } = record
    return [
      put(
        keys
          .put({ workspace_id, user_id, key, digest, correspondence_id, expires_at, ttl })
          .where((held, { notExists, lte }) =>
            [notExists(held.expires_at), lte(held.expires_at, now.toISOString())].join(' OR '),
          ),
      ),
    ]
  }

  return {
    find,

    headerDate: async (record) => {
      const { workspace_id, id, direction, message_id, known_as = message_id } = record
      if (direction === 'outbound' || known_as === null) return null
      const { messages } = await ids.received(workspace_id, known_as)
      const date = messages.find(({ correspondence_id }) => correspondence_id === id)?.date ?? ''
      // JavaScript writes other years with six digits and a sign, which is no timestamp of RFC 3339.
      return /^\d{4}-/.test(date) ? date : null
    },

    page: (workspaceId, { limit, cursor, search, case_id, party_id, direction }) =>
      pageOfRecords(
        { limit, cursor },
        (request) =>
          list.page<{ id: string }>(
            workspaceId,
            { filters: { case_id, party_id, direction }, search },
            request,
          ),
        (entries) => findAll(workspaceId, idsOf(entries)),
      ),

    changes: (workspaceId, { limit, cursor, search, case_id, party_id, direction }, since) =>
      list.pageOfChanges(
        workspaceId,
        { filters: { case_id, party_id, direction }, search },
        { limit, cursor, since },
        findAll,
      ),

    findSend: async (workspaceId, userId, key, now) => {
      const { data } = await keys.get({ workspace_id: workspaceId, user_id: userId, key }).go(strongly)
      if (data === null || data.expires_at <= now.toISOString()) return undefined
      return { digest: data.digest, correspondence_id: data.correspondence_id }
    },

    begin: async ({ record, claim, link, jobs }, now) => {
      if (claim.by === 'draft' && !sendable.has(claim.draft.status)) return false
      const { workspace_id, id } = record
      if (link !== undefined) await links.list(link)
      try {
        await outbox.commit(
          [
            // First, since its failure decides: a repeated send gets the outcome of the first, even without the case.
            ...claimed(claim, record, now),
            // The case of a service mail may be deleted.
            ...(record.about === null
              ? ofCase.inCase(record, undefined, claim.by === 'draft' ? null : 'body.case_id')
              : ofCase.withCase(record)),
            ...addition(record),
            ids.addSent(record, record.header_message_id),
            ...(link === undefined ? [] : [links.addition(link)]),
          ],
          [...jobs, ...follow(undefined, record)],
        )
        return true
      } catch (error) {
        if (!(error instanceof Stale)) throw error
        // If an answer of the database was lost, this very send may have made the claim.
        return (await find(workspace_id, id)) !== undefined
      }
    },

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = required(await find(workspaceId, id), 'CORRESPONDENCE_NOT_FOUND')
        const change = decide(before)
        if (change.record === undefined) return unchanged(change.answer)
        const { record, timeline = [], events = [], jobs = [] } = change
        const actions = [
          ...replacement(before, record),
          ...ofCase.inCase(record, before),
          ...noteLeft(db, record, before),
          ...sentIds(before, record),
          ...(await drafts.follow(before, record)),
          ...ofCase.recordTimelines(workspaceId, timeline),
          ...recordEvents(workspaceId, events),
        ]
        return outbox.commit(actions, [...jobs, ...follow(before, record)], change)
      }),

    ...links.store,
  }
}

/** The statuses of a draft that can be sent: a failed send may be retried (M5). */
const sendable: ReadonlySet<string> = new Set(['draft', 'failed'])
