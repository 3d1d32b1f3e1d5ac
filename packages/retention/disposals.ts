import { auditEvent } from '#audit/schema.ts'
import { activeHolds, closedAtOf, endedAtOf, retentionRule } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, Failure, type FailureCode, required, requireKnown } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type {
  CaseToDispose,
  DisposableCases,
  DisposalRecord,
  DisposalStore,
  OpenWork,
} from './disposal-ports.ts'
import type { Disposal, DisposalCertificate, DisposalInput, KeptReason } from './disposal-schema.ts'
import type { RetentionWorkspaces } from './ports.ts'
import { closedBefore } from './retention.ts'

export type DisposalService = ReturnType<typeof disposalService>

/** Proposals of disposals, and the decision of a second user about them (R3). */
export function disposalService(deps: {
  disposals: DisposalStore
  cases: DisposableCases
  workspaces: RetentionWorkspaces
  clock: Clock
}) {
  const { disposals, cases, workspaces, clock } = deps

  /**
   * Approves or withdraws a proposal.
   *
   * @throws Failure DISPOSAL_NOT_FOUND, DISPOSAL_NOT_PROPOSED, and the errors of `changesOf`
   */
  const decide = (
    actor: Actor,
    id: string,
    action: 'disposal.approved' | 'disposal.withdrawn',
    changesOf: (current: DisposalRecord) => Partial<DisposalRecord>,
  ): Promise<Answered<Disposal>> =>
    disposals.change(actor.workspace_id, id, (current) => {
      const changes = changesOf(current)
      if (current.status !== 'proposed') throw notProposed(current)
      const record = { ...current, ...changes, version: current.version + 1 }
      return { record, answer: shownDisposal(record), audit: auditEvent(actor, action, 'disposal', id) }
    })

  return {
    /** The disposals of the firm, newest first. */
    async list({ workspace_id }: Actor, request: PageRequest): Promise<Page<Disposal>> {
      const { data, pagination } = await disposals.page(workspace_id, request)
      return { data: data.map(shownDisposal), pagination }
    },

    /** @throws Failure DISPOSAL_NOT_FOUND */
    async get({ workspace_id }: Actor, id: string): Promise<Disposal> {
      return shownDisposal(required(await disposals.find(workspace_id, id), 'DISPOSAL_NOT_FOUND'))
    },

    /**
     * Proposes a disposal of due cases. A case that is named twice counts once.
     *
     * @throws Failure CASE_NOT_FOUND; NOT_DUE, LEGAL_HOLD, CASE_HAS_OPEN_WORK or CASE_IN_DISPOSAL, naming each case
     */
    async propose(actor: Actor, { case_ids }: DisposalInput): Promise<Answered<Disposal>> {
      const { workspace_id } = actor
      const ids = [...new Set(case_ids)]
      const [found, workspace] = await Promise.all([
        cases.findAll(workspace_id, ids),
        workspaces.find(workspace_id),
      ])
      const { time_zone } = required(workspace, 'WORKSPACE_NOT_FOUND')
      const known = new Map(found.map((one) => [one.id, one]))
      requireKnown(ids, known, 'CASE_NOT_FOUND', 'body.case_ids')
      const chosen = ids.flatMap((id) => known.get(id) ?? [])
      const now = clock.now()
      const judged = chosen.map((one) => ({ ...one, reason: keptReasonOf(one, time_zone, now) }))
      refuseIfAny(judged, ({ reason }) => reason === 'reopened' || reason === 'not_due', notDue)
      refuseIfAny(judged, ({ reason }) => reason === 'legal_hold', held)
      const open = await cases.openWork(workspace_id, ids)
      refuseIfAny(judged, ({ id }) => open.has(id), {
        ...openWork,
        about: ({ id }) => (open.get(id) ?? []).map(nameOfWork).join(', '),
      })
      const states = new Map<string, string>()
      await inParallel(ids, async (id) => {
        states.set(id, await cases.state(workspace_id, id))
      })
      const record: DisposalRecord = {
        workspace_id,
        id: newId('disposal'),
        status: 'proposed',
        cases: chosen.map(({ id, file_number }) => ({
          case_id: id,
          file_number,
          state: 'waiting',
          reason: null,
        })),
        proposed_by: actor.user_id,
        proposed_at: timestamp(clock),
        approved_by: null,
        approved_at: null,
        withdrawn_by: null,
        withdrawn_at: null,
        begun_at: null,
        done_at: null,
        states: Object.fromEntries(states),
        claimed_until: null,
        counts: null,
        digest: null,
        forgetting_since: null,
        certificate_sha256: null,
        kept_until: null,
        is_cleaned: false,
        version: 1,
      }
      const audit = auditEvent(actor, 'disposal.proposed', 'disposal', record.id)
      return disposals.add({ record, answer: shownDisposal(record), audit })
    },

    /**
     * Approves a proposal of another user. Then a worker runs it.
     *
     * @throws Failure DISPOSAL_NOT_FOUND; DUAL_CONTROL_REQUIRED for the user who proposed it, with any key;
     * DISPOSAL_NOT_PROPOSED if it was approved or withdrawn already
     */
    approve: (actor: Actor, id: string): Promise<Answered<Disposal>> =>
      decide(actor, id, 'disposal.approved', (current) => {
        if (current.proposed_by === actor.user_id) throw ownProposal()
        return { status: 'approved', approved_by: actor.user_id, approved_at: timestamp(clock) }
      }),

    /** Withdraws a proposal. @throws Failure DISPOSAL_NOT_FOUND; DISPOSAL_NOT_PROPOSED */
    withdraw: (actor: Actor, id: string): Promise<Answered<Disposal>> =>
      decide(actor, id, 'disposal.withdrawn', () => ({
        status: 'withdrawn',
        withdrawn_by: actor.user_id,
        withdrawn_at: timestamp(clock),
      })),
  }
}

/** A disposal as shown to users. */
function shownDisposal(record: DisposalRecord): Disposal {
  const { id, status, cases, proposed_by, proposed_at, approved_by, approved_at } = record
  const { withdrawn_by, withdrawn_at, begun_at, done_at } = record
  const decided = { proposed_by, proposed_at, approved_by, approved_at, withdrawn_by, withdrawn_at }
  // The stored `done_at` is set a moment before the certificate is stored. Until then the disposal is not done.
  return { id, status, cases, ...decided, begun_at, done_at: status === 'done' ? done_at : null }
}

/** The certificate of a disposal that has ended (R4). */
export function certificateOf(record: DisposalRecord): DisposalCertificate {
  const { id, cases, counts, digest, proposed_by, approved_by, begun_at, done_at } = record
  return {
    disposal_id: id,
    rule: retentionRule,
    cases: cases.filter(({ state }) => state === 'done').map(({ file_number }) => ({ file_number })),
    kept: cases
      .filter(({ state }) => state === 'kept')
      .map(({ file_number, reason }) => ({ file_number, reason })),
    // A newer release may have stored values other than numbers here.
    counts: Object.fromEntries(Object.entries(counts ?? {}).filter(([, count]) => typeof count === 'number')),
    digest: digest ?? '',
    proposed_by,
    approved_by: approved_by ?? '',
    begun_at: begun_at ?? '',
    done_at: done_at ?? '',
  }
}

/** Why a case must be kept now, apart from open work and changes; null if there is no such reason. */
export function keptReasonOf(
  one: Pick<CaseToDispose, 'status' | 'closed_at' | 'deleted_at' | 'holds'>,
  timeZone: string,
  now: Date,
): KeptReason | null {
  const endedAt = endedAtOf(one)
  if (endedAt === null) return 'reopened'
  const today = localDateOf(now, timeZone)
  if (endedAt >= closedBefore(today, timeZone)) return 'not_due'
  return activeHolds(one.holds, today).length > 0 ? 'legal_hold' : null
}

type Refusal = { code: FailureCode; message: string; about: (one: CaseToDispose) => string }

/** Refuses a proposal if `isRefused` is true for a case. The failure names each such case. */
function refuseIfAny<Judged extends CaseToDispose>(
  judged: readonly Judged[],
  isRefused: (one: Judged) => boolean,
  { code, message, about }: Refusal,
): void {
  const refused = judged.filter(isRefused)
  if (refused.length === 0) return
  const details = refused.map((one) => ({
    path: 'body.case_ids',
    message: `${one.file_number} (${one.id}): ${about(one)}.`,
  }))
  throw conflict(code, message, { details })
}

const notDue: Refusal = {
  code: 'NOT_DUE',
  message:
    'Some of these cases are open, or must be kept longer. Propose only cases that GET /api/v1/retention/due lists.',
  about: (one) => {
    const endedAt = endedAtOf(one)
    if (endedAt === null) return 'not closed'
    return `${closedAtOf(one) === null ? 'deleted' : 'closed'} at ${endedAt}, not due yet`
  },
}

const held: Refusal = {
  code: 'LEGAL_HOLD',
  message: 'Some of these cases have a legal hold. Lift the holds first, or leave these cases out.',
  about: () => 'has a legal hold',
}

const openWork: Omit<Refusal, 'about'> = {
  code: 'CASE_HAS_OPEN_WORK',
  message: 'Some of these cases have open work. Finish or delete it first, or leave these cases out.',
}

function nameOfWork({ kind, id }: OpenWork): string {
  return `${workNames[kind]} ${id}`
}

const workNames: Record<OpenWork['kind'], string> = {
  envelope: 'running envelope',
  mail_draft: 'unsent draft',
  bea_draft: 'unsent beA draft',
  bea_send: 'beA message that is being sent, or whose outcome is unknown',
  invoice_draft: 'draft invoice',
  deadline: 'open deadline',
}

function ownProposal(): Failure {
  return new Failure(
    'forbidden',
    'DUAL_CONTROL_REQUIRED',
    'You proposed this disposal: another user must approve it.',
  )
}

function notProposed({ status }: DisposalRecord): Failure {
  const was = status === 'withdrawn' ? 'withdrawn' : 'approved'
  return conflict('DISPOSAL_NOT_PROPOSED', `This disposal was ${was} already.`)
}
