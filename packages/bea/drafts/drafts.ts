import { isDeepStrictEqual } from 'node:util'
import type { Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { isUnwritten, requireVersion, retryChanged } from '#kernel/changed-meanwhile.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, Failure, notFound, required, requireKnown } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { requireScope } from '#kernel/require-scope.ts'
import { answered, shortenedSubject, userActor } from '#timeline/schema.ts'
import { requireAccount } from '../accounts/require-account.ts'
import { notAuthenticated } from '../network/gateway-ports.ts'
import type { BeaAccess, BeaAccountRecord, BeaAccountStore } from '../ports.ts'
import { requireRight } from '../rights/require-right.ts'
import { type BeaOperation, mayDo } from '../rights/rights.ts'
import { changeBy, entriesOf, touched } from '../sending/send-changes.ts'
import { eraseBeaFiles, handOverSend } from '../sending/send-jobs.ts'
import { shownStatus, stateAfter } from '../sending/send-state.ts'
import type { DraftFiles } from './draft-files.ts'
import type {
  BeaDocuments,
  BeaDraftChange,
  BeaDraftRecord,
  BeaDraftStore,
  BeaSessions,
} from './draft-ports.ts'
import type {
  BeaDraft,
  BeaDraftChanges,
  BeaDraftInput,
  BeaDraftQuery,
  BeaDraftSummary,
  BeaResolveInput,
  BeaSendInput,
} from './draft-schema.ts'
import { preflight } from './preflight.ts'

export type BeaDraftDeps = {
  drafts: BeaDraftStore
  accounts: Pick<BeaAccountStore, 'find' | 'findEver' | 'listEver'>
  access: BeaAccess
  sessions: BeaSessions
  documents: BeaDocuments
  objects: DraftFiles
  clock: Clock
}

export type BeaDraftService = ReturnType<typeof beaDraftService>

/**
 * Writes drafts and accepts them for sending (B7). A draft belongs to the workspace. Reading and writing it needs the
 * right 03 of its account; sending it or deciding its outcome needs 05. The worker `bea-send` sends it
 * (`sending/sending.ts`).
 *
 * The drafts of a disconnected account are kept, and so are the rights to them. They can be read, and the outcome of a
 * send can be decided. They can be changed or sent only after the account is connected again. They can be deleted, because
 * an unsent draft keeps its case from disposal (R3), and the account may never be connected again.
 */
export function beaDraftService(deps: BeaDraftDeps) {
  const { drafts, accounts, access, sessions, documents, objects, clock } = deps

  const requireAllowed = async (actor: Actor, accountId: string, operation: BeaOperation): Promise<void> => {
    const account = await requireAccount(accounts, actor, accountId, 'body.account_id')
    await requireRight(access, actor, account, operation)
  }

  /** The draft with its account, which may be disconnected. */
  const requireDraft = async (actor: Actor, id: string, operation: BeaOperation) => {
    const record = await drafts.find(actor.workspace_id, id)
    if (record === undefined || record.eeb !== null) throw notFound('DRAFT_NOT_FOUND')
    const account = required(
      await accounts.findEver(actor.workspace_id, record.account_id),
      'DRAFT_NOT_FOUND',
    )
    await requireRight(access, actor, account, operation)
    return { record, account }
  }

  /** A draft and its body, both of the same version. */
  const requireWhole = async (actor: Actor, id: string, operation: BeaOperation) => {
    for (;;) {
      const { record, account } = await requireDraft(actor, id, operation)
      try {
        return { record, account, body: await objects.readBody(record) }
      } catch (error) {
        // A concurrent save removed this body.
        const now = await drafts.find(actor.workspace_id, id)
        if (now !== undefined && now.body_key === record.body_key) throw error
      }
    }
  }

  const requireDocuments = async ({ workspace_id }: Actor, ids: string[]): Promise<void> => {
    const found = new Set((await documents.findAll(workspace_id, ids)).map(({ id }) => id))
    requireKnown(ids, found, 'DOCUMENT_NOT_FOUND', 'body.attachments')
  }

  return {
    /**
     * @throws Failure AUTH_INSUFFICIENT_SCOPE, BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, DOCUMENT_NOT_FOUND, CASE_NOT_FOUND
     */
    async create(actor: Actor, input: BeaDraftInput): Promise<Answered<BeaDraft>> {
      const { workspace_id, user_id } = actor
      await requireAllowed(actor, input.account_id, 'draft')
      const { body, ...content } = contentAfter({ ...blank, account_id: input.account_id }, input)
      requireReading(actor, content.attachments)
      await requireDocuments(actor, content.attachments)
      const named = { workspace_id, id: newId('beaDraft') }
      const now = timestamp(clock)
      const record: BeaDraftRecord = {
        ...named,
        user_id,
        ...content,
        state: 'draft',
        body_key: await objects.putBody(named, body),
        send: null,
        attempts: 0,
        eeb: null,
        message_id: null,
        error: null,
        due_at: null,
        created_at: now,
        updated_at: now,
        version: 1,
      }
      return drafts.add({ record, answer: viewOf(record, body) }).catch(removing(record.body_key))
    },

    /** Drafts of the accounts at which the caller has right 03, newest first. */
    async list(actor: Actor, query: BeaDraftQuery): Promise<Page<BeaDraftSummary>> {
      const { account_id } = query
      const one = account_id && (await accounts.findEver(actor.workspace_id, account_id))
      const all = account_id === undefined ? await accounts.listEver(actor.workspace_id) : []
      const asked = one ? [one] : all
      const rights = await Promise.all(asked.map((account) => access.rightsOf(actor, account)))
      const ids = asked.flatMap(({ id }, at) => (mayDo(rights[at] ?? [], 'draft') ? [id] : []))
      const { data, pagination } = await drafts.page(actor.workspace_id, ids, query)
      return { data: data.map(summaryOf), pagination }
    },

    /** @throws Failure DRAFT_NOT_FOUND, BEA_RIGHT_MISSING */
    async get(actor: Actor, id: string): Promise<BeaDraft> {
      const { record, body } = await requireWhole(actor, id, 'draft')
      return viewOf(record, body)
    },

    /**
     * Changes the fields that the input includes (B10). A draft whose send failed becomes `draft` again.
     *
     * @throws Failure as `create`, DRAFT_NOT_FOUND, DRAFT_ALREADY_SENT, PRECONDITION_FAILED
     */
    async save(
      actor: Actor,
      id: string,
      input: BeaDraftChanges,
      precondition: Precondition<BeaDraft>,
    ): Promise<BeaDraft> {
      await requireDraft(actor, id, 'draft')
      if (input.account_id !== undefined) await requireAllowed(actor, input.account_id, 'draft')
      requireReading(actor, input.attachments ?? [])
      await requireDocuments(actor, input.attachments ?? [])
      return retryChanged(async () => {
        const before = await requireWhole(actor, id, 'draft')
        requireChangeable(before)
        precondition(viewOf(before.record, before.body))
        const { body, ...content } = contentAfter({ ...before.record, body: before.body }, input)
        if (before.record.state === 'draft' && isSame(before, content, body))
          return viewOf(before.record, body)
        const isNewBody = body !== before.body
        const body_key = isNewBody ? await objects.putBody(before.record, body) : before.record.body_key
        const changed = drafts.change<BeaDraft>(actor.workspace_id, id, (current) => {
          requireVersion(current, before.record)
          const unused = [
            ...(isNewBody && current.body_key !== null ? [current.body_key] : []),
            ...(current.send === null ? [] : [current.send.order_key]),
          ]
          const written = { ...content, body_key, state: 'draft', send: null, error: null } as const
          const record = touched({ ...current, ...written }, clock.now())
          return { record, jobs: erasing(unused), answer: viewOf(record, body) }
        })
        return changed.catch(removing(isNewBody ? body_key : null))
      })
    },

    /** @throws Failure DRAFT_NOT_FOUND, BEA_RIGHT_MISSING, DRAFT_ALREADY_SENT, PRECONDITION_FAILED */
    remove: (actor: Actor, id: string, precondition: Precondition<BeaDraft>): Promise<void> =>
      retryChanged(async () => {
        const { record: before, body } = await requireWhole(actor, id, 'draft')
        requireUnsent(before)
        precondition(viewOf(before, body))
        await drafts.remove(actor.workspace_id, id, (current) => {
          requireVersion(current, before)
          const keys = [current.body_key, current.send?.order_key ?? null].filter((key) => key !== null)
          return { deleted_at: timestamp(clock), jobs: erasing(keys), answer: undefined }
        })
      }),

    /**
     * Accepts the draft for sending. Its content and the bytes of its documents are fixed now. Of several concurrent
     * calls, one is accepted.
     *
     * @returns the draft, `sending`
     * @throws Failure DRAFT_NOT_FOUND, BEA_ACCOUNT_NOT_FOUND, BEA_RIGHT_MISSING, AUTH_INSUFFICIENT_SCOPE,
     *   DRAFT_ALREADY_SENT, PRECONDITION_FAILED, BEA_NOT_AUTHENTICATED, BEA_PREFLIGHT_FAILED with all faults
     */
    send: (
      actor: Actor,
      id: string,
      { rename }: BeaSendInput,
      precondition: Precondition<BeaDraft> = anyState,
    ): Promise<Answered<BeaDraft>> =>
      retryChanged(async () => {
        const whole = await requireWhole(actor, id, 'send')
        requireReading(actor, whole.record.attachments)
        requireChangeable(whole)
        const { record: before, account, body } = whole
        precondition(viewOf(before, body))
        const { postbox_safe_id } = account
        await sessions.requireActive(account)
        // Only a login shows the postbox of a card.
        if (postbox_safe_id === null) throw notAuthenticated()
        const found = new Map(
          (await documents.findAll(actor.workspace_id, before.attachments)).map((one) => [one.id, one]),
        )
        const listed = before.attachments.map((one) => found.get(one))
        const { faults, files } = preflight({ ...before, documents: listed }, { rename: rename === true })
        if (faults.length > 0) throw preflightFailed(faults)

        const order_key = await objects.putOrder(before, {
          account_id: account.id,
          postbox_safe_id,
          subject: before.subject,
          body,
          to: before.to,
          reference_sender: before.reference_sender ?? '',
          reference_recipient: before.reference_recipient ?? '',
          eeb_requested: before.eeb_requested,
          files,
          eeb: null,
        })
        const changed = drafts.change(actor.workspace_id, id, (current) => {
          requireVersion(current, before)
          return answered(current, acceptedSend(current, actor, order_key, clock.now()), (after) =>
            viewOf(after, body),
          )
        })
        return changed.catch(removing(order_key))
      }),

    /**
     * Stores a person's decision about a send whose outcome is unknown: sent, or not sent and may be sent again.
     *
     * @throws Failure DRAFT_NOT_FOUND, BEA_RIGHT_MISSING, PRECONDITION_FAILED; DRAFT_NOT_UNKNOWN if there is nothing to
     *   decide
     */
    async resolve(
      actor: Actor,
      id: string,
      { outcome }: BeaResolveInput,
      precondition: Precondition<BeaDraft> = anyState,
    ): Promise<Answered<BeaDraft>> {
      // Nobody changes the body of a draft whose outcome is unknown.
      const { body } = await requireWhole(actor, id, 'send')
      return drafts.change(actor.workspace_id, id, (current) => {
        const change = resolved(current, actor, outcome, clock.now())
        precondition(viewOf(current, body))
        return answered(current, change, (after) => viewOf(after, body))
      })
    },
  }

  /** Removes an object if the record that names it was certainly not written. */
  function removing(key: string | null) {
    return async (error: unknown): Promise<never> => {
      if (isUnwritten(error) && key !== null) await objects.remove([key]).catch(() => {})
      throw error
    }
  }
}

/** Sending documents needs the scope to read them. @throws Failure AUTH_INSUFFICIENT_SCOPE */
function requireReading(actor: Actor, attachments: string[]): void {
  if (attachments.length > 0) requireScope(actor, 'documents:read', 'Sending documents')
}

/** The change that accepts a send, with the hand-over to the worker. */
export function acceptedSend(
  current: BeaDraftRecord,
  actor: Actor,
  order_key: string,
  now: Date,
): BeaDraftChange {
  if (stateAfter(current.state, 'send') === undefined) throw alreadySent(current)
  const { workspace_id, id, send } = current
  const accepted = changeBy(
    {
      ...current,
      send: {
        by: { id: actor.user_id, name: actor.user_name, key_id: actor.key_id },
        begun_at: now.toISOString(),
        order_key,
        lease_until: null,
        confirming_at: null,
        remote_id: null,
        checks: 0,
        absences: 0,
        imports: 0,
      },
    },
    'send',
    now,
    { error: null },
  ) as BeaDraftChange
  const unused = erasing(send === null ? [] : [send.order_key])
  const jobs = [handOverSend.of({ workspace_id, draft_id: id }), ...unused, ...(accepted.jobs ?? [])]
  return { ...accepted, jobs }
}

/** The job that removes these objects; none if there are none. */
function erasing(keys: string[]): Job[] {
  return keys.length === 0 ? [] : [eraseBeaFiles.of({ keys })]
}

/** The change when a person decides the outcome of an unknown send. @throws Failure DRAFT_NOT_UNKNOWN */
export function resolved(
  current: BeaDraftRecord,
  actor: Actor,
  outcome: BeaResolveInput['outcome'],
  now: Date,
): BeaDraftChange {
  const isSent = outcome === 'sent'
  const error = isSent ? null : `${actor.user_name} found that this message was not sent.`
  const change = changeBy(current, isSent ? 'resolved_sent' : 'resolved_not_sent', now, { error })
  if (change === undefined || current.state !== 'unknown') throw notUnknown()
  // Everybody reads timelines, and the title of a receipt may quote a confidential message.
  const named =
    current.eeb === null
      ? `Ungeklärter beA-Versand „${shortenedSubject(current.subject)}“`
      : 'Ungeklärtes Empfangsbekenntnis'
  const found = isSent ? 'als gesendet festgestellt' : 'als nicht gesendet festgestellt'
  const entry = {
    type: isSent ? 'bea.resolved_sent' : 'bea.resolved_not_sent',
    actor: userActor(actor),
    summary: `${named} ${found}`,
  }
  return { ...change, timeline: entriesOf(current, entry, now) }
}

/** The refusal of a message that cannot be sent, with all its faults. */
export function preflightFailed(details: { path: string; message: string }[]): Failure {
  return new Failure(
    'unprocessable',
    'BEA_PREFLIGHT_FAILED',
    'This message cannot be sent as it is; nothing was sent. The details name all faults.',
    { details },
  )
}

/** @throws Failure DRAFT_ALREADY_SENT; BEA_ACCOUNT_NOT_FOUND if its account is disconnected */
function requireChangeable({ record, account }: { record: BeaDraftRecord; account: BeaAccountRecord }): void {
  requireUnsent(record)
  if (account.disconnected_at !== null)
    throw new Failure(
      'not_found',
      'BEA_ACCOUNT_NOT_FOUND',
      'The beA account of this draft is disconnected: connect it again to change or send the draft.',
    )
}

/** @throws Failure DRAFT_ALREADY_SENT */
function requireUnsent(record: BeaDraftRecord): void {
  if (stateAfter(record.state, 'save') === undefined) throw alreadySent(record)
}

function alreadySent({ state }: BeaDraftRecord): Failure {
  const messages = {
    sent: 'This draft was sent and can no longer be changed, sent or deleted.',
    unknown:
      'It is not known whether this draft was sent, so it cannot be changed, sent or deleted. Look into the postbox and report whether it was sent: POST …/resolve.',
    sending: 'This draft is being sent and cannot be changed, sent or deleted now.',
  }
  const message = state === 'sent' || state === 'unknown' ? messages[state] : messages.sending
  return conflict('DRAFT_ALREADY_SENT', message)
}

function notUnknown(): Failure {
  return conflict('DRAFT_NOT_UNKNOWN', 'The outcome of this send is known, so there is nothing to decide.')
}

/** The content of a draft. */
type Written = Pick<BeaDraft, 'account_id' | keyof typeof blank>

/** An empty draft. */
const blank = {
  to: [],
  subject: '',
  body: '',
  attachments: [],
  reference_sender: null,
  reference_recipient: null,
  eeb_requested: false,
  case_id: null,
}

/** The content after a change. A field that the input omits keeps its value. Null clears it. */
function contentAfter(now: Written, input: BeaDraftChanges): Written {
  const after = <Value>(value: Value | null | undefined, cleared: Value, before: Value): Value =>
    value === undefined ? before : (value ?? cleared)
  const { to, attachments } = input
  const recipients = to?.map(({ name, bea_id }) => ({ name: name ?? '', bea_id }))
  return {
    account_id: input.account_id ?? now.account_id,
    to: to === null ? [] : (recipients ?? now.to),
    subject: after(input.subject, '', now.subject),
    body: after(input.body, '', now.body),
    attachments: after(attachments && [...new Set(attachments)], [], now.attachments),
    reference_sender: after(input.reference_sender, null, now.reference_sender) || null,
    reference_recipient: after(input.reference_recipient, null, now.reference_recipient) || null,
    eeb_requested: after(input.eeb_requested, false, now.eeb_requested),
    case_id: after(input.case_id, null, now.case_id),
  }
}

function isSame(
  { record, body }: { record: BeaDraftRecord; body: string },
  content: Omit<Written, 'body'>,
  written: string,
): boolean {
  const fields = Object.keys(content) as (keyof typeof content)[]
  return body === written && fields.every((field) => isDeepStrictEqual(record[field], content[field]))
}

function summaryOf(record: BeaDraftRecord): BeaDraftSummary {
  const similar_messages = record.state === 'unknown' ? (record.send?.similar ?? []) : []
  return { ...record, status: shownStatus(record.state), similar_messages }
}

function viewOf(record: BeaDraftRecord, body: string): BeaDraft {
  return { ...summaryOf(record), body }
}
