import { mailboxOf, readMailAddress } from '#correspondence/address-schema.ts'
import { composed } from '#kernel/composed.ts'
import { contentOf } from './content-rules.ts'
import { isOfAnotherCourt, ownCourtName } from './court-names.ts'
import { findDeadlineHints, surestOf } from './deadline-hints.ts'
import { opensNewMatter } from './denials.ts'
import type { MessageFacts } from './facts-schema.ts'
import {
  forwards,
  headerLines,
  type LineKind,
  letterLines,
  readLayout,
  withPlainCharacters,
} from './layout.ts'
import { letterheadOf, namesOffice } from './letterhead.ts'
import { limits } from './limits.ts'
import { findNames } from './mentioned-names.ts'
import { findCalled, findVersus, senderName } from './names.ts'
import { type NumberText, readNumbers } from './numbers.ts'
import type { NameSignal, NumberSignal, Reading, Signals, TriageSettings } from './ports.ts'
import { findRelativeDays } from './relative-days.ts'
import { domainOf, isSafeIdOfLawyer, safeIdKey, senderKindOf } from './sender-domains.ts'

/**
 * Reads what a message says about its case, and which records must be looked up to judge it (I5). It reads only the
 * text that the sender writes now: no quotes, forwarded mail, signatures and disclaimers. Time limits and urgent words
 * are also read in forwarded mail: a client forwards letters of the opponent.
 *
 * It is a pure function. The number of signals and the characters read are bounded (`limits.ts`).
 */
export function readSignals(facts: MessageFacts, settings: TriageSettings): Signals {
  const message = withoutFalseCourt(composedFacts(facts))
  const subject = withPlainCharacters(message.subject.slice(0, limits.subject)).trim()
  const layout = readLayout(message.text)
  const linesOf = (wanted: LineKind) => layout.flatMap(({ kind, text }) => (kind === wanted ? [text] : []))
  const own = linesOf('own')
  const quoted = linesOf('quoted')
  const isForwarding = forwards(subject, layout) || quotesAnother(subject, quoted, settings)
  const forwarded = isForwarding && !isNewsletter(quoted) ? quoted : []
  const letters = message.attachments
    .filter(({ text }) => text !== null && text !== '')
    .slice(0, limits.attachments)
    .map(({ text }) => letterLines(text ?? ''))
  const sender = senderOf(message)
  const texts: NumberText[] = [
    { place: 'subject', lines: [subject], isForwarded: isForward(subject) },
    { place: 'body', lines: own, isForwarded: false },
    ...letters.map(
      (lines): NumberText => ({
        place: 'attachment',
        lines,
        isForwarded: false,
        isOfAnother: sender !== null && isOfAnotherCourt(lines.join('\n'), sender, nameOf(message)),
      }),
    ),
  ]
  const ownCourt = sender === null ? null : ownCourtName(sender, nameOf(message))
  const numbers = readNumbers(texts, settings.file_number_form, ownCourt)
  const records = statedNumbers(message, settings)
  return {
    message_ids: [...new Set([...message.in_reply_to, ...message.references.toReversed()])].slice(
      0,
      limits.messageIds,
    ),
    sender,
    file_numbers: [...records.file_numbers, ...numbers.file_numbers.map(unlessCopy(message, settings))].slice(
      0,
      limits.fileNumbers,
    ),
    court_references: [...records.court_references, ...numbers.court_references].slice(
      0,
      limits.courtReferences,
    ),
    names: readNames(message, subject, own, letters),
    reading: readingOf(message, { subject, own, forwarded, letters }, settings),
  }
}

/**
 * The same facts in NFC, in which the rules are written. File names from macOS, and text that was copied from some PDFs,
 * have `ü` as `u` with a combining mark. The texts of attachments are in NFC already.
 */
function composedFacts(facts: MessageFacts): MessageFacts {
  const { from, subject, text, attachments } = facts
  return {
    ...facts,
    from: from === null ? null : { ...from, name: from.name === null ? null : composed(from.name) },
    subject: composed(subject),
    text: composed(text),
    attachments: attachments.map((one) => ({ ...one, filename: composed(one.filename) })),
  }
}

/** The network guarantees a lawyer's SAFE-ID. So an XJustiz record of a lawyer never comes from a court or an authority. */
function withoutFalseCourt(facts: MessageFacts): MessageFacts {
  if (facts.bea === undefined || !isSafeIdOfLawyer(senderOf(facts) ?? '')) return facts
  const xjustiz = facts.xjustiz.map((record) => ({
    ...record,
    sender: { ...record.sender, kind: 'other' as const },
  }))
  return { ...facts, xjustiz }
}

/** In a mail to somebody else, of which the office only gets a copy, `Ihr Zeichen` is not ours. */
function unlessCopy({ recipients }: MessageFacts, { own_mailboxes }: TriageSettings) {
  const domains = new Set(own_mailboxes.map(domainOf))
  const namesOffice = (addresses: string[]) =>
    addresses.some((written) => {
      const address = readMailAddress(written)
      return address !== undefined && domains.has(domainOf(mailboxOf(address.email)))
    })
  const { to, cc } = recipients ?? { to: [], cc: [] }
  const isCopy = to.length > 0 && !namesOffice(to) && namesOffice(cc)
  return (number: NumberSignal): NumberSignal => (isCopy ? { ...number, counts: false } : number)
}

/**
 * Whether the sender forwards a mail with a new subject: the mail quotes one that somebody else wrote, and its subject
 * does not say that it is an answer.
 */
function quotesAnother(subject: string, quoted: string[], { own_mailboxes }: TriageSettings): boolean {
  const from = quoted.slice(0, headerLines).find((line) => /^\*?(?:Von|From):/i.test(line)) ?? ''
  const address = /[^\s<>[\]:;"]{1,99}@[^\s<>[\]:;"]{1,99}/.exec(from)?.[0]
  return (
    address !== undefined &&
    !/^(?:\[[^\]]{1,40}\] ?)?(?:aw|re|antw(?:ort)?|sv)(?:\[\d{1,3}\])? ?:/i.test(subject) &&
    !own_mailboxes.some((mailbox) => domainOf(mailbox) === domainOf(mailboxOf(address)))
  )
}

/** The sender; null if there is no address. Otherwise all mail from `<@>` would have the same sender. */
function senderOf({ from, bea }: MessageFacts): string | null {
  if (bea !== undefined) return bea.sender.safe_id === null ? null : safeIdKey(bea.sender.safe_id)
  return from === null || !/[^@]@[^@]/.test(from.email) ? null : mailboxOf(from.email)
}

function nameOf({ from, bea }: Pick<MessageFacts, 'from' | 'bea'>): string | null {
  return (bea === undefined ? from : bea.sender)?.name ?? null
}

/**
 * A subject with a mark of forwarding belongs to the mail that is forwarded. Mail servers may have put a mark in
 * brackets before it, such as `[EXTERN]`. Programs in other languages have other marks (`TR:`, `Wtr:`). So every short
 * word counts as a mark unless it is known to mean something else.
 */
function isForward(subject: string): boolean {
  return /^(?:(?:\[[^\]]{1,40}\]|(?:aw|re|antw|wg|fwd?|fw) ?:) ?){0,6}(?!(?:aw|re|antw|sv|az|gz|akte|ref|betr|bezug|eilt|info) ?:)\p{L}{1,5} ?:/iu.test(
    subject,
  )
}

/** The numbers in the XJustiz records and in the fields of a beA message. */
function statedNumbers(
  facts: MessageFacts,
  settings: TriageSettings,
): Pick<Signals, 'file_numbers' | 'court_references'> {
  const { xjustiz, bea } = facts
  const sender = senderOf(facts)
  const isOfficial =
    (xjustiz[0]?.sender.kind ?? 'other') !== 'other' ||
    (sender !== null && senderKindOf(sender, bea?.sender.name ?? null) !== null)
  const stated = [
    { place: 'stated' as const, written: bea?.reference_recipient ?? '', label: 'ours' as const },
    {
      place: 'stated' as const,
      written: bea?.reference_sender ?? '',
      label: isOfficial ? ('reference' as const) : ('theirs' as const),
    },
  ]
  const ofRecords = xjustiz.flatMap(
    ({ sender, sender_references, recipient_references, proceedings_references }) => [
      ...recipient_references.map((written) => ({
        place: 'xjustiz' as const,
        written,
        label: 'ours' as const,
      })),
      ...[...sender_references, ...proceedings_references].map((written) => ({
        place: 'xjustiz' as const,
        written,
        label: sender.kind === 'other' ? ('theirs' as const) : ('reference' as const),
      })),
    ],
  )
  const read = [...ofRecords, ...stated]
    .filter(({ written }) => written !== '')
    .map(({ place, written, label }) => ({
      label,
      ...readNumbers(
        [{ place, lines: [withPlainCharacters(written)], isForwarded: false }],
        settings.file_number_form,
      ),
    }))
  const labelled = (found: NumberSignal[], label: NumberSignal['label']) =>
    found.map((number) => ({
      ...number,
      label,
      counts: label !== 'theirs',
      is_own: label === 'reference',
      is_meant: label !== 'theirs',
      beside: [],
    }))
  return {
    // A court's record has our file number only among the references of the recipient.
    file_numbers: read.flatMap(({ label, file_numbers }) =>
      label === 'ours' ? labelled(file_numbers, label) : [],
    ),
    court_references: read.flatMap(({ label, court_references }) =>
      labelled(court_references, label === 'theirs' ? 'reference' : label),
    ),
  }
}

/** Lines of the body, and of each of the first three attachments, in which names are looked for. */
const nameLines = 40

function readNames(message: MessageFacts, subject: string, own: string[], letters: string[][]): NameSignal[] {
  const names: NameSignal[] = []
  const add = (signal: NameSignal) => {
    const isNew = !names.some(({ name, versus }) => name === signal.name && versus === signal.versus)
    if (isNew && signal.name.length > 2 && names.length < limits.names) names.push(signal)
  }
  const lines = [
    ['subject', subject] as const,
    ...own.slice(0, nameLines).map((line) => ['body', line] as const),
    ...letters
      .slice(0, 3)
      .flatMap((lines) => lines.slice(0, nameLines).map((line) => ['attachment', line] as const)),
  ]
  for (const [place, line] of lines) {
    const versus = findVersus(line)
    if (versus === undefined) continue
    const { left, right, quote } = versus
    add({ name: left, place, versus: right, form: 'called', quote })
    add({ name: right, place, versus: left, form: 'called', quote })
    break
  }
  for (const [place, line] of lines)
    for (const { name, quote } of findCalled(line)) add({ name, place, versus: null, form: 'called', quote })
  const written = nameOf(message) ?? ''
  const name = message.kind === 'document' ? '' : senderName(written)
  if (name.includes(' ')) add({ name, place: 'sender', versus: null, form: 'named', quote: written })
  const bare = lines.flatMap(([place, line]) => findNames(line).map((found) => ({ place, ...found })))
  for (const { name, place, quote, isFamily } of bare.toSorted(
    (one, other) => Number(other.isIntroduced) - Number(one.isIntroduced),
  ))
    add({ name, place, versus: null, form: isFamily ? 'family' : 'named', quote })
  return names
}

/** The number of characters of an attachment, or of forwarded mail, that are read for content rules. */
const contentCharacters = 4_000

function readingOf(
  message: MessageFacts,
  texts: { subject: string; own: string[]; forwarded: string[]; letters: string[][] },
  { own_mailboxes }: TriageSettings,
): Reading {
  const { subject, own, forwarded, letters } = texts
  const { headers, verdict, protection, xjustiz, from, bea, in_reply_to, kind, sender_verified } = message
  const ownText = own.join('\n')
  const forwardedText = forwarded.join('\n')
  // Older programs mark their answers by `Precedence` alone.
  const isByProgram =
    (headers.auto_submitted !== null && !/^no\b/i.test(headers.auto_submitted)) ||
    /^auto[_-]?reply/i.test(headers.precedence ?? '')
  const is_automatic = isByProgram && !sendsLetter(message, letters)
  const is_delivery_report = message.attachments.some(
    ({ mime_type }) => mime_type === 'message/delivery-status',
  )
  const is_bulk =
    !isOwnList(headers.list_unsubscribe ?? '', own_mailboxes) &&
    (headers.list_unsubscribe !== null || /^(bulk|list|junk)\b/i.test(headers.precedence ?? ''))
  const filenames = message.attachments.slice(0, limits.attachments).map(({ filename }) => filename)
  const letterTexts = letters.map((lines) => lines.join('\n'))
  return {
    kind,
    sender: bea === undefined ? from : { name: bea.sender.name, email: '' },
    is_trustworthy:
      (verdict === 'passed' || verdict === 'unknown') &&
      protection !== 'encrypted' &&
      (kind !== 'mail' || sender_verified === true),
    is_automatic,
    is_delivery_report,
    is_bulk,
    is_spam: verdict === 'spam' || verdict === 'virus',
    is_served: bea?.eeb_requested === true,
    is_new_matter: opensNewMatter(`${subject}\n${ownText}`),
    parents: new Set(in_reply_to).size,
    content: contentOf({
      subject: [subject, ...filenames].join('\n').toLowerCase(),
      own: (kind === 'document' ? letterTexts.join('\n') : ownText).toLowerCase(),
      attachments: letterTexts
        .map((text) => text.slice(0, contentCharacters))
        .join('\n')
        .toLowerCase(),
      forwarded: forwardedText.slice(0, contentCharacters).toLowerCase(),
    }),
    texts: [
      { place: 'subject', text: subject },
      { place: 'body', text: ownText },
      ...letterTexts.map((text) => ({ place: 'attachment' as const, text })),
    ],
    letterhead: letterheadOf(letters[0] ?? []),
    is_letter_to_office: namesOffice(letters[0] ?? [], own_mailboxes),
    xjustiz_sender: xjustiz[0]?.sender.kind ?? null,
    deadline_hints:
      is_automatic || is_bulk
        ? []
        : surestOf([
            ...[subject, ownText].flatMap((text) => findRelativeDays(text, message.received_on)),
            ...[
              subject,
              ownText,
              forwardedText,
              ...letterTexts.filter((_, at) => !isInvoice(letters[at] ?? [])),
            ].flatMap((text) => findDeadlineHints(text, message.received_on)),
          ]),
  }
}

/**
 * Whether the unsubscribe addresses of a mailing list belong to the office. Its members may share a mailbox by a list
 * such as a Google group, and all mail to it has the headers of a mailing. In a newsletter, the reader's address may be
 * in another part of the link, which does not count.
 */
function isOwnList(unsubscribe: string, own_mailboxes: string[]): boolean {
  const links =
    /<(?:mailto:[^@<>]{1,200}@|https?:\/\/(?:groups\.google\.com\/a\/)?)([^@/?:<>]{1,200})[/?:>]/gi
  return [...unsubscribe.matchAll(links)].some(([, host = '']) =>
    own_mailboxes.some((mailbox) => `.${host.toLowerCase()}`.endsWith(`.${domainOf(mailbox)}`)),
  )
}

/**
 * Whether a program sends a letter of somebody else, as fax services and scanners do: the subject or a file name says so,
 * or the letter has a letterhead. Shops attach terms with time limits, too. An automatic answer may have a logo.
 */
function sendsLetter({ headers, subject, attachments }: MessageFacts, letters: string[][]): boolean {
  const names = [subject, ...attachments.map(({ filename }) => filename)].join('\n')
  const hasPage = attachments.some(
    ({ mime_type, text }) => /^(?:application\/pdf|image\/)/i.test(mime_type) && (text ?? '') !== '',
  )
  return (
    hasPage &&
    !/^auto-replied/i.test(headers.auto_submitted ?? '') &&
    (/fax|scan/i.test(names) || letterheadOf(letters[0] ?? []).kind !== null)
  )
}

function isNewsletter(lines: string[]): boolean {
  const own = lines.join('\n').toLowerCase()
  return contentOf({ subject: '', own, attachments: '', forwarded: '' }, ['newsletter']).length > 0
}

/**
 * Whether a letter is an invoice: its due date is no time limit of a case. A letter of a court, an authority, an insurer
 * or a lawyer is none, though a judgment about an invoice has all its words.
 */
function isInvoice(lines: string[]): boolean {
  if (letterheadOf(lines).kind !== null) return false
  const letter = lines.join('\n')
  const texts = {
    subject: letter.slice(0, 60).toLowerCase(),
    own: '',
    attachments: letter.toLowerCase(),
    forwarded: '',
  }
  return contentOf(texts, ['invoice_named', 'invoice_attached']).length > 0
}
