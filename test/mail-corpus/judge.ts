import { mailFacts } from '#mail/mail-facts.ts'
import { readMail } from '#mail/read-mail.ts'
import { proveSender } from '#mail/sender-proof.ts'
import { decide } from '#triage/decide.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Decision } from '#triage/ports.ts'
import { readSignals } from '#triage/read-signals.ts'
import type { CorpusMail } from './corpus-mail.ts'
import { caseIdOf, lookUp, settings } from './firm.ts'
import { rawMessage } from './mail-programs.ts'

const dmarcPassed = { spam: 'pass', virus: 'pass', spf: 'gray', dkim: 'gray', dmarc: 'pass' } as const

/** The facts of a mail of the corpus: read from its bytes, with the texts that extraction gives for its attachments. */
export async function factsOf(mail: CorpusMail): Promise<MessageFacts> {
  const message = await readMail(rawMessage(mail))
  const texts = message.attachments.map(
    ({ filename }) => mail.attachments?.find(({ name }) => name === filename)?.text ?? null,
  )
  const facts = mailFacts(message, { received_on: '2026-11-20', verdict: mail.verdict ?? 'passed', texts })
  const proof = proveSender(message.claims, { verdicts: dmarcPassed, envelope_from: null, authserv_id: null })
  return { ...facts, sender_verified: proof.sender_verified === true }
}

export function triageOf(facts: MessageFacts): Decision {
  const signals = readSignals(facts, settings)
  return decide(signals, lookUp(signals), settings)
}

/** A mail with what the triage says of it, compared with the truth. */
export type Judged = {
  mail: CorpusMail
  decision: Decision
  /** `right`, `wrong`, `missed` (it could have been filed), `left` (rightly not filed). */
  filing: 'right' | 'wrong' | 'missed' | 'left'
  isCategoryRight: boolean
  /** Of mail that belongs to a case and is not filed: whether that case is suggested first. */
  isSuggested: boolean | null
  missedHints: string[]
  extraHints: string[]
}

export async function judge(mail: CorpusMail): Promise<Judged> {
  const decision = triageOf(await factsOf(mail))
  const { auto_file, case_suggestions, category, deadline_hints } = decision
  const due = mail.files === undefined ? null : caseIdOf(mail.files)
  const filing =
    auto_file === null ? (due === null ? 'left' : 'missed') : auto_file === due ? 'right' : 'wrong'
  const expected = mail.hints ?? []
  const hints = deadline_hints.map(({ date, period }) => date ?? `${period?.count} ${period?.unit}`)
  return {
    mail,
    decision,
    filing,
    isCategoryRight: category === mail.is,
    isSuggested: mail.belongs === undefined ? null : case_suggestions[0]?.case_id === caseIdOf(mail.belongs),
    missedHints: expected.filter((hint) => !hints.includes(hint)),
    extraHints: hints.filter((hint) => !expected.includes(hint)),
  }
}

export type Figures = Record<
  'precision' | 'coverage' | 'categories' | 'suggested' | 'hintsFound' | 'hintsRight',
  number
>

/** Shares between 0 and 1. */
export function figuresOf(judged: Judged[]): Figures {
  const count = (matches: (one: Judged) => boolean) => judged.filter(matches).length
  const sum = (of: (one: Judged) => number) => judged.reduce((total, one) => total + of(one), 0)
  const right = count(({ filing }) => filing === 'right')
  const expected = sum(({ mail }) => mail.hints?.length ?? 0)
  const found = expected - sum(({ missedHints }) => missedHints.length)
  return {
    precision: share(right, right + count(({ filing }) => filing === 'wrong')),
    coverage: share(
      right,
      count(({ mail }) => mail.files !== undefined),
    ),
    categories: share(
      count(({ isCategoryRight }) => isCategoryRight),
      judged.length,
    ),
    suggested: share(
      count(({ isSuggested }) => isSuggested === true),
      count(({ isSuggested }) => isSuggested !== null),
    ),
    hintsFound: share(found, expected),
    hintsRight: share(found, found + sum(({ extraHints }) => extraHints.length)),
  }
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole
}
