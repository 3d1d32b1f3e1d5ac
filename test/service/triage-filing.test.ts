import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { arrived, deliver, inboxOf, newCase } from '#test/support/arriving-mail.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { until } from '#test/support/sent-mail.ts'

/** The triage files an item by itself only if it is certain (I5, I8). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

/** A mail once its triage result is final. */
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

describe('a mail with our file number as the number of somebody else', () => {
  it.each([
    (number: string) => `Schadennr. der Versicherung: ${number}`,
    (number: string) => `Aktenzeichen beim Mieterverein: ${number}`,
    (number: string) => `Frobnikat ${number}`,
    (number: string) => `Zu meinem Unfall, Aktenzeichen ${number}`,
  ])('is not filed, although its sender is a party of the case (%#)', async (subjectOf) => {
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
  it('of a mail is true once its attachment is judged, also in the inbox', async () => {
    const id = await deliver(firm, {
      attachments: [{ filename: 'Brief.txt', content: 'Amtsgericht Köln\nLadung zum Termin' }],
    })

    const mail = await judgedForGood(id)

    expect(mail.triage).toMatchObject({ priority: 'high', final: true })
    const { data } = (await firm.owner('GET', '/api/v1/inbox?limit=100')).body
    expect(data.find((item: { id: string }) => item.id === id).triage.final).toBe(true)
  })
})

/** The triage result of a document in the inbox, after it is judged. */
const triageOf = (id: string) =>
  vi.waitUntil(async () => (await inboxOf(firm, '&kind=document')).find((item) => item.id === id)?.triage, {
    timeout: 120_000,
    interval: 200,
  })

describe('the name of a case, of which nobody is a party', () => {
  // A second attempt must not find the case of the first.
  beforeEach(async () => {
    firm = await newFirm()
  })

  it.each([
    ['Nachlass Alfons Grothe', 'im Nachlass des Alfons Grothe bitten wir um Nachricht.'],
    ['Betreuung Brückner, Ida', 'Wir bestätigen den Eingang der Sache Ida Brueckner.'],
    ['Özkan ./. Ziegelei Süd', 'In dem Rechtsstreit Özkan ./. Ziegelei: der Termin fällt aus.'],
  ])('suggests it for mail of a stranger, and for a document: %s', async (name, text) => {
    const case_id = await newCase(firm, { name })
    const files = { bytes: `Muster GmbH\n\n${text}`, filename: 'Scan.txt' }
    const { body: scanned } = await firm.owner('POST', '/api/v1/inbox/upload', { raw: form({ files }) })

    const mail = await judgedForGood(await deliver(firm, { from: 'fremd@andere.example', text }))

    expect(mail.triage.case_suggestions.map((it: { case_id: string }) => it.case_id)).toEqual([case_id])
    expect(mail.case_id).toBeNull()
    const triage = await triageOf(scanned.uploaded[0].document_id)
    expect(triage.case_suggestions.map((it: { case_id: string }) => it.case_id)).toEqual([case_id])
  })
})
