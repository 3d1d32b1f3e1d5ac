import type { Context } from 'aws-lambda'
import { handOverDueSends } from '#bea/sending/due-sends.ts'
import { runDueSyncs } from '#bea/sync/due-syncs.ts'
import { billingJobs } from '#billing/holding.ts'
import { calendarJobs } from '#calendar/jobs.ts'
import { caseJobs } from '#cases/jobs.ts'
import { lostMailJobs } from '#correspondence/lost-mails.ts'
import { partyMail } from '#correspondence/party-mail.ts'
import { noteOverdueDeadlines } from '#deadlines/overdue.ts'
import { sweepDocuments } from '#documents/sweep.ts'
import { sweepUnrecordedBytes } from '#documents/unrecorded-bytes.ts'
import { runDueExports } from '#exports/due.ts'
import { runExport } from '#exports/jobs.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaFilingFoundation, beaMessageFoundation, beaSyncFoundation } from '#foundation/bea-messages.ts'
import { beaSendFoundation } from '#foundation/bea-sends.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { exportRunsFoundation } from '#foundation/export-runs.ts'
import { filingFoundation } from '#foundation/filing.ts'
import { handOver } from '#foundation/hand-over.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { mailReportFoundation } from '#foundation/mail-reports.ts'
import { signingFoundation } from '#foundation/signing.ts'
import type { Arrival } from '#inbox/arrival-schema.ts'
import { sweepArrivals } from '#inbox/sweep.ts'
import { graceMilliseconds } from '#jobs/back-off.ts'
import { sweepJobs } from '#jobs/sweep.ts'
import { idPrefixes } from '#kernel/id.ts'
import { sweepAccessReports } from '#parties/access-sweep.ts'
import { deletedPartyJobs, makeAccessReport, partyJobs } from '#parties/jobs.ts'
import { runDueEnvelopes } from '#signing/envelopes/due-envelopes.ts'
import { sealEnvelope, sendEnvelopeMails } from '#signing/jobs.ts'
import { dueBeaSends } from '#store/bea/bea-draft-store.ts'
import { scheduledBeaSyncs } from '#store/bea/scheduled-bea-syncs.ts'
import { timeEntryStore } from '#store/billing/time-entry-store.ts'
import { agendasFollowUp, calendarStore } from '#store/calendar/calendar-store.ts'
import { pushStore } from '#store/calendar/push-store.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { cursorSecret } from '#store/cursor.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { deadlinesOfCase } from '#store/deadlines/deadlines-of-case.ts'
import { dueDeadlines } from '#store/deadlines/due-deadlines.ts'
import { namingDocuments } from '#store/documents/document-touches.ts'
import { documentWatches } from '#store/documents/document-watches.ts'
import { dueExports } from '#store/exports/due-exports.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { arrivalWatches } from '#store/inbox/arrival-watches.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { unendedReports } from '#store/parties/access-report-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { dueEnvelopes } from '#store/signing/due-envelopes.ts'
import { dueIndexes, leaseMilliseconds, searchIndexStore } from '#store/text-search/search-index-store.ts'
import { eraseFromIndexFollowUp } from '#store/text-search/search-marks.ts'
import { dispatchStore } from '#store/webhooks/dispatch-store.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { wakeDueIndexes, wakeIndexesAgain } from '#text-search/due.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { handOverDueDeliveries } from '#webhooks/deliveries/due.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { parkedLogLine, unindexedLogLine, unreadLogLine } from '../log-lines.ts'

const base = announcingFoundation('sweeper')
const wakeSearch = indexWakes(base)
const documents = documentFoundation(base)
const mail = correspondenceFoundation(base)
const arrived = inboxFoundation(base)
filingFoundation(base, { mails: mail.store, documents: documents.store })
const messages = beaMessageFoundation(base)
beaFilingFoundation(base, { messages: messages.store, documents: documents.store })
const signing = signingFoundation(base)
handOver(base, sendEnvelopeMails)
handOver(base, sealEnvelope)
exportRunsFoundation(base)
const sendRun = handOver(base, runExport)
const sendReport = handOver(base, makeAccessReport)
base.jobs.handle(eraseFromIndexFollowUp(base))
const beaSends = beaSendFoundation(base)
const beaSyncs = beaSyncFoundation(base)
mailReportFoundation(base, { mails: mail.store, envelopes: signing.store })
const cases = caseStore({ ...base, numberKey: caseNumberKey })
const parties = partyStore(base)
const calendar = calendarStore({ ...base, deadlines: deadlineStore(base) })
base.jobs.handle(
  ...billingJobs({ entries: timeEntryStore(base) }),
  ...caseJobs({ cases, parties, deadlines: deadlinesOfCase(base.db) }),
  ...partyJobs({ cases, parties, documents: namingDocuments(base) }),
  ...lostMailJobs({ mails: mail.store, clock: base.clock }),
  ...deletedPartyJobs({ mails: partyMail({ mails: mail.store, clock: base.clock }) }),
  ...workspaceJobs({ users: userStore(base), keys: base.keys }),
  agendasFollowUp(calendar),
  calendarJobs({ store: calendar, pushes: pushStore(base), clock: base.clock }),
)

/** The definitions of all jobs that any function enqueues; the sweeper can run each. */
export const jobDefinitions = base.jobs.definitions()

const makeCursorSecret = cursorSecret(base.db)

/** The time that the function has left when the sweep ends. */
const reserveMilliseconds = 5_000

/**
 * Runs everything that is due:
 *
 * - Jobs.
 * - Documents and arrivals that have waited too long: it sends them to their workers again.
 * - Uploads that never arrived: it removes them.
 * - Envelopes: expiry, reminders, completions that nobody finished.
 * - Reports on parties that have waited too long: it sends them to their worker again.
 * - Scheduled exports and beA synchronisations: it enqueues them.
 * - BeA messages to send, search for or import: it passes them to their worker.
 * - Deadlines whose time has passed: it records that they are overdue.
 * - Deliveries to endpoints of webhooks: it passes the endpoints to their worker.
 * - Search indexes with work that is due: it wakes their worker.
 * - The secret of cursors: it creates it if there is none.
 *
 * @param event `{"queues_were_lost": true}` after the messages of the queues were lost and no request is running. Then
 *   it runs every job that was enqueued before now, without waiting for its request. It also sends a message for each
 *   document, arrival, envelope, export run, report on a party, beA message and search index that waits for a worker.
 * @throws if a part of this work failed or a job was parked, so that an alarm goes off
 */
export async function handler(
  event: { queues_were_lost?: boolean } | undefined,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  const queueWasLost = event?.queues_were_lost === true
  const now = base.clock.now()
  const due = queueWasLost ? new Date(now.getTime() + graceMilliseconds) : now
  const milliseconds = context.getRemainingTimeInMillis() - reserveMilliseconds
  const limits = { queueWasLost, milliseconds }
  const sweeps = await Promise.allSettled([
    runJobs(due, milliseconds),
    workOnDocuments(now, limits),
    workOnEnvelopes(now, limits),
    workOnArrivals(now, limits),
    workOnExports(now, limits),
    workOnReports(now, limits),
    workOnPostboxes(now, milliseconds),
    workOnBeaSends(now, limits),
    workOnDeadlines(now, milliseconds),
    workOnDeliveries(now, limits),
    workOnIndexes(now, limits),
    makeCursorSecret(),
  ])
  const faults = sweeps.flatMap((sweep) => (sweep.status === 'rejected' ? [sweep.reason] : []))
  if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('; '))
}

/** `milliseconds`: how long a part of the sweep may take. */
type Limits = { queueWasLost: boolean; milliseconds: number }

async function runJobs(due: Date, milliseconds: number): Promise<void> {
  const store = jobStore(base.db)
  const swept = await sweepJobs({ store, runner: base.jobs, log: base.log }, due, { milliseconds })
  if (await store.hasParked()) base.log.error(parkedLogLine, {})
  const trouble = Object.entries(swept.jobs)
    .filter(([, { failed, parked }]) => failed + parked > 0)
    .map(([name, { failed, parked }]) => `${name}: ${failed} failed, ${parked} parked`)
  if (swept.unread > 0) trouble.push(`${swept.unread} jobs or shards could not be read`)
  base.log[trouble.length > 0 ? 'warn' : 'info']('jobs swept', { ...swept })
  if (trouble.length > 0) throw new Error(trouble.join('; '))
}

async function workOnDocuments(now: Date, limits: Limits): Promise<void> {
  const deps = { ...documents, watches: documentWatches(base.db), log: base.log }
  const [swept, bytes] = await Promise.all([
    sweepDocuments(deps, now, limits),
    sweepUnrecordedBytes(deps, now, limits.milliseconds),
  ])
  if (swept.sent + swept.expired > 0) base.log.warn('documents swept', swept)
  if (swept.oldestUnread !== undefined) base.log.info(unreadLogLine, swept.oldestUnread)
  if (bytes.removed > 0) base.log.warn('bytes without a record removed', { removed: bytes.removed })
  const failed = swept.failed + bytes.failed
  if (failed > 0) throw new Error(`${failed} documents or shards could not be processed`)
}

async function workOnEnvelopes(now: Date, limits: Limits): Promise<void> {
  const due = dueEnvelopes(base.db)
  const { failed, ...done } = await runDueEnvelopes({ store: signing.store, due, log: base.log }, now, limits)
  if (done.expired + done.reminded > 0) base.log.info('envelopes swept', done)
  if (done.sealedAgain + done.mailedAgain > 0)
    base.log.warn('completions or mails of envelopes are handed over again', done)
  if (failed > 0) throw new Error(`The due work of ${failed} envelopes or shards failed`)
}

async function workOnArrivals(now: Date, limits: Limits): Promise<void> {
  const deps = { ...arrived, watches: arrivalWatches(base.db), remainingMessages, log: base.log }
  const { sent, failed } = await sweepArrivals(deps, now, limits)
  if (sent > 0) base.log.warn('arrivals are handed over again', { sent })
  if (failed > 0) throw new Error(`${failed} arrivals or shards could not be handed over again`)
}

async function workOnExports(now: Date, limits: Limits): Promise<void> {
  const { failed, ...done } = await runDueExports(
    {
      configs: exportConfigStore(base),
      workspaces: workspaceStore(base.db),
      due: dueExports(base),
      send: sendRun,
      log: base.log,
    },
    now,
    limits,
  )
  if (done.begun + done.sentAgain > 0) base.log.info('exports swept', done)
  if (failed > 0) throw new Error(`${failed} export configurations or shards that are due could not be run`)
}

async function workOnReports(now: Date, limits: Limits): Promise<void> {
  const deps = { unended: unendedReports(base.db), send: sendReport, log: base.log }
  const { sentAgain, failed } = await sweepAccessReports(deps, now, limits)
  if (sentAgain > 0) base.log.warn('reports on parties are handed over again', { sentAgain })
  if (failed > 0) throw new Error(`${failed} reports on parties or shards could not be handed over again`)
}

async function workOnPostboxes(now: Date, milliseconds: number): Promise<void> {
  const { failed, begun } = await runDueSyncs(
    {
      accounts: messages.accounts,
      scheduled: scheduledBeaSyncs(base.db),
      begin: beaSyncs.begin,
      log: base.log,
    },
    now,
    { milliseconds },
  )
  if (begun > 0) base.log.info('beA accounts swept', { begun })
  if (failed > 0) throw new Error(`${failed} synchronisations of beA accounts could not be begun`)
}

async function workOnIndexes(now: Date, { queueWasLost, milliseconds }: Limits): Promise<void> {
  const deps = { due: dueIndexes(base.db), store: searchIndexStore(base), wake: wakeSearch, log: base.log }
  const leaseSeconds = leaseMilliseconds / 1_000
  const lost = queueWasLost ? await wakeIndexesAgain(deps, { milliseconds, leaseSeconds }) : 0
  const { failed, woken, oldest } = await wakeDueIndexes(deps, now, { milliseconds })
  base.log.info(unindexedLogLine, { ...oldest, woken })
  if (lost + failed > 0)
    throw new Error(`The workers of ${lost + failed} search indexes or shards could not be woken`)
}

async function workOnBeaSends(now: Date, limits: Limits): Promise<void> {
  const deps = { due: dueBeaSends(base.db), send: beaSends.send, log: base.log }
  const { handedOver, failed } = await handOverDueSends(deps, now, limits)
  if (handedOver > 0) base.log.info('beA sends swept', { handedOver })
  if (failed > 0) throw new Error(`${failed} beA sends or shards that are due could not be handed over`)
}

async function workOnDeadlines(now: Date, milliseconds: number): Promise<void> {
  const deps = { due: dueDeadlines(base.db), log: base.log }
  const { overdue, failed } = await noteOverdueDeadlines(deps, now, milliseconds)
  if (overdue > 0) base.log.info('deadlines swept', { overdue })
  if (failed > 0) throw new Error(`${failed} overdue deadlines or shards could not be recorded`)
}

async function workOnDeliveries(now: Date, limits: Limits): Promise<void> {
  const { handedOver, failed } = await handOverDueDeliveries(
    { due: dispatchStore(base.db), events: eventLog(base), send: base.sendDelivery, log: base.log },
    now,
    limits,
  )
  if (handedOver > 0) base.log.info('deliveries swept', { handedOver })
  if (failed > 0) throw new Error(`${failed} endpoints or shards could not be handed over`)
}

/** The messages for the work that the worker `inbound` has not done yet: the triage, and the filing of attachments. */
async function remainingMessages(workspace_id: string, id: string): Promise<Arrival[]> {
  const toJudge = (record: { inbox: { is_judged: boolean } | null } | undefined): Arrival[] =>
    record?.inbox?.is_judged === false ? [{ workspace_id, id }] : []
  if (id.startsWith(idPrefixes.correspondence)) return toJudge(await mail.store.find(workspace_id, id))
  if (!id.startsWith(idPrefixes.beaMessage)) return toJudge(await documents.store.find(workspace_id, id))
  const message = await messages.store.find(workspace_id, id)
  const filing = message?.filing
  return [...toJudge(message), ...(filing === undefined ? [] : [{ workspace_id, id, filing }])]
}
