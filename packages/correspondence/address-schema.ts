import { domainToASCII } from 'node:url'
import * as z from 'zod'
import { refuse } from '#kernel/refuse.ts'
import { text, withoutInvisible } from '#kernel/text.ts'

/** Somebody who sends or receives mail. */
export type MailAddress = { name: string | null; email: string }

const maxNameLength = 320
const maxEmailLength = 320
const maxDomainLength = 253
const maxLocalPartLength = 64

/** Each character of a quoted name may need a backslash. Ten more are for quotes, angle brackets and spaces. */
const maxWrittenLength = 2 * maxNameLength + maxEmailLength + 10

/** Every character that some program reads as a line break. */
export const lineBreak = /[\n\v\f\r\x85\u2028\u2029]/

/**
 * Reads `a@b.de`, `Name <a@b.de>` or `"Name, Titel" <a@b.de>`: exactly one address (M3). The local part must be ASCII,
 * because SES accepts no other; names and domains may be in any script. Groups, lists and line breaks are refused.
 *
 * @returns undefined for any other text
 */
export function readMailAddress(written: string): MailAddress | undefined {
  const value = written.trim()
  if (/\p{Cc}|[\u2028\u2029]/u.test(value)) return undefined
  const [, writtenName, bracketed] = /^((?:"(?:[^"\\]|\\.)*"|[^<>"])*)<([^<>]*)>$/u.exec(value) ?? []
  const email = (bracketed ?? value).trim()
  if (!isEmail(email)) return undefined
  const name = writtenName === undefined ? '' : readName(writtenName.trim())
  if (name === undefined || name.length > maxNameLength) return undefined
  return { name: name === '' ? null : name, email }
}

/** The address as `Name <a@b.de>`, or without a name as `a@b.de`. `readMailAddress` reads it again. */
export function writeMailAddress({ name, email }: MailAddress): string {
  if (name === null) return email
  const needsQuotes = /[",;:@\\<>()[\]]/.test(name)
  return `${needsQuotes ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${email}>`
}

/**
 * The address as it is written in headers and envelopes: its domain in ASCII, international labels as `xn--…`. An
 * invalid domain is not changed.
 */
export function asciiEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  return `${email.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/**
 * A normal form of an address. It is the same for addresses that differ only in case or in the spelling of the domain.
 */
export function mailboxOf(email: string): string {
  return asciiEmail(email).toLowerCase()
}

/** The mailbox of a written address, with or without a name. */
export function mailboxIn(written: string): string {
  return mailboxOf(readMailAddress(written)?.email ?? written)
}

/** The mailbox (`mailboxOf`) that receives mail for this address: without `+anything` in the local part (I2). */
export function baseMailboxOf(email: string): string {
  const mailbox = mailboxOf(email)
  const at = mailbox.lastIndexOf('@')
  const plus = mailbox.indexOf('+')
  return plus > 0 && plus < at ? mailbox.slice(0, plus) + mailbox.slice(at) : mailbox
}

/** The schema of one address in an input. Its output has the form of `writeMailAddress`. */
export const mailAddressText = z.lazy(() =>
  z
    .string()
    .check((context) => {
      if (lineBreak.test(context.value)) refuse(context, 'A line break is not allowed here.')
    })
    .pipe(text(maxWrittenLength))
    .transform((value, context) => {
      const address = readMailAddress(value) ?? readMailAddress(withoutInvisible(value))
      return address === undefined
        ? refuse(context, 'Write one address as a@b.de or Name <a@b.de>.')
        : writeMailAddress(address)
    })
    .meta({ description: '`a@b.de` or `Name <a@b.de>`.' }),
)

function readName(written: string): string | undefined {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(written) ?? []
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1').trim()
  // A colon or semicolon is the syntax of a group. An `@` would make a second address.
  return /[";:@\\]/.test(written) ? undefined : written
}

/** Whether mail can be sent to this address, given without a name: `a@b.de`. */
export function isEmail(value: string): boolean {
  const [, localPart = '', domain = ''] = /^([^@]+)@([^@]+)$/.exec(value) ?? []
  if (localPart.length > maxLocalPartLength) return false
  if (!/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(localPart)) return false
  // `domainToASCII` would read other characters as a path or an escape, or drop them.
  if (!/^[\p{L}\p{M}\p{N}.。-]+$/u.test(domain)) return false
  const ascii = domainToASCII(domain)
  return (
    ascii.length <= maxDomainLength &&
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii)
  )
}
