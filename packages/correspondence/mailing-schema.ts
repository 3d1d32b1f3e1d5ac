import type { CorrespondenceRecord, MailTopic, Refusal } from './ports.ts'
import type { Draft } from './schema.ts'
import type { SendState } from './send-state.ts'

/** A mail that the service sends on behalf of a user. */
export type ServiceMail = {
  workspace_id: string
  /** The sender: its From has the current name of this user, active or not, and the address of the workspace. */
  user_id: string
  /** Which mail of the service this is, unique in the workspace: under one key one mail is sent, whatever else differs. */
  key: string
  /** Its case, also a deleted one; a case that is being disposed of, or is gone, is left out. */
  case_id: string | null
  /** One recipient, as `writeMailAddress` gives it. */
  to: string
  subject: string
  html: string
  /** The HTML that the record shows, without what only the recipient may know. */
  recordedHtml: string
  /** Ids of documents. */
  attachments: string[]
  attachments_as: Draft['attachments_as']
  about: Omit<MailTopic, 'key'>
  /**
   * Makes the content of the message valid, such as its magic link. After a refusal this is the message that was stored
   * first, which the record names. Runs before each attempt; if it fails, nothing is sent.
   */
  beforeSending: (record: CorrespondenceRecord) => Promise<void>
}

/**
 * A mail of the service as it stands. `refusal` says why a `refused` one was. `isFinal`: another attempt would not help,
 * because the mail was sent, it is lost, or its address was refused.
 */
export type ServiceMailOutcome = { id: string; state: SendState; refusal: Refusal | null; isFinal: boolean }

/** Sends a mail of the service once under its key, or returns its state (M5). */
export type SendServiceMail = (mail: ServiceMail, options: { baseUrl: string }) => Promise<ServiceMailOutcome>
