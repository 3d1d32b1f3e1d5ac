import type { MailAddress } from './address-schema.ts'
import type { Refusal } from './ports.ts'

/** HTML as it goes into a mail. The libraries for it are loaded at the first call. */
export type MailHtml = {
  /**
   * Removes scripts, event handlers, addresses that run code, forms, frames and remote pictures; keeps tables, inline
   * styles and `data:` pictures (M4).
   *
   * @param path the field that a refusal names, `body.body_html` by default
   * @throws Failure VALIDATION_ERROR if it has too many tags, pictures or levels to be handled
   */
  clean: (html: string, path?: string) => Promise<string>
  /** The text for a reader without HTML. The HTML is clean. */
  textOf: (html: string) => Promise<string>
  /** Text or HTML with asterisks in place of the tokens of magic links and of shared documents. */
  withoutTokens: (text: string) => string
}

/** A message to be composed. The HTML is clean. */
export type MailToCompose = {
  from: MailAddress
  to: MailAddress[]
  cc: MailAddress[]
  subject: string
  html: string
  text: string
  date: Date
  /** With angle brackets, as the next two. */
  message_id: string
  in_reply_to: string | null
  references: string[]
  attachments: { filename: string; mime_type: string; bytes: Uint8Array }[]
}

/**
 * Composes the message as RFC 5322 bytes. `data:` pictures become inline attachments. It has no Bcc header.
 *
 * @throws Failure ATTACHMENT_TOO_LARGE if the message is larger than SES takes with everything encoded (10 MiB)
 */
export type ComposeMail = (mail: MailToCompose) => Promise<Uint8Array>

/** The provider's answer. `unknown`: it may have taken the message or not (M5). */
export type SendOutcome =
  | { kind: 'accepted'; provider_message_id: string }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; cause: unknown }

/** Hands a message to the provider once. It never throws, and never tries again what may have been taken. */
export type SendMail = (message: {
  raw: Uint8Array
  /** The address of the envelope's sender, as the provider knows it. */
  from: string
  /** All recipients, including `bcc`, as addresses without names. */
  recipients: string[]
  /** Come back with the provider's events. */
  tags: { workspace: string; correspondence: string }
}) => Promise<SendOutcome>
