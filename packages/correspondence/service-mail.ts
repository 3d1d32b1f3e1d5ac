import type { Clock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { attachmentGone } from './attachments.ts'
import type { SendServiceMail, ServiceMail, ServiceMailOutcome } from './mailing-schema.ts'
import { newContent } from './outgoing-mail.ts'
import { type CorrespondenceStore, serviceSender } from './ports.ts'
import { sendStateOf } from './send-state.ts'
import type { SendOrder, sending } from './sending.ts'

export type ServiceMailDeps = {
  store: Pick<CorrespondenceStore, 'find' | 'findSend'>
  send: ReturnType<typeof sending>['send']
  clock: Clock
}

/** Mails that the service sends on behalf of users, each exactly once (M5). They take the path of all mail (`sending.ts`). */
export function serviceMails({ store, send, clock }: ServiceMailDeps) {
  const findBegun = ({ workspace_id, key }: ServiceMail) =>
    store.findSend(workspace_id, serviceSender, key, clock.now())

  const sendOnce = (mail: ServiceMail, baseUrl: string) => {
    const { workspace_id, user_id, key, to, html, recordedHtml, about, beforeSending } = mail
    const read = async (): Promise<SendOrder> => {
      const begun = await findBegun(mail)
      if (begun !== undefined) return { names, beforeSending, begun: begun.correspondence_id }
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
    return send({ workspace_id, user_id }, read, { baseUrl })
  }

  /** The mail of this key as it stands; undefined if none was begun. */
  const standOf = async (mail: ServiceMail): Promise<ServiceMailOutcome | undefined> => {
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
   * Sends the mail, or tries again if it was refused. Nothing is sent twice: not when it is called twice at once, not
   * when the process dies, and not when the provider's answer is lost.
   *
   * @returns what became of it: `sent`; `sending` while the answer of the provider is open; `refused`, which the next
   * call tries again; `lost`, which stays so unless a late event proves it sent
   * @throws Failure if nothing was begun: ATTACHMENT_GONE, ATTACHMENT_TOO_LARGE, UPLOAD_INCOMPLETE,
   * VALIDATION_ERROR, PAYLOAD_TOO_LARGE, USER_NOT_FOUND
   */
  const sendMail: SendServiceMail = async (mail, { baseUrl }) => {
    try {
      const { id } = await sendOnce(mail, baseUrl)
      return { id, state: 'sent', refusal: null, isFinal: true }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'CASE_NOT_FOUND' && mail.case_id !== null)
        return sendMail({ ...mail, case_id: null }, { baseUrl })
      const stand = begunFailures.has(error.code) ? await standOf(mail) : undefined
      if (stand === undefined) throw error
      return stand
    }
  }

  return { send: sendMail }
}

/** How long a key is remembered: longer than an envelope can be open (S3), and a message in its queue. */
const keyDays = 400

/** The key alone says which mail it is, so contents are not compared: a user may have another name by the next attempt. */
const sameContent = 'same'

/** The names of the fields in a refusal; it is logged. */
const names = { to: 'to', subject: 'subject' }

/** The failures of a send that was begun. */
const begunFailures: ReadonlySet<string> = new Set(['SEND_IN_PROGRESS', 'MAIL_NOT_SENT', 'VALIDATION_ERROR'])
