import type { Clock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { attachmentGone } from './attachments.ts'
import { newContent } from './outgoing-mail.ts'
import { type CorrespondenceStore, serviceSender } from './ports.ts'
import { sendStateOf } from './send-state.ts'
import type { SendRequest, sending } from './sending.ts'
import type { SendServiceMail, ServiceMail, ServiceMailOutcome } from './service-mail-schema.ts'

export type ServiceMailDeps = {
  store: Pick<CorrespondenceStore, 'find' | 'findSend'>
  send: ReturnType<typeof sending>['send']
  clock: Clock
}

/** Sends mails that the service writes on behalf of users, each exactly once (M5). Uses `sending.ts`, like all mail. */
export function serviceMails({ store, send, clock }: ServiceMailDeps) {
  const findBegun = ({ workspace_id, key }: ServiceMail) =>
    store.findSend(workspace_id, serviceSender, key, clock.now())

  const sendOnce = (mail: ServiceMail, baseUrl: string) => {
    const { workspace_id, user_id, key, to, html, recordedHtml, about, beforeSending } = mail
    const request = async (): Promise<SendRequest> => {
      const begun = await findBegun(mail)
      if (begun !== undefined) return { names, beforeSending, begunId: begun.correspondence_id }
      const { subject, case_id, attachments, attachments_as } = mail
      const content = newContent({ to: [to], subject, body_html: html, case_id, attachments, attachments_as })
      const expires_at = new Date(clock.now().getTime() + keyDays * 86_400_000).toISOString()
      const claim = { by: 'key', user_id: serviceSender, key, digest: sameContent, expires_at } as const
      return {
        names,
        beforeSending,
        content,
        claim,
        missing: attachmentGone,
        recordedHtml,
        about: { ...about, key },
      }
    }
    return send({ workspace_id, user_id }, request, { baseUrl })
  }

  /** The state of the mail with this key. Undefined if its send was not begun. */
  const currentOutcome = async (mail: ServiceMail): Promise<ServiceMailOutcome | undefined> => {
    const begun = await findBegun(mail)
    const record = begun && (await store.find(mail.workspace_id, begun.correspondence_id))
    if (record === undefined) return undefined
    const { id, refusal } = record
    const state = sendStateOf(record, clock.now())
    return {
      id,
      state,
      refusal,
      isFinal: state === 'sent' || state === 'lost' || refusal?.kind === 'address',
    }
  }

  /**
   * Sends the mail, or tries again if it was refused. It is never sent twice, even if two calls run at once, the
   * process dies, or the provider's answer is lost.
   *
   * @returns the state: `sent`; `sending` while the outcome is unknown; `refused`, and the next call tries again;
   * `lost`, which is final unless a late event proves that the mail was sent
   * @throws Failure if no send was begun: ATTACHMENT_GONE, ATTACHMENT_TOO_LARGE, UPLOAD_INCOMPLETE, VALIDATION_ERROR,
   * PAYLOAD_TOO_LARGE, USER_NOT_FOUND
   */
  const sendMail: SendServiceMail = async (mail, { baseUrl }) => {
    try {
      const { id } = await sendOnce(mail, baseUrl)
      return { id, state: 'sent', refusal: null, isFinal: true }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'CASE_NOT_FOUND' && mail.case_id !== null)
        return sendMail({ ...mail, case_id: null }, { baseUrl })
      const outcome = begunFailures.has(error.code) ? await currentOutcome(mail) : undefined
      if (outcome === undefined) throw error
      return outcome
    }
  }

  return { send: sendMail }
}

/** How long a key is remembered: longer than an envelope is open (S3), and than a message is in its queue. */
const keyDays = 400

/**
 * The digest of every service mail. The key alone identifies the mail, so contents are not compared: the user may have
 * changed their name before the next attempt.
 */
const sameContent = 'same'

/** The field names in a refusal, for the log. */
const names = { to: 'to', subject: 'subject' }

/** The codes of failures after which a begun send may exist. */
const begunFailures: ReadonlySet<string> = new Set(['SEND_IN_PROGRESS', 'MAIL_NOT_SENT', 'VALIDATION_ERROR'])
