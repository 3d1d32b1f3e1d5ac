import { beforeAll, describe, expect, it } from 'vitest'
import { arrived, deliver, newCase } from '#test/support/arriving-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { until } from '#test/support/sent-mail.ts'

/** What the triage files by itself, and what it must not (I5, I8). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

/** A mail once it is judged for good. */
const judgedForGood = (id: string) =>
  until(firm.owner, `/api/v1/correspondence/${id}`, ({ triage }) => triage?.final === true, 60)

describe('a decision that a court cites', () => {
  const court = 'Landgericht Köln <poststelle@lg-koeln.nrw.de>'

  it.each([
    ['Auf BGH VIII ZR 246/16 kommt es nicht an.', 'VIII ZR 246/16'],
    ['Im Verfahren VII ZR 88/24 ist die Frage noch offen.', 'VII ZR 88/24'],
    ['Zu beachten ist:\n\nAz.: 9 U 12/24', '9 U 12/24'],
  ])('files no letter of another case: %s', async (text, reference) => {
    const [first, case_id] = await Promise.all([
      arrived(firm, { from: court, subject: 'Verfügung', text }),
      newCase(firm),
    ])
    await firm.owner('POST', `/api/v1/inbox/${first.id}/file`, { body: { case_id } })

    const next = await judgedForGood(
      await deliver(firm, { from: court, subject: `Hinweis zu ${reference}`, text }),
    )

    expect(next.case_id).toBeNull()
  })
})

describe('a number of somebody else', () => {
  it.each([
    (number: string) => `Schadennr. der Versicherung: ${number}`,
    (number: string) => `Aktenzeichen beim Mieterverein: ${number}`,
    (number: string) => `Frobnikat ${number}`,
    (number: string) => `Zu meinem Unfall, Aktenzeichen ${number}`,
  ])('is not filed, though its sender is a party of the case (%#)', async (subjectOf) => {
    const email = `rita.${crypto.randomUUID()}@post.example`
    const { body: party } = await firm.owner('POST', '/api/v1/parties', {
      body: { name: 'Rita Sommer', type: 'person', email },
    })
    const case_id = await newCase(firm)
    await firm.owner('POST', `/api/v1/cases/${case_id}/parties`, {
      body: { party_id: party.id, role: 'client' },
    })
    const { body } = await firm.owner('GET', `/api/v1/cases/${case_id}`)

    const mail = await judgedForGood(
      await deliver(firm, { from: email, subject: subjectOf(body.file_number) }),
    )

    expect(mail.case_id).toBeNull()
  })
})

describe('triage.final', () => {
  it('is true of a mail once its letter is judged, and of its item in the inbox', async () => {
    const id = await deliver(firm, {
      attachments: [{ filename: 'Brief.txt', content: 'Amtsgericht Köln\nLadung zum Termin' }],
    })

    const mail = await judgedForGood(id)

    expect(mail.triage).toMatchObject({ priority: 'high', final: true })
    const { data } = (await firm.owner('GET', '/api/v1/inbox?limit=100')).body
    expect(data.find((item: { id: string }) => item.id === id).triage.final).toBe(true)
  })
})
