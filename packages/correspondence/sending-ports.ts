import type { MailAddress } from './address-schema.ts'
import type { Refusal } from './ports.ts'

/** Prepares HTML for a mail. Its libraries are loaded at the first call. */
export type MailHtml = {
  /**
   * Removes scripts, event handlers, addresses that run code, forms, frames and remote pictures. Keeps tables, inline
   * styles and `data:` pictures (M4).
   *
   * @param path the field that a refusal names, `body.body_html` by default
   * @throws Failure VALIDATION_ERROR if it has too many tags or pictures, or is nested too deeply
   */
  clean: (html: string, path?: string) => Promise<string>
  /** The text of clean HTML, for a mail program without HTML. */
  textOf: (html: string) => Promise<string>
  /** Text or HTML with asterisks in place of the tokens of magic links and of shared documents. */
  withoutTokens: (text: string) => string
}

/** A message to compose. The HTML is clean. */
export type MailToCompose = {
  from: MailAddress
  to: MailAddress[]
  cc: MailAddress[]
  subject: string
  html: string
  text: string
  date: Date
  /** With angle brackets, like the ids in the next two fields. */
  message_id: string
  in_reply_to: string | null
  references: string[]
  attachments: { filename: string; mime_type: string; bytes: Uint8Array }[]
}

/**
 * Composes the message as RFC 5322 bytes. `data:` pictures become inline attachments. It has no Bcc header.
 *
 * @throws Failure ATTACHMENT_TOO_LARGE if the encoded message is larger than SES accepts (10 MiB)
 */
export type ComposeMail = (mail: MailToCompose) => Promise<Uint8Array>

/** The provider's answer. `unknown`: it may have accepted the message or not (M5). */
export type SendOutcome =
  | { kind: 'accepted'; provider_message_id: string }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; cause: unknown }

/** Passes a message to the provider. Never throws, and never repeats an attempt that the provider may have accepted. */
export type SendMail = (message: {
  raw: Uint8Array
  /** The address of the sender in the envelope. */
  from: string
  /** All recipients, including `bcc`, as addresses without names. */
  recipients: string[]
  /** The provider returns them in its events. */
  tags: { workspace: string; correspondence: string }
}) => Promise<SendOutcome>
