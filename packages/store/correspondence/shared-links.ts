import type { CorrespondenceStore, SharedLink } from '#correspondence/ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly, ttlOf } from '../db.ts'
import { newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, isMade, maxActions, put, transact } from '../transact.ts'
import { sharedLink, sharedLinkOf, sharedLinkOpening } from './shared-link-entity.ts'

type LinkStore = Pick<
  CorrespondenceStore,
  'findLink' | 'pageLinks' | 'findLinkOf' | 'replaceLink' | 'recordOpening'
>

/** Links to documents in the table: each under the digest of its token, and in the lists of its mail and its documents. */
export function sharedLinks({ db, cursors }: { db: Db; cursors: Cursors }) {
  const links = sharedLink(db)
  const listed = sharedLinkOf(db)
  const openings = sharedLinkOpening(db)
  const ofCase = caseActions(db)

  const findLink: LinkStore['findLink'] = async (token_sha256) => {
    const { data } = await links.get({ token_sha256 }).go(strongly)
    if (data === null) return undefined
    const { ttl: _, ...link } = data
    return withNulls(link, sharedLink.nullable)
  }

  const store: LinkStore = {
    findLink,

    pageLinks: async (workspaceId, ofId, request) => {
      const { data, pagination } = await newestFirst(
        cursors,
        [workspaceId, 'shared_links', ofId],
        request,
        listed.query.newest({ workspace_id: workspaceId, of_id: ofId }),
      )
      const found = await Promise.all(data.map(({ token_sha256 }) => findLink(token_sha256)))
      return { data: found.filter((link) => link !== undefined), pagination }
    },

    findLinkOf: async (workspaceId, ofId, linkId) => {
      const { data } = await listed.get({ workspace_id: workspaceId, of_id: ofId, id: linkId }).go(strongly)
      return data === null ? undefined : findLink(data.token_sha256)
    },

    replaceLink: (before, after, entries) =>
      isMade(
        transact(db, [
          rewrite(
            links,
            links
              .put({ ...itemOf(after), version: (before.version ?? 0) + 1 })
              .where(({ token_sha256, version }, { eq, exists, notExists }) =>
                before.version === undefined
                  ? `${exists(token_sha256)} AND ${notExists(version)}`
                  : eq(version, before.version),
              ),
            before,
            { mayLack: { 'documents.case_id': true } },
          ),
          ...ofCase.recordTimelines(before.workspace_id, entries),
        ]),
      ),

    recordOpening: async ({ workspace_id, token_sha256, expires_at }, opened, { timeline, audit }) => {
      const ttl = ttlOf({ expires_at })
      await isMade(
        transact(
          db,
          [
            put(openings.create({ workspace_id, token_sha256, ...opened, ttl })),
            ...ofCase.recordTimelines(workspace_id, timeline),
          ],
          { answer: undefined, audit },
        ),
      )
    },
  }

  return {
    store,

    /**
     * Adds the list entries of a link before the link itself, because all of them do not fit into one transaction.
     * Entries without a link are ignored.
     */
    list: async ({ workspace_id, token_sha256, id, ...link }: SharedLink): Promise<void> => {
      if (id === undefined) return
      const ttl = ttlOf(link)
      const ids = [link.correspondence_id, ...link.documents.map(({ document_id }) => document_id)]
      const puts = ids.map((of_id) => put(listed.put({ workspace_id, of_id, id, token_sha256, ttl })))
      for (let at = 0; at < puts.length; at += maxActions) await transact(db, puts.slice(at, at + maxActions))
    },

    addition: (link: SharedLink): Action => put(links.create(itemOf(link))),
  }
}

/** A link as the table takes it. */
function itemOf({ id, revoked_at, version, ...link }: SharedLink) {
  return {
    ...withoutNulls(link),
    ttl: ttlOf(link),
    ...(id !== undefined && { id }),
    ...(revoked_at !== undefined && { revoked_at }),
    ...(version !== undefined && { version }),
  }
}
