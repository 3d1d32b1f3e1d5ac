import { lostFrom } from '#correspondence/schema.ts'
import { epochMilliseconds, timestamp } from '#kernel/clock.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { OpenWork } from '#retention/disposal-ports.ts'
import { runningStatuses } from '#signing/status-schema.ts'
import { fieldsById, readEach } from '../batch.ts'
import { beaAccountIds } from '../bea/bea-account-ids.ts'
import { beaDraftEntity } from '../bea/bea-draft-entity.ts'
import { unsettledOf, waitingAnswersOf } from '../bea/bea-draft-store.ts'
import { beaMessageEntity } from '../bea/bea-message-entity.ts'
import { draftActions } from '../correspondence/draft-actions.ts'
import { type Db, strongly } from '../db.ts'
import { dueLists } from '../deadlines/due-lists.ts'
import { documentEntity } from '../documents/document-entity.ts'
import { envelopeLists } from '../signing/envelope-lists.ts'
import { envelopeRecords } from '../signing/envelope-record.ts'
import { sortedList } from '../sorted-list.ts'
import { userIds } from '../workspace/user-ids.ts'

/** Entries read at once. */
const atOnce = 500

/** The deadlines of a case that a refusal names, the next ones. */
const namedOfCase = 10

/** Envelopes read at once, each with up to twenty documents. */
const envelopesAtOnce = 100

/**
 * The unfinished work on cases. It is found by the lists of unfinished work, which are short:
 *
 * - unsent drafts of the users;
 * - beA drafts of the accounts, and their answers to requests for receipts;
 * - draft invoices and running envelopes of the firm;
 * - open deadlines of the cases that are still to come; those of a deleted case stay in the calendar, too (C8).
 *
 * An envelope counts in its own case, and in the cases into which its documents were moved: it needs their bytes until it
 * has ended (D10).
 */
export function openWorkOfCases(db: Db) {
  const drafts = draftActions(db)
  const envelopes = envelopeLists(db)
  const running = envelopeRecords(db)
  const documents = documentEntity(db)
  const beaDrafts = sortedList<object>(db, 'bea_drafts', 'descending')
  const deadlines = dueLists(db)
  const invoices = sortedList<{ id: string; case_id: string }>(db, 'invoices', 'descending')

  async function* mailDrafts(workspace_id: string) {
    const now = new Date(epochMilliseconds())
    for (const { id, active } of await userIds(db, workspace_id))
      for await (const entries of drafts.list.all(workspace_id, id, atOnce)) {
        const places = entries.map(({ place }) => place)
        const found = await drafts.findAll(workspace_id, places)
        // Nobody can finish the drafts of a deactivated user: they go with their cases, once none may still be sent.
        yield* active
          ? found
          : found.filter(
              ({ status, sending_since }) =>
                status === 'sending' && (sending_since === null || lostFrom(sending_since) > now),
            )
      }
  }

  /** The running envelopes with the cases that they need. One that is opened meanwhile moves into the second list. */
  async function* runningEnvelopes(workspace_id: string) {
    for (const status of runningStatuses)
      for (let after: string | undefined, isWhole = true; isWhole; ) {
        const ids = await envelopes.ids(workspace_id, { status }, after, envelopesAtOnce)
        const found = await running.findAll(workspace_id, ids)
        const used = found.flatMap((one) => one.documents.map(({ document_id }) => document_id))
        const filed = await fieldsById(db, documents, workspace_id, [...new Set(used)], ['case_id'])
        for (const { id, case_id, documents: of } of found)
          yield { id, cases: new Set([case_id, ...of.map((one) => filed.get(one.document_id)?.case_id)]) }
        after = ids.at(-1)
        isWhole = ids.length === envelopesAtOnce
      }
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
    const note = (caseId: unknown, work: OpenWork) => {
      if (typeof caseId !== 'string' || !wanted.has(caseId)) return
      open.set(caseId, [...(open.get(caseId) ?? []), work])
    }
    for await (const { id, cases } of runningEnvelopes(workspaceId))
      for (const case_id of cases) note(case_id, { kind: 'envelope', id })
    for await (const { case_id, id } of mailDrafts(workspaceId)) note(case_id, { kind: 'mail_draft', id })
    const accounts = await beaAccountIds(db, workspaceId)
    for await (const { case_id, id, state } of unsentBeaDrafts(workspaceId, accounts))
      note(case_id, { kind: state === 'unknown' ? 'bea_send' : 'bea_draft', id })
    for await (const { case_id, id } of unsettledAnswers(workspaceId, accounts))
      note(case_id, { kind: 'bea_send', id })
    const from = timestamp()
    await inParallelUpTo(8, [...wanted], async (case_id) => {
      const query = { states: ['open', 'verified'], case_id, from } as const
      for (const { id } of await deadlines.due(workspaceId, query, { limit: namedOfCase }))
        note(case_id, { kind: 'deadline', id })
    })
    for await (const entries of invoices.all(workspaceId, 'status=draft', atOnce))
      for (const { data } of entries) note(data.case_id, { kind: 'invoice_draft', id: data.id })
    return open
  }
}
