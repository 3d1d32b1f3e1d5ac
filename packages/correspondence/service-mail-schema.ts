import type { CorrespondenceRecord, MailTopic, Refusal } from './ports.ts'
import type { Draft } from './schema.ts'
import type { SendState } from './send-state.ts'

/** A mail that the service sends on behalf of a user. */
export type ServiceMail = {
  workspace_id: string
  /** The sender. From has the current name of this user, active or not, and the address of the workspace. */
  user_id: string
  /** Identifies the mail in the workspace. Only one mail is sent for a key, even if the other fields differ. */
  key: string
  /** The case of the mail, also a deleted one. Null is recorded if the case is being disposed of or does not exist. */
  case_id: string | null
  /** One recipient, as `writeMailAddress` gives it. */
  to: string
  subject: string
  html: string
  /** The HTML to record, without the secrets of the recipient. */
  recordedHtml: string
  /** Ids of documents. */
  attachments: string[]
  attachments_as: Draft['attachments_as']
  about: Omit<MailTopic, 'key'>
  /**
   * Makes the content of the message valid, such as its magic link. Every attempt sends the message that was stored
   * first, and the record says which link it contains. Runs before each attempt; if it fails, nothing is sent.
   */
  beforeSending: (record: CorrespondenceRecord) => Promise<void>
}

/**
 * The state of a service mail. `refusal` says why it was refused. `isFinal` says that another attempt would not help,
 * because the mail was sent, is lost, or its address was refused.
 */
export type ServiceMailOutcome = { id: string; state: SendState; refusal: Refusal | null; isFinal: boolean }

/** Sends a service mail once for its key, or returns its state (M5). */
export type SendServiceMail = (mail: ServiceMail, options: { baseUrl: string }) => Promise<ServiceMailOutcome>
