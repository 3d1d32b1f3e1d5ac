import { beaForgetting } from '#bea/messages/forgetting.ts'
import { mailForgetting } from '#correspondence/forgetting.ts'
import { bucketFiles } from '#files/bucket.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import type { ErasureStep, Redact, StoredParty, WholeStep } from '#parties/erasure-ports.ts'
import { withoutParty } from '#parties/redaction.ts'
import { queueSender } from '#queue/sqs.ts'
import { needsDocuments } from '#signing/envelopes/envelope-states.ts'
import { eraseKeys } from '#store/batch.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { invoiceStore } from '#store/billing/invoice-store.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { messageIds } from '#store/correspondence/message-ids.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { redactTriage } from '#store/inbox/redact-triage.ts'
import { casesAround } from '#store/parties/cases-around.ts'
import { dueErasures } from '#store/parties/due-erasures.ts'
import { erasureInBeaDrafts } from '#store/parties/erasure-in-bea-drafts.ts'
import { erasureInCases } from '#store/parties/erasure-in-cases.ts'
import { erasureInDeletedDocument } from '#store/parties/erasure-in-deleted-document.ts'
import { erasureInExports } from '#store/parties/erasure-in-exports.ts'
import { erasureInIndex } from '#store/parties/erasure-in-index.ts'
import { erasureInJobs } from '#store/parties/erasure-in-jobs.ts'
import { erasureInRecords } from '#store/parties/erasure-in-records.ts'
import { erasureInTraces } from '#store/parties/erasure-in-traces.ts'
import { partyErasureStore } from '#store/parties/party-erasure-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { caseNouns, lessonKeys } from '#store/retention/case-nouns.ts'
import { eraseName } from '#store/retention/case-texts.ts'
import type { EraseObjects } from '#store/retention/record-removal.ts'
import { redactLeft } from '#store/retention/redacted-entries.ts'
import { envelopeUses } from '#store/signing/envelope-uses.ts'
import { eraseFromIndexFollowUp } from '#store/text-search/search-marks.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { indexQueue } from '#text-search/wake-schema.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { beaAccounts } from './bea-access.ts'
import { correspondenceFoundation } from './correspondence.ts'
import { firmObjectsOnce } from './firm-objects.ts'
import type { Base } from './foundation.ts'
import { jobsToForget } from './jobs-with-texts.ts'

/** The dependencies of the worker that runs erasures. The function needs the right to erase objects. */
export function erasureFoundation(base: Base) {
  return {
    due: dueErasures(base.db),
    store: partyErasureStore({ db: base.db, parties: partyStore(base) }),
    steps: erasureSteps(base),
    workspaces: workspaceStore(base.db),
    clock: base.clock,
    log: base.log,
  }
}

/** The steps of the erasure of a party (R5), in their order. */
function erasureSteps(base: Base): { name: string; run: ErasureStep | WholeStep }[] {
  const objects = firmObjectsOnce()
  const mail = correspondenceFoundation(base)
  const parties = partyStore(base)
  const documents = documentStore({ ...base, requireUnused: envelopeUses({ ...base, needsDocuments }) })
  base.jobs.handle(eraseFromIndexFollowUp(base))
  const index = erasureInIndex({ ...base, wake: queueSender(indexQueue) })
  const around = casesAround(base.db)
  const records = erasureInRecords({ db: base.db, documents, invoices: invoiceStore(base), withoutParty })
  const eraseOlder = (prefix: string) => objects().eraseOlder(prefix)
  const eraseUnder = (...which: Parameters<EraseObjects>) => objects().eraseUnder(...which)
  const files = { ...bucketFiles(), eraseOlder }
  const nouns = caseNouns({ ...base, providerDomain: messageIdDomain() })
  const leaveTimelines = (workspaceId: string, id: string, redact: Redact): Promise<void> =>
    redactLeft(base.db, workspaceId, [id], redact)
  const redactDeleted = erasureInDeletedDocument(base.db)
  /** Removes data from the name of a document that came with a message, if it is in no case. It may have been deleted. */
  const redactDocument = async (workspaceId: string, id: string, redact: Redact): Promise<void> => {
    const found = await documents.find(workspaceId, id)
    if (found !== undefined && found.case_id !== null) return
    await leaveTimelines(workspaceId, id, redact)
    if (found === undefined) return redactDeleted(workspaceId, id, redact)
    await redactTriage(base.db, workspaceId, id, redact)
    await documents.change(workspaceId, id, (before) => {
      const filename = redact(before.filename)
      if (filename === before.filename || before.case_id !== null) return { answer: undefined }
      const record = { ...before, filename, version: before.version + 1 }
      return { record, jobs: eraseName(before, record), events: [], answer: undefined }
    })
  }
  const forgetting = mailForgetting({
    ...mail,
    files,
    users: userStore(base),
    clock: base.clock,
    textOfHtml: async (html) => (await import('#mail/mail-bodies.ts')).textOfHtml(html),
    forgetIds: (mail) => messageIds(base.db).forget(mail, messageIdDomain()),
    forgetLessons: (mail) => eraseKeys(base.db, lessonKeys(mail)),
    redactDocument,
    leaveTimelines,
  })
  const forgetBea = beaForgetting({
    accounts: beaAccounts(base).accounts,
    store: beaMessageStore(base),
    files,
    redactDocument,
    leaveTimelines,
    redactDrafts: erasureInBeaDrafts({ ...base, files, nouns }),
  })
  /** If another party has the same mailbox, the address stays in mail. */
  const inMail = async (party: StoredParty) => {
    const sharesMailbox = await parties.sharesMailbox(party)
    const redact = withoutParty(sharesMailbox ? { ...party, email: null } : party)
    return { of: { ...party, sharesMailbox }, redact }
  }
  const jobs = jobsToForget(base)
  const ofDrafts = (which: 'drafts' | 'deletedDrafts'): ErasureStep =>
    async function* (party, after, keptBy) {
      const known = new Set(await around.ids(party))
      const judge = async (caseId: string) => {
        const one = await around.find(party.workspace_id, caseId)
        if (one !== undefined && keptBy(one) !== null) return 'kept'
        return known.has(caseId) ? 'around' : 'other'
      }
      const { of, redact } = await inMail(party)
      return yield* forgetting[which](of, redact, after, judge)
    }

  return [
    { name: 'jobs', run: erasureInJobs(jobs) },
    {
      name: 'cases',
      run: erasureInCases({
        ...base,
        files,
        cases: caseStore({ ...base, numberKey: caseNumberKey }),
        nouns,
        withoutParty,
      }),
    },
    { name: 'documents', run: records.documents },
    { name: 'invoices', run: records.invoices },
    {
      name: 'mails',
      run: async function* (party, after) {
        const { of, redact } = await inMail(party)
        return yield* forgetting.mails(of, redact, after)
      },
    },
    { name: 'drafts', run: ofDrafts('drafts') },
    { name: 'deleted_drafts', run: ofDrafts('deletedDrafts') },
    { name: 'bea', run: (party, after) => forgetBea(party, withoutParty(party), after) },
    {
      name: 'exports',
      run: erasureInExports({ db: base.db, configs: exportConfigStore(base), withoutParty }),
    },
    { name: 'index', run: index.marked },
    {
      name: 'traces',
      run: erasureInTraces({
        ...jobs,
        eraseObjects: eraseUnder,
        withoutParty,
        sharesMailbox: parties.sharesMailbox,
      }),
    },
    { name: 'index_files', run: index.isGone },
  ]
}
