import { mailboxOf } from '#correspondence/address-schema.ts'
import { sideOf } from '#parties/side-schema.ts'
import { areOfCase } from './beside.ts'
import { capitalWords, mentionOf } from './mentioned-names.ts'
import { hasName } from './names.ts'
import type { Found, FoundCase, NumberSignal, Signals } from './ports.ts'
import { courtDomainOf, senderKindOf } from './sender-domains.ts'

/**
 * The active cases into which a message certainly fits (I5). They are the cases of the thread that it answers, and the
 * cases that it names by our file number or by a court's reference learnt there. For a case that is only named, the
 * sender must be a party or have sent mail that is filed there.
 *
 * The list also has other cases that the message names as a file, and the cases of an `X ./. Y` in the message if none
 * of the first is among them, even if they are closed. With more than one case in the list, the message is not filed: a
 * message that answers a mail of one case and names another case may belong to either. If a client calls a matter new,
 * no case fits.
 */
export function fittingCases(signals: Signals, found: Found): FoundCase[] {
  const { reading } = signals
  if (reading.kind === 'document' || !reading.is_trustworthy) return []
  if (reading.is_new_matter && casesOfClient(signals, found).size > 0) return []
  const cases = new Map(found.cases.map((it) => [it.id, it]))
  const threads = new Set(found.threads.map(({ case_id }) => case_id))
  const known = knownCases(signals, found)
  const named = reading.is_bulk ? [] : namedCases(signals, found)
  const fitting = [
    ...threads,
    ...named.filter(({ case_id }) => known.has(case_id)).map(({ case_id }) => case_id),
  ].filter((id) => cases.get(id)?.status === 'active')
  if (fitting.length === 0) return []
  const contradicting = reading.is_bulk ? [] : mentionedCases(signals, found, known)
  const called = casesOfTitle(signals, found)
  const isOther = called.length > 0 && !fitting.some((id) => called.includes(id))
  const ids = new Set([...fitting, ...contradicting, ...(isOther ? called : [])])
  return [...ids].flatMap((id) => cases.get(id) ?? [])
}

/**
 * The other cases that the message may be about: cases that its subject or body names as a file, and cases of the sender
 * that they name in any way. A number that does not count may still show that another case is meant.
 */
function mentionedCases(signals: Signals, found: Found, known: Set<string>): string[] {
  const isWritten = ({ place, is_meant }: NumberSignal) => is_meant && place !== 'attachment'
  return [
    ...signals.file_numbers
      .filter(isWritten)
      .flatMap((number) =>
        casesOfNumber(number, found).filter((id) => number.label !== 'none' || known.has(id)),
      ),
    ...signals.court_references
      .filter(isWritten)
      .flatMap((number) => casesOfReference(number, signals, found).filter((id) => known.has(id))),
    ...namedCases(signals, found).flatMap(({ case_id, isNamedAsFile }) => (isNamedAsFile ? [case_id] : [])),
  ]
}

/** The cases that an `X ./. Y` in the message means: X and Y are their parties, or stand in their names. */
function casesOfTitle({ names }: Signals, { parties, named_cases }: Found): string[] {
  return names.flatMap(({ name, versus }) => {
    if (versus === null) return []
    const casesOf = (one: string) =>
      parties
        .filter((party) => hasName(party.name, one))
        .flatMap(({ cases }) => cases.map(({ case_id }) => case_id))
    const others = casesOf(versus)
    return [
      ...casesOf(name).filter((id) => others.includes(id)),
      ...named_cases.filter((it) => it.name === name && it.versus === versus).map(({ case_id }) => case_id),
    ]
  })
}

/** The cases in which the sender is a party, or in which mail of the sender was filed. */
export function knownCases({ sender }: Signals, found: Found): Set<string> {
  if (sender === null) return new Set()
  return new Set([
    ...found.senders.map(({ case_id }) => case_id),
    ...found.parties
      .filter(({ email }) => isMailbox(email, sender))
      .flatMap(({ cases }) => cases.map(({ case_id }) => case_id)),
  ])
}

/** The cases in which the sender is our client. */
function casesOfClient({ sender }: Signals, { parties }: Found): Set<string> {
  if (sender === null) return new Set()
  return new Set(
    parties
      .filter(({ email }) => isMailbox(email, sender))
      .flatMap((party) => party.cases.flatMap((it) => (sideOf(it) === 'client' ? [it.case_id] : []))),
  )
}

export function isMailbox(email: string | null, mailbox: string): boolean {
  return email !== null && mailboxOf(email) === mailbox
}

/**
 * The cases that are named by numbers that count. Numbers of attachments count only if nothing else names a case. Court
 * references in attachments count only if a court or an authority writes, because other senders attach decisions as
 * well. A number that is not called ours counts only if a client of the case writes: everybody else has files of their
 * own.
 */
function namedCases(signals: Signals, found: Found): { case_id: string; isNamedAsFile: boolean }[] {
  const clients = casesOfClient(signals, found)
  const isOfCase = ({ beside }: NumberSignal, caseId: string) => {
    const inCase = found.cases.find(({ id }) => id === caseId)
    return inCase !== undefined && areOfCase(beside, inCase)
  }
  const named = (isPlace: (number: NumberSignal) => boolean) => [
    ...signals.file_numbers
      .filter((number) => number.counts && isPlace(number))
      .flatMap((number) =>
        casesOfNumber(number, found)
          .filter((case_id) => number.label === 'ours' || clients.has(case_id))
          .filter((case_id) => isOfCase(number, case_id))
          .map((case_id) => ({ case_id, isNamedAsFile: number.label !== 'none' })),
      ),
    ...signals.court_references
      .filter((number) => number.counts && isPlace(number))
      .flatMap((number) =>
        casesOfReference(number, signals, found).map((case_id) => ({ case_id, isNamedAsFile: false })),
      ),
  ]
  const written = named(({ place }) => place !== 'attachment')
  if (written.length > 0) return written
  const { sender, reading } = signals
  const kind = sender === null ? null : senderKindOf(sender, reading.sender?.name ?? null)
  const isOfficial = kind === 'court' || kind === 'authority'
  const attached = named(({ place, label }) => place === 'attachment' && (isOfficial || label === 'ours'))
  return isOfficial || isWrittenBySender(signals, found)
    ? attached
    : attached.filter(({ case_id }) => !clients.has(case_id))
}

/**
 * Whether the message has exactly one letter, and the sender wrote it to the office: its first line has the sender's
 * name. Most letters that a client attaches were written to the client, or by the client to somebody else. In those
 * `Ihr Zeichen` means the file of another person.
 */
function isWrittenBySender({ sender, reading }: Signals, { parties }: Found): boolean {
  if (sender === null || !reading.is_letter_to_office) return false
  if (reading.texts.filter(({ place }) => place === 'attachment').length !== 1) return false
  const words = capitalWords(reading.letterhead.head.split('\n', 1)[0] ?? '')
  return parties.some(({ email, name }) => isMailbox(email, sender) && mentionOf(name, words)?.how === 'full')
}

/** The cases with this number; if the suffix distinguishes them, the one that has it. */
export function casesOfNumber({ key, suffix }: NumberSignal, { file_numbers, cases }: Found): string[] {
  const ids = file_numbers.filter((it) => it.key === key).map(({ case_id }) => case_id)
  if (ids.length < 2 || suffix === null) return ids
  const exact = ids.filter((id) => cases.find((it) => it.id === id)?.file_number.endsWith(suffix))
  return exact.length === 1 ? exact : ids
}

/**
 * The cases in which this reference was learnt. If the sender is a court from which it was not learnt, another case is
 * meant. If several cases have it, because two courts use it, the sender decides: it must be the court of the case, or
 * another sender who is known in the case.
 */
export function casesOfReference({ key }: NumberSignal, signals: Signals, found: Found): string[] {
  const learnt = found.court_references.filter((it) => it.key === key)
  const ids = [...new Set(learnt.map(({ case_id }) => case_id))]
  const known = knownCases(signals, found)
  const possible = ids.length < 2 ? ids : ids.filter((id) => known.has(id))
  return possible.filter((id) => !isOfAnotherCourt(key, id, signals, found))
}

/**
 * Whether the sender is another court than those from which the reference was learnt: then its number is the same by
 * chance.
 */
function isOfAnotherCourt(key: string, caseId: string, { sender }: Signals, found: Found): boolean {
  const court = sender === null ? null : courtDomainOf(sender)
  if (court === null) return false
  const teachers = found.court_references
    .filter((it) => it.key === key && it.case_id === caseId)
    .flatMap(({ learnt_from }) => learnt_from.flatMap((mailbox) => courtDomainOf(mailbox) ?? []))
  return teachers.length > 0 && !teachers.includes(court)
}
