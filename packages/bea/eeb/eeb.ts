import { germanDay } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict, type Failure, invalid, isRefusal, notFound, unknownAt } from '#kernel/failure.ts'
import { derivedId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { answered, applyRule, shortenedSubject } from '#timeline/schema.ts'
import type { BeaDraftRecord, EebOrder, SentBy } from '../drafts/draft-ports.ts'
import type { BeaResolveInput } from '../drafts/draft-schema.ts'
import { acceptedSend, type BeaDraftDeps, preflightFailed, resolved } from '../drafts/drafts.ts'
import type { BeaEeb } from '../messages/message-schema.ts'
import { purgeDays } from '../messages/purge-days.ts'
import { accountDisconnected, notAuthenticated } from '../network/gateway-ports.ts'
import type { BeaMessageRecord, BeaMessageStore } from '../ports.ts'
import { requireRight } from '../rights/require-right.ts'
import { answeringOf } from '../rights/visibility.ts'
import type { SendState } from '../sending/send-state.ts'
import { answerTitle } from './answer-title.ts'
import { eebEntries } from './eeb-entries.ts'
import { type EebDeadlines, eebAnswered } from './eeb-ports.ts'
import type { BeaEebAnswer, BeaEebInput } from './eeb-schema.ts'

export type EebDeps = Omit<BeaDraftDeps, 'documents'> & {
  messages: Pick<BeaMessageStore, 'find'>
  deadlines: Pick<EebDeadlines, 'find'>
  timeZoneOf: (workspaceId: string) => Promise<string>
}

export type EebService = ReturnType<typeof eebService>

/**
 * Answers requests for an electronic receipt (B9). An answer is sent only if a lawyer gives it explicitly, and only once.
 * It has the states of a send (`send-state.ts`). Its id is derived from the message, so there is never a second answer.
 */
export function eebService(deps: EebDeps) {
  const { drafts, accounts, access, sessions, messages, deadlines, timeZoneOf, objects, clock } = deps

  /** The message with its account, which may be disconnected. */
  const requireMessage = async (actor: Actor, id: string) => {
    const message = await messages.find(actor.workspace_id, id)
    const account = message && (await accounts.findEver(actor.workspace_id, message.account_id))
    if (message === undefined || account === undefined) throw notFound('BEA_MESSAGE_NOT_FOUND')
    await requireRight(access, actor, account, answeringOf(message))
    return { message, account }
  }

  /** @throws Failure VALIDATION_ERROR if the day, in the workspace's time zone, is before the reception or after today */
  const requireDate = async (message: BeaMessageRecord, date: string) => {
    const timeZone = await timeZoneOf(message.workspace_id)
    const fault = (message: string) =>
      invalid('The date of the receipt is wrong.', [{ path: 'body.date', message }])
    if (date > localDateOf(clock.now(), timeZone)) throw fault('The day of receipt must not be after today.')
    if (date < localDateOf(earliestReception(message), timeZone))
      throw fault('The day of receipt must not be before the message was received.')
  }

  /** @throws Failure DEADLINE_NOT_FOUND unless it is a deadline of the message's case that is not struck */
  const requireDeadline = async (
    { workspace_id, case_id }: BeaMessageRecord,
    deadlineId: string,
    date: string,
  ) => {
    const deadline = await deadlines.find(workspace_id, deadlineId, date)
    if (deadline === undefined || deadline.case_id !== case_id)
      throw notFound('DEADLINE_NOT_FOUND', unknownAt('body.deadline_id', deadlineId))
    return deadline
  }

  const ownAnswer = (message: BeaMessageRecord) => drafts.find(message.workspace_id, answerIdOf(message))

  return {
    /**
     * Accepts an answer for sending.
     *
     * @returns the receipt, `sending`
     * @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING, VALIDATION_ERROR for a wrong date, DEADLINE_NOT_FOUND,
     *   EEB_NOT_REQUESTED, EEB_ANSWERED, EEB_DEADLINE_REQUIRED, BEA_NOT_AUTHENTICATED, BEA_PREFLIGHT_FAILED if the
     *   sender's SAFE-ID is not known
     */
    async answer(actor: Actor, messageId: string, input: BeaEebInput): Promise<Answered<BeaEebAnswer>> {
      const { message, account } = await requireMessage(actor, messageId)
      if (input.action === 'confirm') await requireDate(message, input.date)
      const warnings =
        input.action === 'confirm' && input.deadline_id !== null
          ? dayWarnings(await requireDeadline(message, input.deadline_id, input.date), input.date)
          : []
      if (message.eeb_foreign_id === null) throw notRequested()
      const before = await ownAnswer(message)
      if (before !== undefined && before.state !== 'failed') throw eebAnswered()
      if (input.action === 'confirm' && input.deadline_id === null && input.override_reason === null)
        throw deadlineRequired()
      const court = message.sender.bea_id
      if (court === null)
        throw preflightFailed([
          { path: 'to', message: 'The message does not name the postbox that it comes from.' },
        ])
      const { postbox_safe_id, disconnected_at } = account
      if (disconnected_at !== null) throw accountDisconnected('The beA account of this message')
      await sessions.requireActive(account)
      if (postbox_safe_id === null) throw notAuthenticated()

      const eeb = orderOf(message, message.eeb_foreign_id, input)
      const blank = blankAnswer(message, actor, eeb, timestamp(clock))
      const to = [{ name: message.sender.name ?? '', bea_id: court }]
      const order_key = await objects.putOrder(blank, {
        account_id: account.id,
        postbox_safe_id,
        subject: blank.subject,
        body: '',
        to,
        reference_sender: blank.reference_sender ?? '',
        reference_recipient: blank.reference_recipient ?? '',
        eeb_requested: false,
        files: [],
        eeb: eeb.answer,
      })
      const date = input.action === 'confirm' ? input.date : null
      return begin(before, { ...blank, to }, order_key, actor, { status: 'sending', date, warnings })
    },

    /**
     * Stores a person's decision about an answer whose outcome is unknown.
     *
     * @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING, DRAFT_NOT_UNKNOWN
     */
    async resolve(actor: Actor, messageId: string, { outcome }: BeaResolveInput): Promise<Answered<BeaEeb>> {
      const { message } = await requireMessage(actor, messageId)
      if ((await ownAnswer(message)) === undefined) throw notRequested()
      return drafts.change(actor.workspace_id, answerIdOf(message), (current) =>
        answered(current, resolved(current, actor, outcome, clock.now()), shownEeb),
      )
    },
  }

  /** Accepts the send of an answer. Of two concurrent answers, one is accepted. */
  function begin(
    before: BeaDraftRecord | undefined,
    blank: BeaDraftRecord,
    order_key: string,
    actor: Actor,
    answer: BeaEebAnswer,
  ): Promise<Answered<BeaEebAnswer>> {
    const begins = (record: BeaDraftRecord) => ({
      ...acceptedSend(record, actor, order_key, clock.now()),
      answer,
    })
    const changed =
      before === undefined
        ? drafts.add(begins(blank))
        : drafts.change(blank.workspace_id, before.id, (current) => {
            if (current.state !== 'failed') throw eebAnswered()
            const { attempts, version, created_at } = current
            return begins({ ...blank, state: 'failed', send: current.send, attempts, version, created_at })
          })
    return changed.catch(async (error: unknown) => {
      if (isRefusal(error)) await objects.remove([order_key]).catch(() => {})
      throw error
    })
  }
}

/**
 * The time when a message was received. If the message does not state it, the earliest possible time: when it was sent,
 * or 120 days before the import, because the network deletes older messages.
 */
function earliestReception({ received_at, sent_at, imported_at }: BeaMessageRecord): Date {
  const at = received_at ?? sent_at
  return at === null ? new Date(Date.parse(imported_at) - purgeDays * 86_400_000) : new Date(at)
}

/** The status of an answer, as its message shows it, and why it failed. */
function shownEeb({ state, eeb, error }: Pick<BeaDraftRecord, 'state' | 'eeb' | 'error'>): BeaEeb {
  const answer = eeb?.answer
  const done = answer?.action === 'confirm' ? 'confirmed' : 'rejected'
  const statuses: Record<SendState, BeaEeb['status']> = {
    draft: 'requested',
    queued: 'sending',
    preparing: 'sending',
    confirming: 'sending',
    sent: done,
    failed: 'failed',
    unknown: 'unknown',
  }
  return {
    status: statuses[state],
    date: answer?.action === 'confirm' ? answer.date : null,
    ...(state === 'failed' && error !== null && { error }),
  }
}

/**
 * Records the state of an answer in its message, and a given receipt also in the history of the deadline and the
 * timeline of the case. It may run repeatedly, late, and in any order.
 */
export function recordingEebs(deps: {
  drafts: Pick<EebDeps['drafts'], 'find'>
  messages: Pick<BeaMessageStore, 'change'>
  deadlines: Pick<EebDeadlines, 'recordReceipt'>
}) {
  const { drafts, messages, deadlines } = deps
  return async (workspaceId: string, draftId: string): Promise<void> => {
    const record = await drafts.find(workspaceId, draftId)
    if (record === undefined || record.eeb === null || record.send === null) return
    const { eeb, send } = record
    const isGiven = record.state === 'sent'
    const isRecorded = isGiven && (await recordAtDeadline(record, eeb, send.by))
    const shown = shownEeb(record)
    const { id, name } = send.by
    await applyRule(messages, workspaceId, eeb.message_id, (current) => {
      if (showsAlready(current.eeb, shown)) return undefined
      const after = {
        ...current,
        eeb: shown,
        ...(isGiven && { eeb_given: { by: { id, name }, why: reasonOf(eeb) } }),
        version: current.version + 1,
      }
      return {
        record: after,
        timeline: isGiven && !isRecorded ? eebEntries(after, record.updated_at) : [],
      }
    })
  }

  async function recordAtDeadline(
    { workspace_id }: BeaDraftRecord,
    { answer, deadline_id, message_id, override_reason }: EebOrder,
    by: SentBy,
  ): Promise<boolean> {
    if (answer.action !== 'confirm' || deadline_id === null) return false
    const who = { workspace_id, user_id: by.id, user_name: by.name, key_id: by.key_id }
    return deadlines.recordReceipt(who, deadline_id, { message_id, date: answer.date, override_reason })
  }
}

/**
 * Whether a message shows this status already. Members that another release has stored make no difference: the timeline
 * would have the receipt twice.
 */
function showsAlready(eeb: BeaEeb | null, { status, date, error = eeb?.error }: BeaEeb): boolean {
  return eeb?.status === status && eeb.date === date && eeb.error === error
}

/** The reason why a receipt is refused, or given without a deadline. */
function reasonOf({ answer, override_reason }: EebOrder): string | null {
  return answer.action === 'reject' ? answer.reason : override_reason
}

/** The id of the only answer to a message, no matter which user gives it. */
function answerIdOf({ id }: Pick<BeaMessageRecord, 'id'>): string {
  return derivedId('beaDraft', id, 0)
}

function orderOf({ id }: BeaMessageRecord, foreign_id: string, input: BeaEebInput): EebOrder {
  if (input.action === 'confirm') {
    const { date, deadline_id, override_reason } = input
    return { message_id: id, answer: { action: 'confirm', foreign_id, date }, deadline_id, override_reason }
  }
  const { code, reason } = input
  const answer = { action: 'reject', foreign_id, code, reason } as const
  return { message_id: id, answer, deadline_id: null, override_reason: null }
}

function blankAnswer(
  message: BeaMessageRecord,
  { user_id }: Actor,
  eeb: EebOrder,
  now: string,
): BeaDraftRecord {
  return {
    workspace_id: message.workspace_id,
    id: answerIdOf(message),
    user_id,
    account_id: message.account_id,
    to: [],
    // The answer to a confidential message must not quote its subject (B10).
    subject: message.confidential ? answerTitle : `${answerTitle}: ${shortenedSubject(message.subject)}`,
    attachments: [],
    reference_sender: message.reference_recipient,
    reference_recipient: message.reference_sender,
    eeb_requested: false,
    case_id: message.case_id,
    state: 'draft',
    message_id: null,
    error: null,
    body_key: null,
    send: null,
    attempts: 0,
    eeb,
    due_at: null,
    created_at: now,
    updated_at: now,
    version: 1,
  }
}

/** Warnings about the day from which the deadline is counted, if the receipt states another. */
function dayWarnings({ other_day }: { other_day: string | null }, date: string): string[] {
  if (other_day === null) return []
  const [counted, stated] = [other_day, date].map(germanDay)
  return [
    `Die Frist ist ab dem ${counted} gerechnet, das Empfangsbekenntnis nennt den ${stated}: Bitte prüfen Sie die Frist.`,
  ]
}

function notRequested(): Failure {
  return conflict('EEB_NOT_REQUESTED', 'The sender of this message did not request an electronic receipt.')
}

function deadlineRequired(): Failure {
  return conflict(
    'EEB_DEADLINE_REQUIRED',
    'The receipt starts deadlines. Name the deadline that was noted in the case (`deadline_id`), or say why there is none (`override_reason`).',
  )
}
