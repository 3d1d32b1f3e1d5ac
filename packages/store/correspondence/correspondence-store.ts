import { writeMailAddress } from '#correspondence/address-schema.ts'
import type { CorrespondenceRecord, CorrespondenceStore, SendClaim } from '#correspondence/ports.ts'
import { notFound } from '#kernel/failure.ts'
import { readAll } from '../batch.ts'
import { caseActions } from '../cases/case-actions.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { mapPage } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { pageOfRecords } from '../page-of-records.ts'
import { type Listed, searchableList } from '../search.ts'
import { type Action, put, retryStale, Stale, transact } from '../transact.ts'
import { correspondenceAttachments, correspondenceEntity } from './correspondence-entity.ts'
import { draftActions } from './draft-actions.ts'
import { sendKey } from './send-key-entity.ts'
import { sharedLink } from './shared-link-entity.ts'

/**
 * Mails in the table.
 *
 * A list entry holds what its mail is found by (subject, addresses, filters), and of the mail the id alone. A page reads
 * the mails that it names, with a second read for the attachments of those that have any. So what changes often, the
 * status and what became of the mail at each recipient, is written once and not into every list; and a page is as
 * current as the mails. It costs a read unit for each mail of usual size, and another for each with attachments. A page
 * whose mails are together over 3 MB holds fewer than asked for.
 */
export function correspondenceStore(deps: { db: Db; cursors: Cursors; outbox: Outbox }): CorrespondenceStore {
  const { db, cursors, outbox } = deps
  const mails = lazily(() => correspondenceEntity(db))
  const attachments = lazily(() => correspondenceAttachments(db))
  const keys = lazily(() => sendKey(db))
  const links = lazily(() => sharedLink(db))
  const drafts = draftActions(db)
  const ofCase = caseActions(db)
  const list = searchableList(db, cursors, 'correspondence')

  const findAll = async (workspaceId: string, ids: string[]): Promise<CorrespondenceRecord[]> => {
    const gets = ids.map((id) => mails.get({ workspace_id: workspaceId, id }))
    const items = (await readAll(db, gets)).flatMap((item) => mails.parse({ Item: item }).data ?? [])
    const withAttachments = items.filter(({ has_attachments }) => has_attachments)
    const found = await readAll(
      db,
      withAttachments.map(({ id }) => attachments.get({ workspace_id: workspaceId, correspondence_id: id })),
    )
    const attached = new Map(
      found.map((item) => {
        const { data } = attachments.parse({ Item: item })
        return [data?.correspondence_id, data?.attachments]
      }),
    )
    return items.map(({ has_attachments: _, ...item }) => ({
      ...withNulls(item, nullable),
      attachments: attached.get(item.id) ?? [],
      triage: null,
    }))
  }

  const find = async (workspaceId: string, id: string): Promise<CorrespondenceRecord | undefined> =>
    (await findAll(workspaceId, [id]))[0]

  const claimed = (claim: SendClaim, record: CorrespondenceRecord, now: Date): Action[] => {
    if (claim.by === 'draft') return drafts.send(claim.draft, record)
    const { user_id, key, digest, expires_at } = claim
    const ttl = Math.ceil(Date.parse(expires_at) / 1_000)
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

    page: (workspaceId, { limit, cursor, search, case_id, party_id, direction }) =>
      pageOfRecords(
        { limit, cursor },
        async (request) => {
          const wanted = { filters: { case_id, party_id, direction }, search }
          return mapPage(await list.page<{ id: string }>(workspaceId, wanted, request), ({ id }) => id)
        },
        (ids) => findAll(workspaceId, ids),
      ),

    findSend: async (workspaceId, userId, key, now) => {
      const { data } = await keys.get({ workspace_id: workspaceId, user_id: userId, key }).go(strongly)
      if (data === null || data.expires_at <= now.toISOString()) return undefined
      return { digest: data.digest, correspondence_id: data.correspondence_id }
    },

    begin: async (record, claim, link, now) => {
      if (claim.by === 'draft' && !sendable.has(claim.draft.status)) return false
      const { workspace_id, id, case_id } = record
      const { item, attached } = itemsOf(record)
      try {
        await outbox.commit(
          [
            // First, since its failure decides: whoever repeats a send learns of the first one, whatever became of the case.
            ...claimed(claim, record, now),
            ...(case_id === null ? [] : [ofCase.isThere(workspace_id, case_id)]),
            put(mails.create(item)),
            ...attached.map((one) => put(attachments.create(one))),
            ...list.changes(workspace_id, undefined, listed(record)),
            ...(link === undefined ? [] : [put(links.create(withoutNulls(link)))]),
          ],
          list.follow(workspace_id, undefined, listed(record)),
        )
        return true
      } catch (error) {
        if (!(error instanceof Stale)) throw error
        // Where an answer was lost, what holds the claim may be this very send.
        return (await find(workspace_id, id)) !== undefined
      }
    },

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await find(workspaceId, id)
        if (before === undefined) throw notFound('CORRESPONDENCE_NOT_FOUND')
        const decided = decide(before)
        if (decided === undefined) return before
        const { record, timelineEntries, jobs = [] } = decided
        const { item, attached } = itemsOf(record)
        const isAttachedAnew = JSON.stringify(record.attachments) !== JSON.stringify(before.attachments)
        await outbox.commit(
          [
            put(mails.put(item).where(({ version }, { eq }) => eq(version, before.version))),
            ...(record.case_id !== null && record.case_id !== before.case_id
              ? [ofCase.isThere(workspaceId, record.case_id)]
              : []),
            ...(isAttachedAnew ? attached.map((one) => put(attachments.put(one))) : []),
            ...list.changes(workspaceId, listed(before), listed(record)),
            ...(await drafts.follow(record)),
            ...timelineEntries.map(({ case_id, entry }) =>
              ofCase.recordTimeline(workspaceId, case_id, entry),
            ),
          ],
          [...jobs, ...list.follow(workspaceId, listed(before), listed(record))],
        )
        return record
      }),

    findLink: async (tokenSha256) => {
      const { data } = await links.get({ token_sha256: tokenSha256 }).go(strongly)
      return data === null ? undefined : withNulls(data, ['case_id'])
    },

    recordTimeline: (workspaceId, entries) =>
      transact(
        db,
        entries.map(({ case_id, entry }) => ofCase.recordTimeline(workspaceId, case_id, entry)),
      ),
  }
}

/** The statuses of a draft that can be sent: a failed send may be tried again (M5). */
const sendable: ReadonlySet<string> = new Set(['draft', 'failed'])

/** So many bytes of subject and addresses are searched: more than fifty addresses of the greatest length in Latin letters. */
const maxSearchedBytes = 40_000

const nullable = [
  'case_id',
  'party_id',
  'assigned_to',
  'message_id',
  'in_reply_to',
  'sent_at',
  'received_at',
  'user_id',
  'draft_id',
  'about',
  'sending_since',
  'refusal',
  'status_reason',
  'verdicts',
  'inbox',
] as const

/** A mail as the table takes it. */
function itemsOf({ attachments, triage: _, ...record }: CorrespondenceRecord) {
  const { workspace_id, id: correspondence_id } = record
  const has_attachments = attachments.length > 0
  return {
    item: { ...withoutNulls(record), has_attachments },
    attached: has_attachments ? [{ workspace_id, correspondence_id, attachments }] : [],
  }
}

function listed(record: CorrespondenceRecord): Listed {
  const { id, case_id, party_id, direction } = record
  return {
    id,
    summary: { id },
    filters: { case_id, party_id, direction },
    texts: searchedTexts(record),
  }
}

/** Subject and addresses, as far as they are searched. */
function searchedTexts({ subject, from, to, cc, bcc }: CorrespondenceRecord): string[] {
  let left = maxSearchedBytes
  return [subject, writeMailAddress(from), ...to, ...cc, ...bcc].filter((text) => {
    left -= Buffer.byteLength(text)
    return left >= 0
  })
}
