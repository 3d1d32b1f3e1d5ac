import { beforeAll, describe, expect, it } from 'vitest'
import { corpus, heldOut } from '#test/mail-corpus/corpus.ts'
import { type Figures, factsOf, figuresOf, type Judged, judge, triageOf } from '#test/mail-corpus/judge.ts'

/** The promises of the triage, measured on the corpus (I5). The figures are printed. */
describe('the triage of the corpus', () => {
  let judged: Judged[]

  beforeAll(async () => {
    judged = await Promise.all(corpus.map(judge))
    const parts = {
      all: judged,
      tuned: judged.filter(({ mail }) => !heldOut.has(mail.id)),
      'held out': judged.filter(({ mail }) => heldOut.has(mail.id)),
    }
    for (const [name, part] of Object.entries(parts))
      console.log(`${name}: ${part.length} mails, ${shown(figuresOf(part))}`)
  })

  it('has at least 150 mails, each with an id of its own, of every category', () => {
    expect(corpus.length).toBeGreaterThanOrEqual(150)
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length)
    expect(new Set(corpus.map((mail) => mail.is)).size).toBe(8)
  })

  it('at least 99 of 100 automatic filings are right', () => {
    const wrong = judged.filter(({ filing }) => filing === 'wrong').map(({ mail }) => mail.id)

    expect(figuresOf(judged).precision, wrong.join()).toBeGreaterThanOrEqual(0.99)
  })

  it('of what could be certain it files at least 8 of 10', () => {
    expect(figuresOf(judged).coverage).toBeGreaterThanOrEqual(0.8)
  })

  it('its categories are right in at least 9 of 10', () => {
    expect(figuresOf(judged).categories).toBeGreaterThanOrEqual(0.9)
  })

  it('the same holds for the mails that nobody looked at while the rules were made', () => {
    const { precision, coverage, categories } = figuresOf(judged.filter(({ mail }) => heldOut.has(mail.id)))

    expect(precision).toBeGreaterThanOrEqual(0.99)
    expect(coverage).toBeGreaterThanOrEqual(0.8)
    expect(categories).toBeGreaterThanOrEqual(0.9)
  })

  it('names at least 9 of 10 time limits, and few that are none', () => {
    const { hintsFound, hintsRight } = figuresOf(judged)

    expect(hintsFound).toBeGreaterThanOrEqual(0.9)
    expect(hintsRight).toBeGreaterThanOrEqual(0.8)
  })

  it('says how urgent a mail is, as the reception desk does', () => {
    const wrong = judged.filter(
      ({ mail, decision }) => (mail.priority ?? decision.priority) !== decision.priority,
    )

    expect(wrong.map(({ mail, decision }) => `${mail.id}: ${decision.priority}`)).toEqual([])
  })

  it('the case of an automatic filing is the first suggestion, and no other is below a half', () => {
    for (const { decision } of judged) {
      const { auto_file, case_suggestions, confidence } = decision
      if (auto_file !== null) expect(case_suggestions[0]?.case_id).toBe(auto_file)
      for (const suggestion of case_suggestions)
        if (suggestion.case_id !== auto_file) expect(suggestion.confidence).toBeGreaterThanOrEqual(0.5)
      expect(confidence).toBe(case_suggestions[0]?.confidence ?? 0)
    }
  })

  it('judges a mail in decomposed letters (NFD) like the same mail in NFC', async () => {
    const essence = ({ category, priority, auto_file, deadline_hints }: Judged['decision']) => ({
      category,
      priority,
      auto_file,
      hints: deadline_hints.map(({ date, period }) => ({ date, period })),
    })
    const decomposed = await Promise.all(
      judged.map(async ({ mail }) => {
        const facts = await factsOf(mail)
        const { subject, text, attachments } = facts
        return triageOf({
          ...facts,
          subject: subject.normalize('NFD'),
          text: text.normalize('NFD'),
          attachments: attachments.map((one) => ({ ...one, filename: one.filename.normalize('NFD') })),
        })
      }),
    )

    expect(decomposed.map(essence)).toEqual(judged.map(({ decision }) => essence(decision)))
  })

  it('evidence and hints quote what really stands in the message', async () => {
    for (const mail of corpus) {
      const facts = await factsOf(mail)
      const message = plain(
        [
          facts.subject,
          facts.text,
          facts.from?.name,
          facts.from?.email.toLowerCase(),
          ...facts.in_reply_to,
          ...facts.references,
          ...facts.attachments.map(({ text }) => text),
          ...facts.xjustiz.flatMap((it) => [...it.sender_references, ...it.recipient_references]),
        ].join('\n'),
      )
      const { case_suggestions, deadline_hints } = triageOf(facts)
      for (const { text } of case_suggestions.flatMap(({ evidence }) => evidence))
        expect(message, mail.id).toContain(plain(text.slice(text.indexOf('„') + 1, text.lastIndexOf('“'))))
      for (const { text } of deadline_hints) expect(message, mail.id).toContain(plain(text))
    }
  })
})

const plain = (text: string) => text.replace(/\s+/g, ' ')

function shown(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, share]) => `${name} ${share.toFixed(3)}`)
    .join(', ')
}
