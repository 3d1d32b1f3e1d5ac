import type { MailForm } from '#correspondence/reception-ports.ts'
import { headerFields } from './mime-parts.ts'

/** The message header, as reported by the form. Names are in lower case. */
export type MailHeader = {
  /** Every name of a field of the form. */
  names: string[]
  /** The values of the form's fields of this name. */
  posted: (name: string) => string[]
  /** The values of a header field: of `message-headers`, and of the form's own fields. */
  all: (name: string) => string[]
  /**
   * The values of a header field in the message itself, each as often as it occurs there; otherwise the values in the
   * form.
   */
  original: (name: string) => string[]
  /** The header as lines of bounded size, without line breaks. */
  lines: () => string[]
  /** The whole message, if it was posted as a file or a text. */
  whole: Uint8Array | undefined
  /**
   * The sender may have written a field that only the mail service should write, so no favourable result in the form is
   * trusted.
   */
  isDoubtful: boolean
}

/** Important fields come first, and in full. Address lists may be longer than other fields. */
const leading: Record<string, number> = {
  From: 8_000,
  To: 50_000,
  Cc: 50_000,
  'Reply-To': 8_000,
  Subject: 16_000,
  Date: 500,
  'Message-ID': 1_000,
  'In-Reply-To': 8_000,
  References: 30_000,
  'Auto-Submitted': 500,
  'List-Unsubscribe': 4_000,
  Precedence: 500,
}

/** The most characters, and the most fields, that may follow them. */
const maxOtherCharacters = 60_000
const maxOthers = 500

/** Fields of the form that are header fields of the message, used if `message-headers` is missing. */
const otherNames =
  /^(x-[\w-]{1,70}|received|return-path|dkim-signature|list-[a-z]{1,30}|user-agent|thread-[a-z]{1,30})$/

/**
 * Reads the header of `message-headers`, a list of pairs in JSON, and of the form's fields. Malformed parts are left
 * out.
 */
export function headerOf(form: MailForm): MailHeader {
  const { fields } = form
  const byName = new Map<string, string[]>()
  for (const [name, value] of Object.entries(fields)) {
    const key = name.toLowerCase()
    byName.set(key, [...(byName.get(key) ?? []), ...[value].flat()])
  }
  const posted = (name: string) => byName.get(name) ?? []
  const { value: headers, isDoubtful: areHeadersDoubtful } = ofTheService(fields, 'message-headers')
  const listed = pairsOf(headers)
  const all = (name: string) => [
    ...listed.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value),
    ...posted(name),
  ]
  const { message: whole, isDoubtful } = wholeMessage(form, listed)
  const own = whole === undefined ? listed : fieldsOf(whole)
  const original = (name: string) => {
    const values = own.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value)
    return values.length > 0 ? values : [...new Set(posted(name))]
  }
  return {
    names: [...byName.keys()],
    posted,
    all,
    original,
    lines: () => [
      ...leadingLines({ all, posted, original }),
      ...signatureLines(original('dkim-signature')),
      ...otherLines(listed, byName),
    ],
    whole,
    isDoubtful: areHeadersDoubtful || isDoubtful,
  }
}

/**
 * A field of the form that only the mail service writes, in lower case. The form also contains the header fields of the
 * message, and the sender may have chosen the same name for one. If the case of the name differs, the field is the
 * sender's. If the name occurs twice, the form is doubtful.
 */
function ofTheService(
  fields: MailForm['fields'],
  name: string,
): { value: string | undefined; isDoubtful: boolean } {
  const exact = [fields[name] ?? []].flat()
  if (exact.length > 0) return { value: exact[0], isDoubtful: exact.length > 1 }
  const others = Object.entries(fields).filter(([one]) => one.toLowerCase() === name)
  return { value: others.flatMap(([, value]) => value)[0], isDoubtful: others.length > 0 }
}

/** The whole message, unless the text comes from a header field of the message. */
function wholeMessage(
  { fields, files }: MailForm,
  listed: [string, string][],
): { message: Uint8Array | undefined; isDoubtful: boolean } {
  const file = files.find(({ name }) => name.toLowerCase() === 'body-mime')?.bytes
  if (file !== undefined) return { message: file, isDoubtful: false }
  if (listed.some(([name]) => name.trim().toLowerCase() === 'body-mime'))
    return { message: undefined, isDoubtful: false }
  const { value, isDoubtful } = ofTheService(fields, 'body-mime')
  return { message: value ? Buffer.from(value) : undefined, isDoubtful }
}

/** Bytes of a whole message that are read for the results of the mail service. */
const maxHeaderBytes = 256 * 1024

function fieldsOf(message: Uint8Array): [name: string, value: string][] {
  const beginning = Buffer.from(message.subarray(0, maxHeaderBytes)).toString('latin1')
  return headerFields(beginning.slice(0, /\r?\n\r?\n/.exec(beginning)?.index))
}

function pairsOf(json: string | undefined): [name: string, value: string][] {
  try {
    const list: unknown = JSON.parse(json ?? '')
    if (!Array.isArray(list)) return []
    return list.filter(
      (pair): pair is [string, string] =>
        Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string',
    )
  } catch {
    return []
  }
}

/** Several `From` fields are kept: such a message does not clearly name a sender. */
const maxSenders = 5

function leadingLines({ all, posted, original }: Pick<MailHeader, 'all' | 'posted' | 'original'>): string[] {
  return Object.entries(leading).flatMap(([name, maxLength]) => {
    const key = name.toLowerCase()
    const written = original(key).filter((one) => one.trim() !== '')
    if (key === 'from' && written.length > 1)
      return written.slice(0, maxSenders).map((one) => lineOf(name, one.slice(0, maxLength)))
    const [value = key === 'to' ? posted('recipient')[0] : undefined] = all(key).filter(
      (one) => one.trim() !== '',
    )
    return value === undefined ? [] : [lineOf(name, value.slice(0, maxLength))]
  })
}

const maxSignatures = 30
const maxSignatureLength = 2_500

/** All of them, because a missing one may be the one that was verified. A long one is cut, and is then no signature. */
function signatureLines(signatures: string[]): string[] {
  return signatures
    .slice(0, maxSignatures)
    .map((one) => lineOf('DKIM-Signature', one.slice(0, maxSignatureLength)))
}

function otherLines(listed: [string, string][], byName: Map<string, string[]>): string[] {
  const fromForm = [...byName].flatMap(([name, values]) =>
    otherNames.test(name) ? values.map((value): [string, string] => [name, value]) : [],
  )
  const isLeading = new Set(Object.keys(leading).map((name) => name.toLowerCase()))
  const lines = (listed.length > 0 ? listed : fromForm)
    .filter(([name]) => /^[a-z][\w-]{0,75}$/i.test(name) && !/^(content-|mime-version$)/i.test(name))
    .filter(([name]) => !isLeading.has(name.toLowerCase()) && name.toLowerCase() !== 'dkim-signature')
    .slice(0, maxOthers)
    .map(([name, value]) => lineOf(name, value.slice(0, maxOtherCharacters)))
  let left = maxOtherCharacters
  return lines.filter((line) => {
    left -= line.length
    return left >= 0
  })
}

/** A field whose value cannot begin another field. A long value is folded at blanks (RFC 5322, 2.1.1 and 2.2.3). */
function lineOf(name: string, value: string): string {
  const written = value
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  const lines: string[] = []
  let line = `${name}:`
  for (const word of written.split(' ')) {
    const isFull = line.length + word.length > maxLineLength && /\S$/.test(line) && word !== ''
    if (isFull) {
      lines.push(line)
      line = ''
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\r\n')
}

/** In characters; one of them has at most three bytes, and a line at most 998. */
const maxLineLength = 300
