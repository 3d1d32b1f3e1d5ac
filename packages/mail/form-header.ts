import type { MailForm } from '#correspondence/reception-ports.ts'
import { headerFields, headerStartOf } from './mime-parts.ts'
import { oneLine } from './one-line.ts'
import { addressesIn } from './recipients.ts'

/** The message header, as reported by the form. Names are in lower case. */
export type MailHeader = {
  /** The names of all form fields. */
  names: string[]
  /** The values of the form fields with this name. */
  posted: (name: string) => string[]
  /** The values of a header field in `message-headers`, and then in the form fields. */
  all: (name: string) => string[]
  /**
   * The values of a header field in the whole message, or in `message-headers` if the whole message was not posted.
   * Repeated values are kept. If there are none: the values of the form fields, without duplicates.
   */
  original: (name: string) => string[]
  /** The lines of the message header. Each field has a limited length. Long fields are folded. */
  lines: () => string[]
  /** The whole message, if it was posted as a file or a text. */
  whole: Uint8Array | undefined
  /**
   * Whether the sender may have forged a field of the mail service. If so, the result `pass` in the form is not
   * trusted.
   */
  isDoubtful: boolean
}

/** The fields that are written first, with the maximum number of characters of each. */
const mainFields: Record<string, number> = {
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

/** The limits for all other fields together. */
const maxOtherCharacters = 60_000
const maxOthers = 500

/** Fields of the form that are header fields of the message, used if `message-headers` is missing. */
const otherNames =
  /^(x-[\w-]{1,70}|received|return-path|dkim-signature|list-[a-z]{1,30}|user-agent|thread-[a-z]{1,30})$/

/**
 * Reads the header from `message-headers` (a JSON list of pairs) and from the form fields. Malformed parts are ignored.
 */
export function headerOf(form: MailForm): MailHeader {
  const { fields } = form
  const byName = new Map<string, string[]>()
  for (const [name, value] of Object.entries(fields)) {
    const key = name.toLowerCase()
    byName.set(key, [...(byName.get(key) ?? []), ...[value].flat()])
  }
  const posted = (name: string) => byName.get(name) ?? []
  const { value: headers, isDoubtful: areHeadersDoubtful } = serviceField(fields, 'message-headers')
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
      ...mainFieldLines({ all, posted, original }),
      ...signatureLines(original('dkim-signature')),
      ...otherLines(listed, byName),
    ],
    whole,
    isDoubtful: areHeadersDoubtful || isDoubtful,
  }
}

/**
 * Reads a form field that the mail service writes. Its name is in lower case. The form also contains the header fields
 * of the message, and a sender can use the same name for one of them. So the result is doubtful if the field occurs
 * twice, or only with capital letters in its name.
 */
function serviceField(
  fields: MailForm['fields'],
  name: string,
): { value: string | undefined; isDoubtful: boolean } {
  const exact = [fields[name] ?? []].flat()
  if (exact.length > 0) return { value: exact[0], isDoubtful: exact.length > 1 }
  const others = Object.entries(fields).filter(([one]) => one.toLowerCase() === name)
  return { value: others.flatMap(([, value]) => value)[0], isDoubtful: others.length > 0 }
}

/**
 * The whole message, if it was posted as `body-mime`. If the message itself has a header field `body-mime`, the form
 * field of this name is ignored, because the sender may have written it. A file of this name still counts.
 */
function wholeMessage(
  { fields, files }: MailForm,
  listed: [string, string][],
): { message: Uint8Array | undefined; isDoubtful: boolean } {
  const file = files.find(({ name }) => name.toLowerCase() === 'body-mime')?.bytes
  if (file !== undefined) return { message: file, isDoubtful: false }
  if (listed.some(([name]) => name.trim().toLowerCase() === 'body-mime'))
    return { message: undefined, isDoubtful: false }
  const { value, isDoubtful } = serviceField(fields, 'body-mime')
  return { message: value ? Buffer.from(value) : undefined, isDoubtful }
}

/** Only this many bytes at the beginning of a whole message are searched for its header. */
const maxHeaderBytes = 256 * 1024

function fieldsOf(message: Uint8Array): [name: string, value: string][] {
  const bytes = Buffer.from(message.subarray(0, maxHeaderBytes))
  const beginning = bytes.toString('latin1', headerStartOf(bytes))
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

/**
 * The maximum number of `From` fields that are kept. With more than one, later checks see that the sender is not clear.
 */
const maxSenders = 5

function mainFieldLines({
  all,
  posted,
  original,
}: Pick<MailHeader, 'all' | 'posted' | 'original'>): string[] {
  return Object.entries(mainFields).flatMap(([name, maxLength]) => {
    const key = name.toLowerCase()
    const written = original(key).filter((one) => one.trim() !== '')
    if (key === 'from' && written.length > 1)
      return written.slice(0, maxSenders).map((one) => lineOf(name, one.slice(0, maxLength)))
    const [value = key === 'to' ? onlyRecipient(posted('recipient')) : undefined] = all(key).filter(
      (one) => one.trim() !== '',
    )
    return value === undefined ? [] : [lineOf(name, value.slice(0, maxLength))]
  })
}

/**
 * The recipient of the envelope, if it is the only one, for a message without `To`. The sender of such a message has
 * hidden its recipients. If it went to several firms, each stores the same message, which must not show them the
 * others.
 */
function onlyRecipient(posted: string[]): string | undefined {
  const [recipient, ...others] = new Set(posted.flatMap(addressesIn))
  return others.length === 0 ? recipient : undefined
}

const maxSignatures = 30
const maxSignatureLength = 2_500

/**
 * All DKIM signatures, because any of them may be the one that was verified. A very long one is cut and thus invalid.
 */
function signatureLines(signatures: string[]): string[] {
  return signatures
    .slice(0, maxSignatures)
    .map((one) => lineOf('DKIM-Signature', one.slice(0, maxSignatureLength)))
}

function otherLines(listed: [string, string][], byName: Map<string, string[]>): string[] {
  const fromForm = [...byName].flatMap(([name, values]) =>
    otherNames.test(name) ? values.map((value): [string, string] => [name, value]) : [],
  )
  const mainNames = new Set(Object.keys(mainFields).map((name) => name.toLowerCase()))
  const lines = (listed.length > 0 ? listed : fromForm)
    .filter(([name]) => /^[a-z][\w-]{0,75}$/i.test(name) && !/^(content-|mime-version$)/i.test(name))
    .filter(([name]) => !mainNames.has(name.toLowerCase()) && name.toLowerCase() !== 'dkim-signature')
    .slice(0, maxOthers)
    .map(([name, value]) => lineOf(name, value.slice(0, maxOtherCharacters)))
  let left = maxOtherCharacters
  return lines.filter((line) => {
    left -= line.length
    return left >= 0
  })
}

/** A header field. Line breaks in the value become spaces. Long lines are folded (RFC 5322, 2.1.1 and 2.2.3). */
function lineOf(name: string, value: string): string {
  const lines: string[] = []
  let line = `${name}:`
  for (const word of oneLine(value).split(' ')) {
    const isFull = line.length + word.length > maxLineLength && /\S$/.test(line) && word !== ''
    if (isFull) {
      lines.push(line)
      line = ''
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\r\n')
}

/** In characters. A line may have 998 bytes, and a character has at most three. */
const maxLineLength = 300
