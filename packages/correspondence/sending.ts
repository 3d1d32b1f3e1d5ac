import { timestamp } from '#kernel/clock.ts'
import { conflict, Failure, invalid, isRefusal } from '#kernel/failure.ts'
import { bareUuid } from '#kernel/id.ts'
import type { LogOf } from '#kernel/log.ts'
import { applyRule } from '#timeline/schema.ts'
import { requireAttachments } from './attachments.ts'
import { bodyKey, messageKey } from './keys.ts'
import { lossJobs, refusedChange, sentChange } from './outcome-changes.ts'
import {
  type ContentNames,
  type MailContent,
  type Preparation,
  type PrepareDeps,
  prepareMail,
  recipientsOf,
  type Sender,
} from './outgoing-mail.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MessageFiles, SendClaim } from './ports.ts'
import type { SendResult } from './schema.ts'
import { sendStateOf } from './send-state.ts'
import type { SendMail, SendOutcome } from './sending-ports.ts'

export type SendingDeps = PrepareDeps & {
  store: Pick<CorrespondenceStore, 'find' | 'begin' | 'change'>
  files: PrepareDeps['files'] & Pick<MessageFiles, 'head'>
  sendMail: SendMail
  log: LogOf<'warn'>
}

/** What to send: a mail whose send was begun before, or a new mail with the claim that makes it unique. */
export type SendRequest = {
  names: ContentNames
  /** The failure if an attached document does not exist. */
  missing?: Preparation['missing']
  /**
   * Runs before each attempt, after the intent is recorded and before the provider is called. If several callers send
   * the mail at once, only the one that makes the attempt runs it. If it fails, the provider is not called. Then the
   * mail is refused, and the same key may try again.
   */
  beforeSending?: (record: CorrespondenceRecord) => Promise<void>
} & ({ begunId: string } | ({ begunId?: never; content: MailContent; claim: SendClaim } & Preparation))

/** The time after which a caller should ask for the outcome of a send. */
const retryAfterSeconds = 5

/**
 * Sends mail exactly once (M5). All mail is sent here: drafts, direct sends and service mails. `send-state.ts`
 * describes the states of a send. The steps are:
 *
 * 1. Compose the message and store it.
 * 2. Record the intent with the key or the draft that makes it unique. Of several callers, one succeeds.
 * 3. Run `beforeSending`, if there is one. Then call the provider, once.
 * 4. Record the answer. If it is lost, an event of the provider records it (`delivery.ts`).
 *
 * If the process dies after step 1, nothing was sent, and a repeated request starts again. If it dies after step 2 or
 * 3, the mail is `sending`. Nobody knows whether it was sent, so it is not sent again. A refused mail is sent again
 * with the message that was stored first. So `beforeSending` must fit that message: the record says what it contains.
 */
export function sending(deps: SendingDeps) {
  const { store, files, documents, sendMail, clock, log } = deps

  /** Runs `beforeSending` and calls the provider. If `beforeSending` fails, the outcome is a refusal. */
  const outcomeOf = async (
    record: CorrespondenceRecord,
    raw: Uint8Array,
    beforeSending: SendRequest['beforeSending'],
  ): Promise<SendOutcome> => {
    try {
      await beforeSending?.(record)
    } catch (error) {
      log.warn('mail not sent: its preparation failed', {
        correspondence_id: record.id,
        error: String(error),
      })
      const message = 'The mail was not sent, because its preparation failed.'
      return { kind: 'refused', refusal: { kind: 'other', message } }
    }
    return sendMail({
      raw,
      from: record.from.email,
      recipients: recipientsOf(record),
      tags: { workspace: record.workspace_id, correspondence: record.id },
    })
  }

  /**
   * Calls the provider once, and records the outcome.
   *
   * @throws Failure VALIDATION_ERROR, MAIL_NOT_SENT, SEND_IN_PROGRESS
   */
  const transmit = async (
    record: CorrespondenceRecord,
    raw: Uint8Array,
    { names, beforeSending }: SendRequest,
  ): Promise<CorrespondenceRecord> => {
    const outcome = await outcomeOf(record, raw, beforeSending)
    const about = { correspondence_id: record.id, attempt: record.attempts }
    if (outcome.kind === 'unknown') {
      log.warn('outcome of a send unknown', { ...about, error: String(outcome.cause) })
      throw inProgress()
    }
    const recorded = applyRule(store, record.workspace_id, record.id, (current) => {
      // An event has recorded the outcome, or another caller has begun a later attempt.
      if (current.status !== 'sending' || current.attempts !== record.attempts) return undefined
      // A caller may already know that the mail is lost and its key sends nothing.
      if (outcome.kind === 'refused' && sendStateOf(current, clock.now()) === 'lost') return undefined
      return outcome.kind === 'accepted'
        ? sentChange(current, { message_id: outcome.provider_message_id, sent_at: timestamp(clock) })
        : refusedChange(current, outcome.refusal)
    })
    const settled = await recorded.catch((error: unknown) => {
      log.warn('outcome of a send not recorded', { ...about, outcome: outcome.kind, error: String(error) })
      // An event of the provider will record it. After a refusal there is no event: the mail is lost after ten minutes.
      throw inProgress()
    })
    if (outcome.kind === 'refused')
      throw sendStateOf(settled, clock.now()) === 'lost' ? lost() : refused(settled, names)
    return settled
  }

  /**
   * Requires that no document was deleted since the message was stored, because the message contains their bytes. A
   * service mail is sent as it was composed.
   */
  const requireDocuments = async (record: CorrespondenceRecord, { missing }: SendRequest): Promise<void> => {
    if (record.about !== null) return
    const ids = record.attachments.map(({ document_id }) => document_id)
    // `links`, because the sizes were checked when the message was composed.
    await requireAttachments(documents, record.workspace_id, ids, 'links', missing)
  }

  /**
   * Returns the mail if it was sent, or tries again if it was refused.
   *
   * @throws as `transmit`, DOCUMENT_NOT_FOUND or `missing`
   */
  const resume = async (
    workspaceId: string,
    id: string,
    request: SendRequest,
  ): Promise<CorrespondenceRecord> => {
    const record = await store.find(workspaceId, id)
    if (record === undefined) throw mailDisposedOf()
    const state = sendStateOf(record, clock.now())
    if (state === 'sent') return record
    if (state === 'sending') throw inProgress()
    if (state === 'lost') throw lost()

    // The erasure of a person may have removed the message.
    if ((await files.head(messageKey(record))) === undefined) throw erased()
    await requireDocuments(record, request)
    const raw = await files.read(messageKey(record))
    let isOurs = false
    const again = await applyRule(store, workspaceId, id, (current) => {
      isOurs = sendStateOf(current, clock.now()) === 'refused'
      if (!isOurs) return undefined
      const attempt = { status: 'sending', sending_since: timestamp(clock), refusal: null } as const
      const { attempts, version } = current
      const record = { ...current, ...attempt, attempts: attempts + 1, version: version + 1 }
      return { record, jobs: lossJobs(record) }
    })
    if (isOurs) return transmit(again, raw, request)
    if (sendStateOf(again, clock.now()) === 'sent') return again
    throw inProgress()
  }

  return {
    /**
     * Sends a mail. If its send was begun before, returns its outcome, or tries again if it was refused.
     *
     * @param readRequest returns what to send. It is called again if another caller was faster
     * @throws Failure SEND_IN_PROGRESS (with Retry-After), MAIL_NOT_SENT, VALIDATION_ERROR (also if the provider
     * refused an address), and what `prepareMail` and `begin` throw
     */
    async send(
      sender: Sender,
      readRequest: () => Promise<SendRequest>,
      { baseUrl }: { baseUrl: string },
    ): Promise<CorrespondenceRecord> {
      for (let round = 0; round < maxRounds; round += 1) {
        const request = await readRequest()
        if (request.begunId !== undefined) return resume(sender.workspace_id, request.begunId, request)
        const { claim, content } = request
        const draft_id = claim.by === 'draft' ? claim.draft.id : null
        const { record, raw, link } = await prepareMail(deps, sender, content, {
          ...request,
          draft_id,
          baseUrl,
        })
        const removeFiles = () => files.remove([messageKey(record), bodyKey(record)]).catch(() => {})
        const intent = { record, claim, link, jobs: lossJobs(record) }
        const isBegun = await store.begin(intent, clock.now()).catch(async (error: unknown) => {
          if (isRefusal(error)) await removeFiles()
          throw error
        })
        if (isBegun) return transmit(record, raw, request)
        await removeFiles()
      }
      throw inProgress()
    },
  }
}

/** The maximum number of times that a send is begun, if other callers change its draft or use its key each time. */
const maxRounds = 5

/** The answer to a send in the current shape (M1). */
export function sendResultOf({ id, message_id, sent_at, created_at }: CorrespondenceRecord): SendResult {
  return {
    success: true,
    email_id: bareUuid(id),
    message_id: message_id ?? '',
    sent_at: sent_at ?? created_at,
  }
}

function inProgress(): Failure {
  return conflict(
    'SEND_IN_PROGRESS',
    'This mail is being sent. Repeat the request in a few seconds to get the outcome. The mail is not sent twice.',
    { retryAfterSeconds },
  )
}

function lost(): Failure {
  return new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    'The mail provider did not confirm this mail within ten minutes. It is not sent again automatically. To send it again, use a new `idempotency_key`, or save the draft again.',
  )
}

function mailDisposedOf(): Failure {
  return conflict(
    'IDEMPOTENCY_KEY_REUSED',
    'This `idempotency_key` was used for a mail that was disposed of later. Nothing was sent: use a new key.',
  )
}

function erased(): Failure {
  return new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    'The mail provider refused this mail, and its message was erased later. To send it again, use a new `idempotency_key`, or save the draft again.',
  )
}

function refused({ refusal }: Pick<CorrespondenceRecord, 'refusal'>, names: ContentNames): Failure {
  if (refusal?.kind === 'address') {
    return invalid('The mail provider refused an address. Nothing was sent.', [
      { path: names.to, message: refusal.message },
    ])
  }
  return new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    `The mail provider refused the mail, so nothing was sent. The same request may be repeated. ${refusal?.message ?? ''}`.trim(),
  )
}
