import { beforeAll, describe, expect, it } from 'vitest'
import { receiptsAtDeadlines } from '#deadlines/receipts.ts'
import { systemClock } from '#kernel/clock.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { Answer } from '#test/support/api.ts'
import { aBeaAccountOf, aBeaMessageIn } from '#test/support/bea-records.ts'
import { ourSafeId } from '#test/support/bea-remote.ts'
import { upload } from '#test/support/documents.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

/** A sent beA message as the evidence of a deadline (F9, F16). */

let firm: Firm
let account: Awaited<ReturnType<typeof aBeaAccountOf>>

beforeAll(async () => {
  firm = await newFirm()
  account = await aBeaAccountOf(firm)
})

const sent = { sender: { safe_id: ourSafeId, name: null, firm: null, city: null, is_active: null } }

async function completed(message_id: string, by = firm.owner, more = {}) {
  const { owner } = firm
  const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
  const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
  const { id } = (await owner('POST', '/api/v1/deadlines', { body })).body
  const evidence = { type: 'bea_receipt', message_id, ...more }
  return by('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } })
}

describe('a beA message', () => {
  it('that was sent, imported and acknowledged completes a deadline', async () => {
    const id = await aBeaMessageIn(
      account,
      { ...sent, delivered_at: '2026-11-20T10:00:00.000Z' },
      { folder: 'SENT' },
    )

    const answer = await completed(id)

    expect([answer.status, answer.body.status, answer.body.evidence]).toEqual([
      200,
      'completed',
      { type: 'bea_receipt', message_id: id, receipt_at: '2026-11-20T10:00:00.000Z' },
    ])
  })

  it('that reached the court after the end of the deadline is shown as late', async () => {
    const late = { ...sent, delivered_at: '2031-04-16T22:00:03.000Z' }
    const id = await aBeaMessageIn(account, late, { folder: 'SENT' })

    const { body } = await completed(id)
    const receipt_at = '2031-04-16T21:58:00.000Z'
    const given = await completed(id, firm.owner, { receipt_at })
    const register = await firm.owner('GET', '/api/v1/deadlines/register?date=2031-04-16', {
      headers: { Accept: 'text/html' },
    })

    expect(body.evidence.receipt_at).toBe(late.delivered_at)
    expect(register.body).toContain('NACH FRISTENDE EINGEGANGEN')
    // The date on the court's own receipt counts if it was given.
    expect(given.body.evidence.receipt_at).toBe(receipt_at)
  })

  it('that the network has not acknowledged is no evidence yet', async () => {
    const id = await aBeaMessageIn(account, { ...sent, delivery_status: 'gesendet' }, { folder: 'SENT' })

    const { status, body } = await completed(id)

    expect([status, body.error.code]).toEqual([409, 'BEA_RECEIPT_MISSING'])
  })

  it('that was received, of another firm, or unknown is none', async () => {
    const other = await newFirm()
    const theirs = await aBeaMessageIn(
      await aBeaAccountOf(other),
      { ...sent, delivered_at: '2026-11-20T10:00:00.000Z' },
      { folder: 'SENT' },
    )
    const received = await aBeaMessageIn(account)

    for (const id of [theirs, received, 'bea-4711', 'bea_msg_01993f5e-0000-7000-8000-000000000000']) {
      const { status, body } = await completed(id)
      expect([status, body.error.code]).toEqual([404, 'BEA_MESSAGE_NOT_FOUND'])
    }
  })
})

/** A user can complete a deadline only with a message that they may read, and learns nothing of the others (B8). */
describe('a sent message as evidence', () => {
  const acknowledged = { ...sent, delivered_at: '2026-11-20T10:00:00.000Z' }
  const inSent = { folder: 'SENT' }

  it.each([
    ['without any right', [], [404, 404]],
    ['with 01, the right to see messages', ['01'], [404, 404]],
    ['with 06', ['06'], [200, 404]],
    ['with 06 and 11', ['06', '11'], [200, 200]],
    ['with rights that are of no reading', ['03', '13'], [404, 404]],
  ])('is one for a colleague %s or is told of as if it were not there', async (_, rights, expected) => {
    const { user, api } = await firm.colleague()
    if (rights.length > 0)
      await firm.owner('POST', '/api/v1/bea/permissions', {
        body: { account_id: account.id, user_id: user.id, rights },
      })
    const usual = await aBeaMessageIn(account, acknowledged, inSent)
    const confidential = await aBeaMessageIn(account, { ...acknowledged, is_confidential: true }, inSent)
    const unsent = await aBeaMessageIn(account, { ...sent, is_confidential: true }, inSent)

    const answers = [await completed(usual, api), await completed(confidential, api)]

    expect(answers.map(({ status }) => status)).toEqual(expected)
    const noId = 'bea_msg_01993f5e-0000-7000-8000-000000000000'
    const unknown = await completed(noId, api)
    const toldOf = (id: string, { body }: Answer) =>
      JSON.stringify({ ...body.error, request_id: '' }).replaceAll(id, 'the id')
    for (const [at, id] of [usual, confidential].entries()) {
      const answer = answers[at]
      if (answer?.status === 404) expect(toldOf(id, answer)).toBe(toldOf(noId, unknown))
    }
    // The answer also does not say whether the message was acknowledged.
    expect((await completed(unsent, api)).status).toBe(expected[1] === 200 ? 409 : 404)
  })

  it('is none for a key that may not read beA, whoever has it', async () => {
    const id = await aBeaMessageIn(account, acknowledged, inSent)
    const narrow = await firm.withScopes('deadlines:write')

    expect((await completed(id, narrow)).status).toBe(404)
    expect((await completed(id)).status).toBe(200)
  })
})

/** An export shows what the evidence is, and no more of a message than the register. */
describe('an export of deadlines', () => {
  const rowsOf = async (format: string) => {
    const config = await aConfig(firm, { source: 'deadlines', format, columns: [{ field: 'evidence' }] })
    const { body } = await firm.owner('GET', `${configsPath}/${config.id}/execute`)
    return typeof body === 'string' ? body : JSON.stringify(body)
  }

  it.each(['json', 'csv'])('names documents and messages, as %s', async (format) => {
    const about = { ...sent, sent_at: '2026-11-20T23:30:00.000Z', delivered_at: '2026-11-20T10:00:00.000Z' }
    const case_id = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Export' } })).body.id
    const filed = { folder: 'SENT', caseId: case_id }
    const ids = [
      await aBeaMessageIn(account, { ...about, subject: `Replik ${format}` }, filed),
      await aBeaMessageIn(account, { ...about, subject: `Geheim ${format}`, is_confidential: true }, filed),
      await aBeaMessageIn(account, { ...about, subject: `Unabgelegt ${format}` }, { folder: 'SENT' }),
    ]
    for (const id of ids) expect((await completed(id)).status).toBe(200)
    const document = (await upload(firm.owner, { filename: `Beleg ${format}.txt` }, { case_id })).body
    const { id } = (
      await firm.owner('POST', '/api/v1/deadlines', {
        body: { title: 'Frist', case_id, due_at: '2031-04-16' },
      })
    ).body
    await firm.owner('POST', `/api/v1/deadlines/${id}/complete`, {
      body: { evidence: { type: 'document', document_id: document.id } },
    })

    const rows = await rowsOf(format)

    expect(rows).toContain(`Replik ${format}`)
    expect(rows).toContain(`Beleg ${format}.txt`)
    expect(rows).toContain('vertrauliche beA-Nachricht vom 21.11.2026')
    expect(rows).toContain('beA-Nachricht vom 21.11.2026')
    expect(rows).not.toMatch(/Geheim|Unabgelegt/)
    for (const hidden of [...ids, document.id]) expect(rows).not.toContain(hidden)
  })
})

/** The register as everybody reads it, in each of its forms. */
describe('the register', () => {
  const delivered_at = '2026-11-20T10:00:00.000Z'
  const about = { ...sent, sent_at: '2026-11-20T23:30:00.000Z', delivered_at, subject: 'Replik vorab' }
  const to = (name: string | null, safe_id: string | null) => ({
    recipients: [{ safe_id, name, firm: null, city: null, is_active: null }],
  })

  /** Completes a deadline with a message, which is filed if `inCase`. @returns the forms of the register, for a colleague */
  async function registered(remote: object, inCase = true) {
    const { owner } = firm
    const caseId = (await owner('POST', '/api/v1/cases', { body: { name: 'Weber' } })).body.id
    const folder = { folder: 'SENT', ...(inCase && { caseId }) }
    const id = await aBeaMessageIn(account, { ...about, ...remote }, folder)
    expect((await completed(id)).status).toBe(200)
    const { api } = await firm.colleague()
    const read = async (accept: string) =>
      (await api('GET', '/api/v1/deadlines/register', { headers: { accept } })).body
    const json = await read('application/json')
    const name = json.evidence.find((one: { id: string }) => one.id === id)?.name
    const [csv, html] = [String(await read('text/csv')), String(await read('text/html'))]
    return { id, name, json: JSON.stringify(json), csv, html }
  }

  it.each([
    [
      'a court',
      to('Landgericht München I', 'DE.Justiz.1'),
      'beA-Nachricht „Replik vorab“ an Landgericht München I',
    ],
    ['somebody without a name', to(null, 'DE.BRAK.7'), 'beA-Nachricht „Replik vorab“ an DE.BRAK.7'],
    ['nobody', { recipients: [] }, 'beA-Nachricht „Replik vorab“'],
    ['without a subject', { ...to('Gericht', null), subject: null }, 'beA-Nachricht ohne Betreff an Gericht'],
    [
      'with a receipt of a message',
      { ...to('Gericht', null), subject: 'Empfangsbekenntnis: Replik' },
      'beA-Nachricht „Empfangsbekenntnis“ an Gericht',
    ],
  ])('names the beA message that is the evidence, sent to %s, with its day in the office', async (_, remote, expected) => {
    const { id, name, csv, html } = await registered(remote)

    expect(name).toBe(`${expected} vom 21.11.2026`)
    expect([csv.includes(expected), html.includes(expected)]).toEqual([true, true])
    expect(html).not.toContain(id)
  })

  it.each([
    ['confidential', { is_confidential: true }, true, 'vertrauliche beA-Nachricht vom 21.11.2026'],
    [
      'confidential, in no case',
      { is_confidential: true },
      false,
      'vertrauliche beA-Nachricht vom 21.11.2026',
    ],
    ['in no case', {}, false, 'beA-Nachricht vom 21.11.2026'],
  ])('shows neither subject nor recipient of a message that is %s', async (_, remote, inCase, expected) => {
    const secret = { subject: 'Geheimer Plan', ...to('Dr. Verborgen', 'DE.BRAK.8'), ...remote }

    const { name, json, csv, html } = await registered(secret, inCase)

    expect(name).toBe(expected)
    for (const form of [json, csv, html]) expect(form).not.toMatch(/Geheimer Plan|Verborgen|DE\.BRAK\.8/)
    expect(html).toContain(expected)
  })

  it.each([
    ['an open one', {}, 'für beA-Nachricht „Ladung“ von Landgericht München I vom 02.03.2026'],
    ['a confidential one', { is_confidential: true }, 'für vertrauliche beA-Nachricht vom 02.03.2026'],
    [
      'one without a date',
      { received_at: null, sent_at: null },
      'für beA-Nachricht „Ladung“ von Landgericht München I',
    ],
  ])('names the message for which a receipt was given: %s', async (_, remote, expected) => {
    const { owner, workspace, ownerUser } = firm
    const caseId = (await owner('POST', '/api/v1/cases', { body: { name: 'Groß' } })).body.id
    const message_id = await aBeaMessageIn(account, { subject: 'Ladung', ...remote }, { caseId })
    const deadline = { title: 'Stellungnahme', case_id: caseId, due_at: '2031-04-16' }
    const { id } = (await owner('POST', '/api/v1/deadlines', { body: deadline })).body
    const db = await sharedTable()
    const { recordReceipt } = receiptsAtDeadlines({
      store: deadlineStore(storeDeps(db)),
      timeZoneOf: workspaceStore(db).timeZoneOf,
      clock: systemClock,
    })
    const by = { workspace_id: workspace.id, user_id: ownerUser.id, user_name: ownerUser.name, key_id: 'ak' }
    await recordReceipt(by, id, { message_id, date: '2026-03-09', override_reason: null })

    const read = async (accept: string) =>
      String((await owner('GET', '/api/v1/deadlines/register', { headers: { accept } })).body)
    const [html, csv] = [await read('text/html'), await read('text/csv')]

    expect(html).toContain(`Empfangsbekenntnis mit Datum 09.03.2026 ${expected}`)
    expect(html).not.toContain(message_id)
    expect(csv).toContain(expected.slice(4))
  })

  it('of a deadline says if the receipt states another day than the one from which it is counted', async () => {
    const { owner, workspace, ownerUser } = firm
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Lang' } })).body.id
    const message_id = await aBeaMessageIn(account, { subject: 'Urteil' }, { caseId: case_id })
    const calculation = { event_date: '2026-03-06', preset: 'zpo_berufung' }
    const deadline = { title: 'Berufung', case_id, calculation }
    const { id } = (await owner('POST', '/api/v1/deadlines', { body: deadline })).body
    const db = await sharedTable()
    const receipts = receiptsAtDeadlines({
      store: deadlineStore(storeDeps(db)),
      timeZoneOf: workspaceStore(db).timeZoneOf,
      clock: systemClock,
    })
    const by = { workspace_id: workspace.id, user_id: ownerUser.id, user_name: ownerUser.name, key_id: 'ak' }
    // Act
    const found = await Promise.all(
      ['2026-03-06', '2026-03-09'].map((date) => receipts.find(workspace.id, id, date)),
    )
    await receipts.recordReceipt(by, id, { message_id, date: '2026-03-09', override_reason: null })
    // Assess
    expect(found).toEqual([
      { case_id, other_day: null },
      { case_id, other_day: '2026-03-06' },
    ])
    const history = (await owner('GET', `/api/v1/deadlines/${id}/history`)).body.data
    expect(history.at(-1)?.reason).toBe(
      `Empfangsbekenntnis mit Datum 09.03.2026 für ${message_id}; die Frist ist ab dem 06.03.2026 gerechnet`,
    )
  })

  it('names a document, and once it is signed keeps every name', async () => {
    const { owner } = firm
    const document_id = (
      await upload(owner, { bytes: Buffer.from('Replik'), filename: 'Replik & Anlage.txt' })
    ).body.id
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Kurz' } })).body.id
    const deadline = { title: 'Replik', case_id, due_at: '2031-04-16' }
    const { id } = (await owner('POST', '/api/v1/deadlines', { body: deadline })).body
    const evidence = { type: 'document', document_id }
    await owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } })
    const today = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin' }).format(systemClock.now())
    const read = async (query: string) =>
      (await owner('GET', `/api/v1/deadlines/register${query}`, { headers: { accept: 'text/html' } })).body

    const before = String(await read(''))
    await owner('POST', `/api/v1/deadlines/register/${today}/sign`, { body: {} })
    await owner('DELETE', `/api/v1/documents/${document_id}`)

    const name = 'Dokument <bdi>Replik &#38; Anlage.txt</bdi>'
    expect(before).toContain(name)
    expect(String(await read('?signed=true'))).toContain(name)
  })
})
