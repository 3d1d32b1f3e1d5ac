import { wholeCharacters } from '#kernel/text.ts'
import { categoryOf, priorityOf } from './category.ts'
import { casesOfNumber, casesOfReference, fittingCases, isMailbox, knownCases } from './certain.ts'
import { limits } from './limits.ts'
import { capitalWords, identifyingWords, isForm, mentionOf } from './mentioned-names.ts'
import { hasName } from './names.ts'
import type { Decision, Found, FoundCase, NumberSignal, Place, Signals, TriageSettings } from './ports.ts'
import { minConfidence, type RuleName, rules } from './rules.ts'
import type { CaseSuggestion, Evidence } from './schema.ts'

/**
 * Decides what a message is, what it suggests, and into which case it is filed without a person (I5). It is a pure
 * function of the signals and the records that were found.
 *
 * `auto_file` is set only if exactly one active case certainly fits (`certain.ts`). That case is then the first
 * suggestion. Other suggestions need a confidence of 0.5.
 */
export function decide(signals: Signals, found: Found, settings: TriageSettings): Decision {
  const [certain, ...others] = fittingCases(signals, found)
  const fits = certain !== undefined && others.length === 0
  const suggestions = suggestionsOf(signals, found)
  const first = fits ? suggestions.find(({ case_id }) => case_id === certain.id) : undefined
  const case_suggestions = [
    ...(first === undefined ? [] : [first]),
    ...suggestions.filter((it) => it !== first && it.confidence >= minConfidence),
  ].slice(0, limits.suggestions)
  const likeliest = case_suggestions[0]
  const inCase = found.cases.find(({ id }) => id === likeliest?.case_id)
  const category = categoryOf(signals, found, settings, inCase?.id ?? null)
  const hasNoHints = category === 'newsletter' || category === 'invoice' || isReportOnOurMail(signals, found)
  const deadline_hints = hasNoHints ? [] : signals.reading.deadline_hints
  return {
    category,
    priority: priorityOf(signals, category, deadline_hints),
    suggested_assignment: inCase === undefined ? null : responsibleOf(inCase, settings),
    case_suggestions,
    confidence: likeliest?.confidence ?? 0,
    deadline_hints,
    auto_file: first !== undefined && settings.auto_file === 'certain' ? first.case_id : null,
  }
}

/**
 * Whether a mail server reports what became of a mail in one of the cases: its subject repeats our own time limits.
 * Anybody can attach the file of such a report to other mail, and so hide a time limit.
 */
function isReportOnOurMail({ reading, sender }: Signals, { threads }: Found): boolean {
  return reading.is_delivery_report && threads.length > 0 && mailServers.test(sender ?? '')
}

const mailServers = /^(?:mailer-daemon|postmaster|microsoftexchange[0-9a-f]{32})@/

/** Roles of the person responsible for a case. If no active user has one, the first of the active staff is suggested. */
const responsibleRoles =
  /^(responsible|lawyer|attorney|anwalt|anwältin|rechtsanwalt|rechtsanwältin|sachbearbeiter|sachbearbeiterin)/i

function responsibleOf({ staff }: FoundCase, { deactivated_users }: TriageSettings): string | null {
  const active = staff.filter(({ id }) => !deactivated_users.includes(id))
  return (active.find(({ role }) => responsibleRoles.test(role)) ?? active[0])?.id ?? null
}

type Piece = { rule: RuleName; text: string }

/** Every case with evidence, the likeliest first. At the same confidence, active cases come first. */
function suggestionsOf(signals: Signals, found: Found): CaseSuggestion[] {
  const pieces = new Map<string, Piece[]>(found.cases.map(({ id }) => [id, []]))
  const add = (caseId: string, rule: RuleName, text: string) => {
    const ofCase = pieces.get(caseId)
    if (ofCase?.some((piece) => piece.text === text) === false) ofCase.push({ rule, text })
  }
  addThreads(signals, found, add)
  addNumbers(signals, found, add)
  addSender(signals, found, add)
  addNames(signals, found, add)
  addCaseNames(signals, found, add)
  addMentions(signals, found, add)
  return [...pieces]
    .filter(([, ofCase]) => ofCase.length > 0)
    .map(([case_id, ofCase]) => ({ case_id, confidence: confidenceOf(ofCase), evidence: evidenceOf(ofCase) }))
    .toSorted(
      (one, other) =>
        other.confidence - one.confidence ||
        Number(isActive(found, other.case_id)) - Number(isActive(found, one.case_id)),
    )
}

/** Each rule counts once for a case, however often it holds. */
function confidenceOf(pieces: Piece[]): number {
  const names = new Set(pieces.map(({ rule }) => rule))
  const doubt = [...names].reduce((product, rule) => product * (1 - rules[rule].weight), 1)
  return Math.min(0.99, Math.round((1 - doubt) * 100) / 100)
}

function evidenceOf(pieces: Piece[]): Evidence[] {
  return pieces
    .toSorted((one, other) => rules[other.rule].weight - rules[one.rule].weight)
    .slice(0, limits.evidence)
    .map(({ rule, text }) => ({ kind: rules[rule].kind, text: wholeCharacters(text) }))
}

type Add = (caseId: string, rule: RuleName, text: string) => void

function addThreads({ message_ids, reading }: Signals, { threads }: Found, add: Add): void {
  for (const { message_id, case_id } of threads) {
    const isParent = message_ids.indexOf(message_id) < reading.parents
    add(case_id, isParent ? 'thread_parent' : 'thread_ancestor', `Antwort auf „${message_id}“`)
  }
}

const places: Record<Place, string> = {
  subject: 'Betreff',
  body: 'Text',
  attachment: 'Anlage',
  xjustiz: 'XJustiz',
  stated: 'Aktenzeichen',
}

const quoted = ({ place, quote }: { place: Place; quote: string }) => `${places[place]}: „${quote}“`

function addNumbers(signals: Signals, found: Found, add: Add): void {
  for (const number of signals.file_numbers)
    for (const id of casesOfNumber(number, found)) add(id, numberRule(number), quoted(number))
  for (const number of signals.court_references)
    for (const id of casesOfReference(number, signals, found))
      add(id, number.place === 'attachment' ? 'court_reference_attached' : 'court_reference', quoted(number))
}

function numberRule({ label, place }: NumberSignal): RuleName {
  if (label === 'theirs') return 'number_theirs'
  if (place === 'attachment') return 'number_attached'
  return label === 'ours' ? 'number_ours' : label === 'reference' ? 'number_reference' : 'number_bare'
}

function addSender(signals: Signals, found: Found, add: Add): void {
  const { sender } = signals
  if (sender === null) return
  const parties = found.parties.filter(({ email }) => isMailbox(email, sender))
  const ids = new Set(parties.flatMap((party) => party.cases.map(({ case_id }) => case_id)))
  const active = [...ids].filter((id) => isActive(found, id))
  const isShared = parties.length > 1
  for (const { name, cases: roles } of parties) {
    const likeliest = roles.find(({ case_id }) => isActive(found, case_id)) ?? roles[0]
    for (const { case_id, role } of roles) {
      const rule =
        active.length === 1 && active[0] === case_id
          ? 'sender_of_one_case'
          : isShared && case_id === likeliest?.case_id
            ? 'sender_shared'
            : isActive(found, case_id)
              ? 'sender_of_cases'
              : 'sender_of_closed_case'
      add(case_id, rule, `Absender: „${sender}“ gehört zu ${name} (${role})`)
    }
  }
  // A party without a case suggests no case. The evidence for the other parties' cases names it too.
  const others = parties.filter((party) => party.cases.length === 0)
  for (const { name } of others)
    for (const id of ids) add(id, 'sender_of_cases', `Absender: „${sender}“ gehört auch zu ${name}`)
  for (const { case_id } of found.senders)
    if (!ids.has(case_id))
      add(case_id, 'sender_of_filed_mail', `Absender: von „${sender}“ liegt schon Post in der Akte`)
}

function addNames(signals: Signals, found: Found, add: Add): void {
  const known = knownCases(signals, found)
  for (const { name, versus, place, quote, form } of signals.names) {
    const named = found.parties.filter((party) => hasName(party.name, name))
    const cases = [...new Set(named.flatMap((party) => party.cases.map(({ case_id }) => case_id)))]
    if (versus !== null) {
      const others = found.parties.filter((party) => hasName(party.name, versus))
      for (const id of cases) {
        const isOpposed = others.some((party) => party.cases.some(({ case_id }) => case_id === id))
        if (isOpposed) add(id, 'both_parties', `${places[place as Place]}: „${quote}“`)
      }
      continue
    }
    const active = cases.filter((id) => isActive(found, id))
    for (const id of cases) {
      if (place === 'sender') {
        if (!known.has(id)) add(id, 'sender_has_party_name', `Absender: „${quote}“`)
      } else {
        const isOne = form === 'family' ? named.length > 0 : named.length === 1
        const isOnly = isOne && active.length === 1 && active[0] === id
        const rule = !isOnly ? 'party_homonym' : form === 'named' ? 'party_named' : 'party_called'
        add(id, rule, `${places[place]}: „${quote}“`)
      }
    }
  }
}

function isActive({ cases }: Found, caseId: string): boolean {
  return cases.some(({ id, status }) => id === caseId && status === 'active')
}

/** Adds cases whose own name contains a name that no party has, or both names of `X ./. Y`. */
function addCaseNames({ names }: Signals, found: Found, add: Add): void {
  for (const { name, versus, place, quote } of names) {
    const named = found.named_cases.filter((it) => it.name === name && it.versus === versus)
    const active = named.filter(({ case_id }) => isActive(found, case_id))
    for (const { case_id } of named) {
      const isOnly = active.length === 1 && active[0]?.case_id === case_id
      const rule = !isOnly ? 'party_homonym' : versus === null ? 'case_named' : 'both_parties'
      add(case_id, rule, `${places[place as Place]}: „${quote}“`)
    }
  }
}

/**
 * Adds names of other parties, and words of the names of cases, that distinguish the sender's cases. They may stand
 * anywhere in the text.
 */
function addMentions(signals: Signals, found: Found, add: Add): void {
  const { sender, reading } = signals
  const known = knownCases(signals, found)
  const cases = found.cases.filter(({ id, status }) => known.has(id) && status === 'active')
  if (cases.length < 2) return
  const senders = new Set(
    found.parties.flatMap(({ id, email }) => (sender !== null && isMailbox(email, sender) ? [id] : [])),
  )
  for (const { place, text } of reading.texts) {
    const words = capitalWords(text)
    if (words.length === 0) continue
    const ofCases = cases.map((one) => ({
      id: one.id,
      named: one.parties
        .filter((party) => !senders.has(party.id))
        .flatMap(({ name = '' }) => mentionOf(name, words)?.text ?? []),
      words: identifyingWords(one.name).filter((word) => word.length > 3),
    }))
    for (const { id, named, words: ofName } of ofCases) {
      const others = ofCases.filter((other) => other.id !== id)
      const distinctive = named.find((word) => !others.some((other) => other.named.includes(word)))
      if (distinctive !== undefined) add(id, 'party_mentioned', `${places[place]}: „${distinctive}“`)
      const own = ofName.filter((word) => !others.some((other) => other.words.includes(word)))
      const word = words.find(({ folded }) => own.some((one) => isForm(folded, one)))
      if (word !== undefined) add(id, 'case_mentioned', `${places[place]}: „${word.text}“`)
    }
  }
}
