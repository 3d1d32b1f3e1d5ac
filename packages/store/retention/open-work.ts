import { inParallel } from '#kernel/in-parallel.ts'
import type { OpenWork } from '#retention/disposal-ports.ts'
import { readEach } from '../batch.ts'
import { beaAccountIds } from '../bea/bea-account-ids.ts'
import { beaDraftEntity } from '../bea/bea-draft-entity.ts'
import { unsettledOf, waitingAnswersOf } from '../bea/bea-draft-store.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { draftActions } from '../correspondence/draft-actions.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { envelopeLists } from '../signing/envelope-lists.ts'
import { sortedList } from '../sorted-list.ts'
import { userEntity } from '../workspace/user-entity.ts'

/** Entries read at once. */
const atOnce = 500

/**
 * The work on cases that is not finished. It is found by the lists of what is not finished, which are short.
 * These are unsent drafts of the users, beA drafts of the accounts and their answers to requests for receipts, draft
 * invoices of the firm, and running envelopes of each case.
 */
export function openWorkOfCases(db: Db) {
  const drafts = draftActions(db)
  const envelopes = envelopeLists(db)
  const beaDrafts = sortedList<object>(db, 'bea_drafts', 'descending')
  const invoices = sortedList<{ id: string; case_id: string }>(db, 'invoices', 'descending')

  async function* mailDrafts(workspace_id: string) {
    const { data: users } = await userEntity(db).query.newest({ workspace_id }).go(allPages)
    for (const { id } of users)
      for await (const entries of drafts.list.all(workspace_id, id, atOnce))
        yield* await drafts.findAll(
          workspace_id,
          entries.map(({ place }) => place),
        )
  }

  async function* beaDraftsOf(workspace_id: string, term: string) {
    const items = beaDraftEntity(db)
    for await (const entries of beaDrafts.all(workspace_id, term, atOnce))
      for (const Item of await readEach(db, entries, ({ place: id }) => items.get({ workspace_id, id }))) {
        const { data } = items.parse({ Item })
        if (data !== null) yield data
      }
  }

  async function* unsentBeaDrafts(workspace_id: string, accounts: string[]) {
    for (const account of accounts)
      for (const status of ['draft', 'sending', 'failed', 'unknown'])
        yield* beaDraftsOf(workspace_id, `account=${account} status=${status}`)
  }

  /**
   * The messages to which an answer was given that is still to be sent, or may or may not be sent. It is in the case of
   * its message.
   */
  async function* unsettledAnswers(workspace_id: string, accounts: string[]) {
    const messages = beaMessageEntity(db)
    // It moves from the first list to the second, and back if the network certainly did not accept it.
    const terms = accounts.flatMap((account) => [
      waitingAnswersOf(account),
      unsettledOf(account),
      waitingAnswersOf(account),
    ])
    const seen = new Set<string>()
    for (const term of terms)
      for await (const { eeb, state } of beaDraftsOf(workspace_id, term)) {
        // Code of an earlier release does not take an answer out of the first list.
        if (!eeb || state === 'sent' || state === 'failed' || seen.has(eeb.message_id)) continue
        seen.add(eeb.message_id)
        const { data } = await messages.get({ workspace_id, id: eeb.message_id }).go(strongly)
        if (data !== null) yield data
      }
  }

  return async (workspaceId: string, caseIds: readonly string[]): Promise<Map<string, OpenWork[]>> => {
    const wanted = new Set(caseIds)
    const open = new Map<string, OpenWork[]>()
    const note = (caseId: string | null | undefined, work: OpenWork) => {
      if (typeof caseId !== 'string' || !wanted.has(caseId)) return
      open.set(caseId, [...(open.get(caseId) ?? []), work])
    }
    const ofEnvelopes = async (case_id: string) => {
      for (const status of ['sent', 'in_progress'] as const)
        for (const id of await envelopes.ids(workspaceId, { case_id, status }, undefined, atOnce))
          note(case_id, { kind: 'envelope', id })
    }
    await inParallel([...wanted], ofEnvelopes)
    for await (const { case_id, id } of mailDrafts(workspaceId)) note(case_id, { kind: 'mail_draft', id })
    const accounts = await beaAccountIds(db, workspaceId)
    for await (const { case_id, id, state } of unsentBeaDrafts(workspaceId, accounts))
      note(case_id, { kind: state === 'unknown' ? 'bea_send' : 'bea_draft', id })
    for await (const { case_id, id } of unsettledAnswers(workspaceId, accounts))
      note(case_id, { kind: 'bea_send', id })
    for await (const entries of invoices.all(workspaceId, 'status=draft', atOnce))
      for (const { data } of entries) note(data.case_id, { kind: 'invoice_draft', id: data.id })
    return open
  }
}
