import {
  type BeaClaims,
  type BeaDraftRecord,
  type BeaDraftStore,
  type DueSends,
  MessageTaken,
} from '#bea/drafts/draft-ports.ts'
import type { BeaDraftQuery } from '#bea/drafts/draft-schema.ts'
import { eebAnswered } from '#bea/eeb/eeb-ports.ts'
import { caseActions } from '../cases/case-actions.ts'
import { changesOf } from '../changes.ts'
import { type Db, strongly } from '../db.ts'
import { dueChanges, dueKey, timedIndex } from '../due-index.ts'
import { pageOfIds } from '../page-of-records.ts'
import { records } from '../records.ts'
import { noteLeft } from '../retention/removed-in-case.ts'
import { rewrite } from '../rewrite.ts'
import { type Entry, filedList, type NoData } from '../sorted-list.ts'
import type { StoreDeps } from '../store-deps.ts'
import { type Action, erase } from '../transact.ts'
import { beaDraftEntity, beaSentMessage, dueBeaSend } from './bea-draft-entity.ts'

/** BeA drafts and answers in the table, with their lists, the index of what is due, and who has which sent message. */
export function beaDraftStore(deps: StoreDeps): BeaDraftStore {
  const { db, cursors } = deps
  const drafts = records<BeaDraftRecord>(db, beaDraftEntity, {
    missing: 'DRAFT_NOT_FOUND',
    mayLack: {
      'eeb.answer.code': true,
      'eeb.answer.date': true,
      'eeb.answer.reason': true,
      'send.similar': true,
    },
  })
  const sent = beaSentMessage(db)
  const due = dueChanges(dueBeaSend(db), ({ workspace_id, id, due_at }: BeaDraftRecord) =>
    due_at === null ? undefined : { ...dueKey(due_at, id), workspace_id, draft_id: id },
  )
  const list = beaDraftList(db)
  const ofCase = caseActions(db)

  const claim = (
    { workspace_id, account_id, id }: BeaDraftRecord,
    remoteId: string | undefined,
  ): Action[] => {
    if (remoteId === undefined) return []
    const item = { workspace_id, account_id, remote_id: remoteId, draft_id: id }
    const isFree = sent
      .put(item)
      .where(({ draft_id }, { notExists, eq }) => `${notExists(draft_id)} OR ${eq(draft_id, id)}`)
    return [rewrite(sent, isFree, item, { otherwise: () => new MessageTaken() })]
  }

  const release = ({ workspace_id, account_id }: BeaDraftRecord, remoteId: string | undefined): Action[] =>
    remoteId === undefined ? [] : [erase(sent.delete({ workspace_id, account_id, remote_id: remoteId }))]

  const answers = { ...drafts, add: (record: BeaDraftRecord) => drafts.add(record, eebAnswered) }
  const { add, change, remove } = changesOf<BeaDraftRecord, BeaClaims>(deps, answers, {
    events: 'none',
    follow: (before, after, { claims, releases }) => ({
      actions: [
        ...list.changes(before, after),
        ...due(before, after),
        ...(after === undefined
          ? []
          : [
              // An eEB is in the case of the message that it answers.
              ...ofCase.inCase(after, before, after.eeb === null ? 'body.case_id' : null),
              ...noteLeft(db, after, before),
              ...claim(after, claims),
              ...release(after, releases),
            ]),
      ],
    }),
  })

  return {
    find: drafts.find,

    page: (workspaceId, accountIds, { limit, cursor, ...filter }) =>
      pageOfIds(
        cursors,
        [workspaceId, 'bea_drafts', filter.account_id, filter.case_id, filter.status],
        { limit, cursor },
        async (after, most) => {
          const idsOf = (id: string) => list.places(workspaceId, termOf(id, filter), { after }, most)
          const ids = (await Promise.all(accountIds.map(idsOf))).flat()
          return ids.toSorted().toReversed().slice(0, most)
        },
        (ids) => drafts.findAll(workspaceId, ids),
      ),

    unsettled: async (workspaceId, accountId) => {
      const ids = await list.places(workspaceId, unsettledOf(accountId), {}, maxUnsettled)
      return drafts.findAll(workspaceId, ids)
    },

    add,
    change,
    remove,

    draftOf: async (workspaceId, accountId, remoteId) => {
      const key = { workspace_id: workspaceId, account_id: accountId, remote_id: remoteId }
      return (await sent.get(key).go(strongly)).data?.draft_id
    },
  }
}

/** The beA drafts in the table for which something is to be done. */
export function dueBeaSends(db: Db): DueSends {
  const items = dueBeaSend(db)
  return timedIndex('bea_sends#due', items, ({ workspace_id, draft_id }) => ({ workspace_id, draft_id }))
}

/** More sends of one account are not unknown at the same time. */
const maxUnsettled = 200

type Filter = Pick<BeaDraftQuery, 'case_id' | 'status'>

function termOf(accountId: string, { case_id, status }: Filter): string {
  const filters = [case_id && ` case=${case_id}`, status && ` status=${status}`]
  return `account=${accountId}${filters.filter(Boolean).join('')}`
}

/** The term of the drafts and answers of an account that may or may not be sent. */
export function unsettledOf(accountId: string): string {
  return `unsettled=${accountId}`
}

/** The term of the answers of an account that wait to be sent. An answer is in no list of drafts. */
export function waitingAnswersOf(accountId: string): string {
  return `waiting answers=${accountId}`
}

/** The drafts of an account, newest first. */
export function beaDraftList(db: Db) {
  return filedList(db, 'bea_drafts', 'descending', entriesOf)
}

/** A draft is filed under its account, with each combination of filters; an answer is in no list of drafts. */
function entriesOf({ id, account_id, state, eeb, case_id }: BeaDraftRecord): Entry<NoData>[] {
  const status = shownStatuses[state]
  const filters = [{}, { status }, ...(case_id === null ? [] : [{ case_id }, { case_id, status }])]
  const terms = eeb === null ? filters.map((filter) => termOf(account_id, filter)) : []
  const isUnsettled = state === 'confirming' || state === 'unknown'
  const isWaiting = eeb !== null && (state === 'queued' || state === 'preparing')
  const all = [
    ...terms,
    ...(isUnsettled ? [unsettledOf(account_id)] : []),
    ...(isWaiting ? [waitingAnswersOf(account_id)] : []),
  ]
  return all.map((term) => ({ term, place: id, data: {} }))
}

/** The status that a list is asked for (`send-state.ts`). */
const shownStatuses = {
  draft: 'draft',
  queued: 'sending',
  preparing: 'sending',
  confirming: 'sending',
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
} as const
