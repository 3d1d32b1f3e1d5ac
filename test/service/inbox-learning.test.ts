import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type ArrivingMail,
  arrived,
  deliver,
  filed,
  inboxOf,
  judged,
  mailEntries,
  newCase,
} from '#test/support/arriving-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { growingPauses } from '#test/support/growing-pauses.ts'

/** A case learns from the mail that is filed there (I5, I6). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const act = (id: string, action: string, body?: unknown) =>
  firm.owner('POST', `/api/v1/inbox/${id}/${action}`, body === undefined ? {} : { body })
const file = (id: string, body: unknown) => act(id, 'file', body)
const isListed = async (id: string) => (await inboxOf(firm)).some((item) => item.id === id)
const mailOf = async (id: string) => (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
const typesOf = async (caseId: string) => (await mailEntries(firm, caseId)).map(({ type }) => type)

/**
 * Waits until exactly these cases know the court's reference of such a mail: a case learns and forgets in a job that
 * follows the filing. Further mails show what is known. They are not filed, so they teach nothing.
 */
async function known(mail: ArrivingMail, caseIds: string[]): Promise<void> {
  const end = performance.now() + 60_000
  await firm.owner('PATCH', '/api/v1/workspace', { body: { auto_file: 'off' } })
  for await (const _ of growingPauses()) {
    const { triage } = await judged(firm, await deliver(firm, mail))
    const knowing = (triage.case_suggestions as Suggestion[])
      .filter(({ evidence }) => evidence.some(({ kind }) => kind === 'court_reference'))
      .map(({ case_id }) => case_id)
    if (isDeepStrictEqual(knowing, caseIds)) break
    if (performance.now() > end) throw new Error(`The reference is known to ${JSON.stringify(knowing)}.`)
  }
  await firm.owner('PATCH', '/api/v1/workspace', { body: { auto_file: 'certain' } })
}

let references = 0

/**
 * A new court reference. Each attempt of a test needs its own, because the attempt before has taught its reference to a
 * case.
 */
function newReference(): string {
  references += 1
  return `${references} O 45/26`
}

type Suggestion = { case_id: string; evidence: { kind: string }[] }

const court = 'Geschäftsstelle <poststelle@lg-koeln.nrw.de>'
const ofCourt = (number: string) => ({
  from: court,
  subject: `Landgericht Köln, Az. ${number}`,
  text: `In dem Rechtsstreit Müller ./. Becker\nGeschäftsnummer: ${number}\nwird um Stellungnahme gebeten.`,
})

describe('filing teaches', () => {
  it('the case its court’s reference: the next mail is filed there, and says why', async () => {
    const number = newReference()
    const [first, case_id] = await Promise.all([arrived(firm, ofCourt(number)), newCase(firm)])
    await file(first.id, { case_id })
    await known(ofCourt(number), [case_id])

    const next = await deliver(firm, ofCourt(number))

    const mail = await filed(firm, next)
    expect(mail.case_id).toBe(case_id)
    expect(mail.triage.case_suggestions[0]).toMatchObject({ case_id })
    const [, entry] = await mailEntries(firm, case_id)
    expect(entry).toMatchObject({
      type: 'mail.filed',
      actor: { type: 'system', name: 'Aktenlage' },
      ref: { id: next },
      summary: expect.stringContaining(number),
    })
  })

  it('nothing once it is reopened: the next mail stays in the inbox', async () => {
    const number = newReference()
    const [first, case_id] = await Promise.all([arrived(firm, ofCourt(number)), newCase(firm)])
    await file(first.id, { case_id })
    await known(ofCourt(number), [case_id])
    await act(first.id, 'reopen')
    await known(ofCourt(number), [])

    const next = await judged(firm, await deliver(firm, ofCourt(number)))

    expect(await isListed(next.id)).toBe(true)
    expect((await mailOf(next.id)).case_id).toBeNull()
    expect(await typesOf(case_id)).toEqual(['mail.filed', 'mail.unfiled'])
  })

  it('the reference to the other case if a mail is filed there, and the first case no longer knows it', async () => {
    const number = newReference()
    const first = await arrived(firm, ofCourt(number))
    const [wrong, right] = [await newCase(firm), await newCase(firm)]
    await file(first.id, { case_id: wrong })
    await file(first.id, { case_id: right })
    await known(ofCourt(number), [right])

    const next = await deliver(firm, ofCourt(number))

    const mail = await filed(firm, next)
    expect(mail.case_id).toBe(right)
  })
})

it('the triage does not undo what a person decided about a mail that was filed automatically', async () => {
  // Prepare
  const number = newReference()
  const [first, case_id] = await Promise.all([arrived(firm, ofCourt(number)), newCase(firm)])
  await file(first.id, { case_id })
  await known(ofCourt(number), [case_id])
  const next = await deliver(firm, ofCourt(number))
  await filed(firm, next)

  // Act
  const { body } = await act(next, 'reopen')

  // Assess
  expect(body).toMatchObject({ state: 'open', case_id: null })
  await judged(firm, await deliver(firm))
  expect(await isListed(next)).toBe(true)
})
