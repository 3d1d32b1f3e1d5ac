import { timestamp } from '#kernel/clock.ts'
import { conflict, Failure, invalid, isRefusal } from '#kernel/failure.ts'
import { bareUuid } from '#kernel/id.ts'
import type { LogOf } from '#kernel/log.ts'
import { applyRule } from '#timeline/schema.ts'
import { requireAttachments } from './attachments.ts'
import { bodyKey, messageKey } from './keys.ts'
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
import { noteLossOf, refusedChange, sentChange } from './settle.ts'

export type SendingDeps = PrepareDeps & {
  store: Pick<CorrespondenceStore, 'find' | 'begin' | 'change'>
  files: PrepareDeps['files'] & Pick<MessageFiles, 'head'>
  sendMail: SendMail
  log: LogOf<'warn'>
}

/** The work of a send: one that was begun before, or a new mail with the claim that makes it unique. */
export type SendOrder = {
  names: ContentNames
  /** The failure if an attached document does not exist. */
  missing?: Preparation['missing']
  /**
   * Runs before each attempt, after the intent is recorded and before the provider is asked. Of several callers,
   * only the one that makes the attempt runs it. If it fails, the provider is not asked: the mail is refused, and the
   * same key may try again.
   */
  beforeSending?: (record: CorrespondenceRecord) => Promise<void>
} & ({ begun: string } | ({ begun?: never; content: MailContent; claim: SendClaim } & Preparation))

/** A caller may ask for the outcome of a send after this time. */
const retryAfterSeconds = 5

/**
 * Sends mail exactly once (M5). Direct sends and drafts take this one path. `send-state.ts` shows the states; this file
 * makes the moves:
 *
 * 1. The message is composed and stored.
 * 2. The intent is recorded with the key or the draft that makes it unique. Of several callers one wins.
 * 3. If there is a `beforeSending`, it runs. Then the provider is asked, once.
 * 4. Its answer is recorded. If it is lost, an event of the provider records it (`delivery.ts`).
 *
 * If the process dies after 1, nothing was sent, and a repeated request begins anew. After 2 and 3 the mail is
 * `sending`: nobody knows whether it was sent, so it is not sent again. A refused mail is sent again with the message
 * that was stored first, so what `beforeSending` prepares must suit that message: the record says what it holds.
 */
export function sending(deps: SendingDeps) {
  const { store, files, documents, sendMail, clock, log } = deps

  /** The provider's answer; a refusal without asking it if `beforeSending` fails. */
  const outcomeOf = async (
    record: CorrespondenceRecord,
    raw: Uint8Array,
    beforeSending: SendOrder['beforeSending'],
  ): Promise<SendOutcome> => {
    try {
      await beforeSending?.(record)
    } catch (error) {
      log.warn('mail not sent: its preparation failed', {
        correspondence_id: record.id,
        error: String(error),
      })
      const message = 'The mail was not sent, because what had to be done first failed.'
      return { kind: 'refused', refusal: { kind: 'other', message } }
    }
    return sendMail({
      raw,
      from: record.from.email,
      recipients: recipientsOf(record),
      tags: { workspace: record.workspace_id, correspondence: record.id },
    })
  }

  /** Asks the provider once, and records what it said. @throws Failure VALIDATION_ERROR, MAIL_NOT_SENT, SEND_IN_PROGRESS */
  const transmit = async (
    record: CorrespondenceRecord,
    raw: Uint8Array,
    { names, beforeSending }: SendOrder,
  ): Promise<CorrespondenceRecord> => {
    const outcome = await outcomeOf(record, raw, beforeSending)
    const about = { correspondence_id: record.id, attempt: record.attempts }
    if (outcome.kind === 'unknown') {
      log.warn('outcome of a send unknown', { ...about, error: String(outcome.cause) })
      throw inProgress()
    }
    const recorded = applyRule(store, record.workspace_id, record.id, (current) => {
      // A later attempt is another caller's; an event may have recorded the answer already.
      if (current.status !== 'sending' || current.attempts !== record.attempts) return undefined
      // The sender may have learnt already that this key sends nothing any more.
      if (outcome.kind === 'refused' && sendStateOf(current, clock.now()) === 'lost') return undefined
      return outcome.kind === 'accepted'
        ? sentChange(current, { message_id: outcome.provider_message_id, sent_at: timestamp(clock) })
        : refusedChange(current, outcome.refusal)
    })
    const settled = await recorded.catch((error: unknown) => {
      log.warn('outcome of a send not recorded', { ...about, outcome: outcome.kind, error: String(error) })
      // The event of the provider records it. A refusal has no event: it is lost after ten minutes.
      throw inProgress()
    })
    if (outcome.kind === 'refused')
      throw sendStateOf(settled, clock.now()) === 'lost' ? lost() : refused(settled, names)
    return settled
  }

  /**
   * The stored message has the bytes of its documents, so none may have been deleted since. A mail of the service goes
   * out as it was composed.
   */
  const requireDocuments = async (record: CorrespondenceRecord, { missing }: SendOrder): Promise<void> => {
    if (record.about !== null) return
    const ids = record.attachments.map(({ document_id }) => document_id)
    // As links: the sizes were checked when the message was composed.
    await requireAttachments(documents, record.workspace_id, ids, 'links', missing)
  }

  /** Continues a send that was begun before. @throws as `transmit`, DOCUMENT_NOT_FOUND or `missing` */
  const repeat = async (workspaceId: string, id: string, order: SendOrder): Promise<CorrespondenceRecord> => {
    const record = await store.find(workspaceId, id)
    if (record === undefined) throw disposedOf()
    const state = sendStateOf(record, clock.now())
    if (state === 'sent') return record
    if (state === 'sending') throw inProgress()
    if (state === 'lost') throw lost()

    // The erasure of a person has removed the message.
    if ((await files.head(messageKey(record))) === undefined) throw erased()
    await requireDocuments(record, order)
    const raw = await files.read(messageKey(record))
    let isOurs = false
    const again = await applyRule(store, workspaceId, id, (current) => {
      isOurs = sendStateOf(current, clock.now()) === 'refused'
      if (!isOurs) return undefined
      const attempt = { status: 'sending', sending_since: timestamp(clock), refusal: null } as const
      const { attempts, version } = current
      const record = { ...current, ...attempt, attempts: attempts + 1, version: version + 1 }
      return { record, jobs: noteLossOf(record) }
    })
    if (isOurs) return transmit(again, raw, order)
    if (sendStateOf(again, clock.now()) === 'sent') return again
    throw inProgress()
  }

  return {
    /**
     * Sends what `read` gives, or repeats the answer if it was begun before.
     *
     * @param read is called again if another caller was faster
     * @throws Failure SEND_IN_PROGRESS (with Retry-After), MAIL_NOT_SENT, VALIDATION_ERROR (also if the provider
     * refused an address), and what `prepareMail` and `begin` throw
     */
    async send(
      sender: Sender,
      read: () => Promise<SendOrder>,
      { baseUrl }: { baseUrl: string },
    ): Promise<CorrespondenceRecord> {
      for (let round = 0; round < maxRounds; round += 1) {
        const order = await read()
        if (order.begun !== undefined) return repeat(sender.workspace_id, order.begun, order)
        const { claim, content } = order
        const draft_id = claim.by === 'draft' ? claim.draft.id : null
        const { record, raw, link } = await prepareMail(deps, sender, content, {
          ...order,
          draft_id,
          baseUrl,
        })
        const removeFiles = () => files.remove([messageKey(record), bodyKey(record)]).catch(() => {})
        const intent = { record, claim, link, jobs: noteLossOf(record) }
        const isBegun = await store.begin(intent, clock.now()).catch(async (error: unknown) => {
          if (isRefusal(error)) await removeFiles()
          throw error
        })
        if (isBegun) return transmit(record, raw, order)
        await removeFiles()
      }
      throw inProgress()
    },
  }
}

/** How often a send is begun, if its draft or its key is changed by somebody else each time. */
const maxRounds = 5

/** A mail that was sent, as the current shape of direct send answers (M1). */
export function resultOf({ id, message_id, sent_at, created_at }: CorrespondenceRecord): SendResult {
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
    'This mail is being sent. Repeat the request in a few seconds to learn what became of it; nothing is sent twice.',
    { retryAfterSeconds },
  )
}

function lost(): Failure {
  return new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    'The mail provider did not confirm this mail within ten minutes. It is not sent again by itself: to send it again, use a new `idempotency_key`, or save the draft again.',
  )
}

function disposedOf(): Failure {
  return conflict(
    'IDEMPOTENCY_KEY_REUSED',
    'This `idempotency_key` was used for a mail that was disposed of since. Nothing was sent now: use a new key.',
  )
}

function erased(): Failure {
  return new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    'The mail provider refused this mail, and its message was erased since. To send it again, use a new `idempotency_key`, or save the draft again.',
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
    `The mail provider refused the mail, so nothing was sent; the same request may be repeated. ${refusal?.message ?? ''}`.trim(),
  )
}
