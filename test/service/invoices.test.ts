import { beforeAll, describe, expect, it } from 'vitest'
import { localDateOf } from '#german-time/local-time.ts'
import { systemClock } from '#kernel/clock.ts'
import { codeOf } from '#test/support/api.ts'
import { billing } from '#test/support/billing.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let make: ReturnType<typeof billing>
let caseId: string
beforeAll(async () => {
  firm = await newFirm()
  make = billing(firm)
  await make.setSeller()
  caseId = await make.makeCase()
})

const path = '/api/v1/invoices'
const today = () => localDateOf(systemClock.now(), 'Europe/Berlin')
const year = () => today().slice(0, 4)
const post = (body: object) => firm.owner('POST', path, { body: { case_id: caseId, ...body } })
const patch = (id: string, body: object) => firm.owner('PATCH', `${path}/${id}`, { body })

describe('a draft of fees (V6)', () => {
  it('has a line for each fee with its number, credits as quantity -1, and keeps the calculation', async () => {
    const rvg = {
      value: '5000',
      ordered_on: '2026-03-02',
      fees: [{ vv: '3100' }, { vv: '3104' }],
      credited: [{ vv: '2300', rate: '1.3' }],
      expenses: [{ vv: '7002' }],
    }
    const made = await post({ rvg, lines: [{ text: 'Gerichtskosten', unit_price: '511.50', tax_rate: '0' }] })
    const its = `${path}/${made.body.id}`
    const read = await firm.owner('GET', its)
    const renamed = await patch(made.body.id, { buyer: { name: 'Anna Meier' } })
    const issued = await firm.owner('POST', `${its}/issue`)
    const listed = await firm.owner('GET', path)

    expect(made.status).toBe(201)
    expect(
      made.body.lines.map(({ text, quantity, net }: Record<string, string>) => [text, quantity, net]),
    ).toEqual([
      ['Verfahrensgebühr, Nr. 3100 VV RVG, Wert 5.000,00 €, Satz 1,3', '1', '460.85'],
      ['Terminsgebühr, Nr. 3104 VV RVG, Wert 5.000,00 €, Satz 1,2', '1', '425.40'],
      [
        'Anrechnung der Gebühr Nr. 2300 VV RVG, Vorbem. 3 Abs. 4 VV RVG, § 15a RVG, Wert 5.000,00 €, Satz 0,65',
        '-1',
        '-230.43',
      ],
      ['Pauschale für Post- und Telekommunikationsdienstleistungen, Nr. 7002 VV RVG', '1', '20.00'],
      ['Gerichtskosten', '1', '511.50'],
    ])
    expect(made.body).toMatchObject({ net: '1187.32', tax: '128.41', gross: '1315.73' })
    expect(made.body.basis).toMatchObject({
      request: { value: '5000' },
      result: { net: '675.82', gross: '804.23' },
    })
    expect([read, renamed, issued].map(({ body }) => body.basis)).toEqual(Array(3).fill(made.body.basis))
    expect(listed.body.data[0]).not.toHaveProperty('basis')
    const cancelled = (await firm.owner('POST', `${its}/cancel`)).body
    const reversed = (await firm.owner('GET', `${path}/${cancelled.cancelled_by}`)).body
    expect([cancelled.basis, reversed.basis, reversed.net]).toEqual([made.body.basis, null, '-1187.32'])
  })

  it('keeps no calculation once its lines are replaced, and has none if none was given', async () => {
    const rvg = { value: '500', ordered_on: '2026-03-02', fees: [{ vv: '2300' }] }
    const { id } = (await post({ rvg })).body

    expect((await patch(id, { lines: [{ text: 'Beratung', unit_price: '1' }] })).body.basis).toBeNull()
    expect((await post({})).body.basis).toBeNull()
  })

  it('is refused like the calculation itself, and the error names the field', async () => {
    const rvg = { value: '500', ordered_on: '2026-03-02', fees: [{ vv: '2300', rate: '2.6' }] }
    const refused = await post({ rvg })

    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body.rvg.fees.0.rate'])
  })

  it('has no more lines than another invoice, so that its lines can be sent again', async () => {
    const rvg = { value: '500', ordered_on: '2026-03-02', fees: [{ vv: '2300' }] }
    const linesOf = (length: number) => Array.from({ length }, () => ({ text: 'Kopie', unit_price: '0.50' }))
    const refused = await post({ rvg, lines: linesOf(500) })
    const { id, lines } = (await post({ rvg, lines: linesOf(499) })).body

    expect([refused.status, refused.body.error?.details[0].path]).toEqual([400, 'body.lines'])
    expect([lines.length, (await patch(id, { lines })).status]).toEqual([500, 200])
  })
})

describe('a draft (X7)', () => {
  it('has sums by rate, rounded half up, and is read, changed and deleted', async () => {
    const made = await post({
      due_date: '2099-12-31',
      buyer: { name: 'Müller GmbH', street: 'Weg 1', postcode: '10115', city: 'Berlin', country: 'de' },
      buyer_reference: '991-01234-44',
      lines: [
        { text: 'Beratung', quantity: '0.3333', unit_price: '250', tax_rate: '19' },
        { text: 'Kopien', quantity: '7', unit_price: '0.505', tax_rate: '19.00' },
        { text: 'Buch', unit_price: '9.99', tax_rate: '7' },
        { text: 'Gerichtskosten', unit_price: '161.00', tax_rate: '0' },
        { text: 'Nachlass', quantity: '-1', unit_price: '10.00' },
      ],
    })
    const its = `${path}/${made.body.id}`
    const read = await firm.owner('GET', its)
    const changed = await patch(made.body.id, { buyer: { street: null, city: 'Potsdam' }, due_date: null })
    const same = await patch(made.body.id, { buyer: { city: 'Potsdam' } })
    const deleted = await firm.owner('DELETE', its)
    const gone = await firm.owner('GET', its)

    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^inv_/),
      basis: null,
      number: null,
      case_id: caseId,
      party_id: null,
      status: 'draft',
      invoice_date: today(),
      due_date: '2099-12-31',
      service_from: null,
      service_to: null,
      buyer: {
        name: 'Müller GmbH',
        street: 'Weg 1',
        postcode: '10115',
        city: 'Berlin',
        country: 'DE',
        email: null,
        vat_id: null,
      },
      buyer_reference: '991-01234-44',
      lines: [
        {
          text: 'Beratung',
          quantity: '0.3333',
          unit: 'piece',
          unit_price: '250',
          tax_rate: '19',
          net: '83.33',
          time_entry_id: null,
        },
        {
          text: 'Kopien',
          quantity: '7',
          unit: 'piece',
          unit_price: '0.505',
          tax_rate: '19',
          net: '3.54',
          time_entry_id: null,
        },
        {
          text: 'Buch',
          quantity: '1',
          unit: 'piece',
          unit_price: '9.99',
          tax_rate: '7',
          net: '9.99',
          time_entry_id: null,
        },
        {
          text: 'Gerichtskosten',
          quantity: '1',
          unit: 'piece',
          unit_price: '161.00',
          tax_rate: '0',
          net: '161.00',
          time_entry_id: null,
        },
        {
          text: 'Nachlass',
          quantity: '-1',
          unit: 'piece',
          unit_price: '10.00',
          tax_rate: '19',
          net: '-10.00',
          time_entry_id: null,
        },
      ],
      taxes: [
        { tax_rate: '19', net: '76.87', tax: '14.61' },
        { tax_rate: '7', net: '9.99', tax: '0.70' },
        { tax_rate: '0', net: '161.00', tax: '0.00' },
      ],
      net: '247.86',
      tax: '15.31',
      gross: '263.17',
      currency: 'EUR',
      cancels: null,
      cancelled_by: null,
      issued_at: null,
      paid_at: null,
      created_at: made.body.created_at,
      updated_at: made.body.created_at,
      warnings: [],
    })
    expect(read.body).toEqual(made.body)
    expect(changed.body).toEqual({
      ...made.body,
      due_date: null,
      buyer: { ...made.body.buyer, street: null, city: 'Potsdam' },
      updated_at: changed.body.updated_at,
    })
    expect(same.body).toEqual(changed.body)
    expect([deleted.status, ...codeOf(gone)]).toEqual([204, 404, 'INVOICE_NOT_FOUND'])
  })

  it.each([
    { case_id: undefined },
    { lines: [{ text: 'Ohne Preis' }] },
    { lines: [{ unit_price: '1' }] },
    { lines: [{ text: 'A', unit_price: 1 }] },
    { lines: [{ text: 'A', unit_price: '-1' }] },
    { lines: [{ text: 'A', unit_price: '1,00' }] },
    { lines: [{ text: 'A', unit_price: '1.00001' }] },
    { lines: [{ text: 'A', unit_price: '1', quantity: '1.00001' }] },
    { lines: [{ text: 'A', unit_price: '1', quantity: 'x' }] },
    { lines: [{ text: 'A', unit_price: '1', tax_rate: '16' }] },
    { lines: [{ text: 'A', unit_price: '1', tax_rate: '-7' }] },
    { lines: [{ text: 'A', unit_price: '9999999', quantity: '999999' }] },
    // Sums that are small in all, but of which DATEV could book neither rate.
    {
      lines: [
        { text: 'A', unit_price: '1000000', quantity: '50000', tax_rate: '19' },
        { text: 'B', unit_price: '1000000', quantity: '-52000', tax_rate: '7' },
      ],
    },
    { lines: Array(501).fill({ text: 'A', unit_price: '1' }) },
    { lines: Array(200).fill({ text: 'ä'.repeat(2_000), unit_price: '1' }) },
    { lines: {} },
    { invoice_date: '2026-02-30' },
    { invoice_date: '2026-03-02', due_date: '2026-03-01' },
    { service_from: '2026-03-02', service_to: '2026-03-01' },
    { lines: [{ text: 'A', unit_price: '1', unit: 'Stunde' }] },
    { buyer: { country: 'XX' } },
    { buyer: { email: 'keine' } },
    { buyer: { vat_id: 'DE1' } },
    { buyer_reference: 'zwei\nZeilen' },
  ])('with %#: wrong fields is refused with 400', async (fields) => {
    expect(codeOf(await post(fields))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('names nothing that does not exist or is another firm’s', async () => {
    const other = await newFirm()
    const theirs = billing(other)
    const foreignCase = await theirs.makeCase()
    const { body: foreignParty } = await other.owner('POST', '/api/v1/parties', { body: { name: 'Fremd' } })
    const foreignTime = await theirs.makeTime(foreignCase)
    const draft = await make.makeDraft(caseId)
    const line = { time_entry_id: foreignTime.id }

    expect(codeOf(await post({ case_id: foreignCase }))).toEqual([404, 'CASE_NOT_FOUND'])
    expect(codeOf(await post({ party_id: foreignParty.id }))).toEqual([404, 'PARTY_NOT_FOUND'])
    expect(codeOf(await post({ lines: [line] }))).toEqual([404, 'TIME_ENTRY_NOT_FOUND'])
    expect(codeOf(await patch(draft.id, { case_id: foreignCase }))).toEqual([404, 'CASE_NOT_FOUND'])
    expect(codeOf(await patch(draft.id, { party_id: foreignParty.id }))).toEqual([404, 'PARTY_NOT_FOUND'])
    expect(codeOf(await patch(draft.id, { lines: [line] }))).toEqual([404, 'TIME_ENTRY_NOT_FOUND'])
    expect(codeOf(await other.owner('GET', `${path}/${draft.id}`))).toEqual([404, 'INVOICE_NOT_FOUND'])
    expect(codeOf(await other.owner('POST', `${path}/${draft.id}/issue`))).toEqual([404, 'INVOICE_NOT_FOUND'])
    expect(await make.getInvoice(draft.id)).toEqual(draft)
    expect((await theirs.getTime(foreignTime.id)).invoice_id).toBe(null)
  })

  it('loses all lines if they are set to null', async () => {
    const draft = await make.makeDraft(caseId)

    const changed = await patch(draft.id, { lines: null })

    expect([changed.status, changed.body.lines, changed.body.gross]).toEqual([200, [], '0.00'])
  })

  it('is addressed to its party, also after the party changes, unless another address is given', async () => {
    const party = async (body: object) => (await firm.owner('POST', '/api/v1/parties', { body })).body
    const anna = await party({ name: 'Anna Meier', email: 'anna@example.de' })
    const bert = await party({ name: 'Bert Kaya' })
    const draft = await make.makeDraft(caseId, { party_id: anna.id, buyer: { city: 'Berlin' } })
    const named = await patch(draft.id, { buyer: { name: 'Meier & Co.' } })
    const moved = await patch(draft.id, { party_id: bert.id })
    const nobody = await patch(draft.id, { party_id: null })

    expect(draft.buyer).toMatchObject({ name: 'Anna Meier', email: 'anna@example.de', city: 'Berlin' })
    expect(named.body.buyer).toEqual({ ...draft.buyer, name: 'Meier & Co.' })
    expect(moved.body).toMatchObject({
      party_id: bert.id,
      buyer: { name: 'Bert Kaya', email: null, city: null },
    })
    expect(nobody.body).toMatchObject({ party_id: null, buyer: { name: null } })
  })
})

describe('issuing, paying and cancelling', () => {
  it('gives numbers of the year in order, and never changes an issued invoice', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act, getInvoice } = billing(own)
    const its = await makeCase()
    const [first, second] = [await makeDraft(its), await makeDraft(its)]
    const issued = await act(second.id, 'issue')
    const again = await act(second.id, 'issue')
    const next = await act(first.id, 'issue')
    const changed = await own.owner('PATCH', `${path}/${second.id}`, { body: { due_date: '2099-01-01' } })
    const deleted = await own.owner('DELETE', `${path}/${second.id}`)

    expect(issued.status).toBe(200)
    expect(issued.body).toEqual({
      ...second,
      status: 'issued',
      number: `R-${year()}-0001`,
      service_from: today(),
      service_to: today(),
      issued_at: issued.body.issued_at,
      updated_at: issued.body.issued_at,
    })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([
      200,
      issued.body,
      issued.headers.get('etag'),
    ])
    expect(next.body.number).toBe(`R-${year()}-0002`)
    expect([codeOf(changed), codeOf(deleted)]).toEqual([
      [409, 'INVOICE_NOT_DRAFT'],
      [409, 'INVOICE_NOT_DRAFT'],
    ])
    expect(await getInvoice(second.id)).toEqual(issued.body)
  })

  it('keeps a given date, otherwise uses the day of issue, and is not due before its date', async () => {
    const dated = await make.makeDraft(caseId, { invoice_date: '2025-12-31' })
    const undated = await make.makeDraft(caseId, { invoice_date: '2025-12-31' })
    await patch(undated.id, { invoice_date: null })
    const due = await make.makeDraft(caseId, { invoice_date: '2025-12-30', due_date: '2025-12-31' })
    const late = await patch(due.id, { invoice_date: null })
    const [first, second] = [await make.act(dated.id, 'issue'), await make.act(undated.id, 'issue')]

    expect(first.body.invoice_date).toBe('2025-12-31')
    expect(first.body.number.startsWith(`R-${year()}-`)).toBe(true)
    expect(second.body.invoice_date).toBe(today())
    expect(codeOf(late)).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('shows the first and last day of the services: as given, or of the time entries, or its date (§ 14 UStG)', async () => {
    const entries = [
      await make.makeTime(caseId, { date: '2026-03-20' }),
      await make.makeTime(caseId, { date: '2026-03-02' }),
      await make.makeTime(caseId, { date: '2026-03-09' }),
    ]
    const ofTime = await make.makeDraft(caseId, { lines: entries.map(({ id }) => ({ time_entry_id: id })) })
    const given = await make.makeDraft(caseId, { service_from: '2026-01-01', service_to: '2026-01-31' })
    const begun = await make.makeDraft(caseId, { invoice_date: '2026-05-05', service_from: '2026-04-01' })
    await firm.owner('PATCH', `/api/v1/time-entries/${entries[1].id}`, { body: { date: '2026-03-01' } })
    const service = async (id: string) => {
      const { service_from, service_to } = (await make.act(id, 'issue')).body
      return [service_from, service_to]
    }

    expect(ofTime).toMatchObject({ service_from: null, service_to: null })
    expect(await service(ofTime.id)).toEqual(['2026-03-01', '2026-03-20'])
    expect(await service(given.id)).toEqual(['2026-01-01', '2026-01-31'])
    expect(await service(begun.id)).toEqual(['2026-04-01', '2026-05-05'])
  })

  it('refuses to issue an invoice without lines, and takes no number for it', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act } = billing(own)
    const its = await makeCase()
    const empty = await makeDraft(its, { lines: [] })

    expect(codeOf(await act(empty.id, 'issue'))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await act((await makeDraft(its)).id, 'issue')).body.number).toBe(`R-${year()}-0001`)
  })

  it('refuses to issue an invoice until it names a recipient (§ 14 Abs. 4 Nr. 1 UStG)', async () => {
    const unnamed = await make.makeDraft(caseId, { buyer: { city: 'Neustadt' } })

    const refused = await make.act(unnamed.id, 'issue')
    const party_id = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body.id
    await firm.owner('PATCH', `/api/v1/invoices/${unnamed.id}`, { body: { party_id } })
    const issued = await make.act(unnamed.id, 'issue')

    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'buyer.name', message: expect.any(String) }],
    })
    expect([issued.status, issued.body.status, issued.body.buyer.name]).toEqual([200, 'issued', 'Anna Meier'])
  })

  it('warns if its recipient has another name than the party, until it takes the present one', async () => {
    const party_id = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Anna Alt' } })).body.id
    const ofParty = () => make.makeDraft(caseId, { party_id, buyer: null })
    const [draft, other] = [await ofParty(), await ofParty()]
    await firm.owner('PUT', `/api/v1/parties/${party_id}`, { body: { name: 'Anna Neu' } })

    const read = await make.getInvoice(draft.id)
    const renamed = (await patch(draft.id, { buyer: { name: null } })).body
    const issued = [(await make.act(draft.id, 'issue')).body, (await make.act(other.id, 'issue')).body]

    const warning = expect.stringContaining('„Anna Alt“, der Beteiligte aber „Anna Neu“')
    expect([draft.warnings, read.warnings, renamed.warnings]).toEqual([[], [warning], []])
    expect(issued.map(({ buyer, warnings }) => [buyer.name, warnings])).toEqual([
      ['Anna Neu', []],
      ['Anna Alt', [warning]],
    ])
  })

  it('warns about an invoice that lacks an address, is negative, or taxes a business elsewhere in the EU', async () => {
    const over250 = [{ text: 'Beratung', unit_price: '210.09' }]
    const address = { name: 'Anna Meier', street: 'Weg 1', city: 'Berlin' }
    const draft = await make.makeDraft(caseId, { buyer: { name: 'Anna Meier' }, lines: over250 })
    const issued = (await make.act(draft.id, 'issue')).body
    const warningsOf = async (body: object) => (await make.makeDraft(caseId, body)).warnings

    expect(draft.warnings).toEqual([expect.stringContaining('§ 33 UStDV')])
    expect([issued.warnings, (await make.getInvoice(draft.id)).warnings]).toEqual([
      draft.warnings,
      draft.warnings,
    ])
    const cancelled = (await make.act(draft.id, 'cancel')).body
    expect([cancelled.warnings, (await make.getInvoice(cancelled.cancelled_by)).warnings]).toEqual([[], []])
    // 210.08 with 19 % is 250.00.
    const small = [{ text: 'Beratung', unit_price: '210.08' }]
    expect(await warningsOf({ buyer: { name: 'Anna Meier' }, lines: small })).toEqual([])
    expect(await warningsOf({ buyer: address, lines: over250 })).toEqual([])
    for (const vat_id of ['ATU12345678', 'gr 123456789'])
      expect(await warningsOf({ buyer: { ...address, vat_id }, lines: over250 })).toEqual([
        expect.stringContaining('§ 3a Abs. 2 UStG'),
      ])
    expect(await warningsOf({ lines: [{ text: 'Vorschuss', quantity: '-1', unit_price: '1' }] })).toEqual([
      expect.stringContaining('stornieren'),
    ])
  })

  it('warns until the firm has name, address and tax number (§ 14 Abs. 4 UStG)', async () => {
    const { makeCase, makeDraft, act, getInvoice, setSeller } = billing(await newFirm())
    const its = await makeCase()
    const large = { buyer: { name: 'Anna Meier', street: 'Weg 1', city: 'Berlin' } }
    const lines = [{ text: 'Beratung', unit_price: '210.09' }]
    const [small, draft, other] = [
      await makeDraft(its),
      await makeDraft(its, { ...large, lines }),
      await makeDraft(its, { ...large, lines }),
    ]
    const issued = (await act(draft.id, 'issue')).body
    const warningsOf = () =>
      Promise.all([small, draft, other].map(async ({ id }) => (await getInvoice(id)).warnings))

    const all = await warningsOf()
    await setSeller({ tax_number: null })
    const numberless = await warningsOf()
    await setSeller()

    const warning = (missing: string) => [expect.stringContaining(`Angaben der Kanzlei: ${missing}. Eine`)]
    const ofLarge = warning('Name, Anschrift, Steuernummer oder USt-IdNr')
    expect([small.warnings, draft.warnings, issued.warnings]).toEqual([
      warning('Name, Anschrift'),
      ofLarge,
      ofLarge,
    ])
    expect(all).toEqual([small.warnings, ofLarge, ofLarge])
    const ofNumber = warning('Steuernummer oder USt-IdNr')
    expect(numberless).toEqual([[], ofNumber, ofNumber])
    expect(await warningsOf()).toEqual([[], [], []])
  })

  it('pays only an issued invoice, once', async () => {
    const draft = await make.makeDraft(caseId)
    const early = await make.act(draft.id, 'pay')
    const issued = await make.act(draft.id, 'issue')
    const paid = await make.act(draft.id, 'pay')
    const again = await make.act(draft.id, 'pay')
    const reissued = await make.act(draft.id, 'issue')

    expect(codeOf(early)).toEqual([409, 'INVOICE_NOT_ISSUED'])
    expect(paid.body).toEqual({
      ...issued.body,
      status: 'paid',
      paid_at: paid.body.paid_at,
      updated_at: paid.body.paid_at,
    })
    expect([again.body, reissued.body]).toEqual([paid.body, paid.body])
  })

  it('cancels by a new invoice of negative amounts in the same series, once', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, makeTime, getTime, getInvoice, act, setSeller } = billing(own)
    await setSeller()
    const its = await makeCase()
    const time = await makeTime(its, { minutes: 50, rate: '200' })
    const draft = await makeDraft(its, {
      due_date: '2099-01-01',
      buyer: { name: 'Anna Meier' },
      lines: [{ time_entry_id: time.id }, { text: 'Porto', unit_price: '0.125', tax_rate: '7' }],
    })
    const early = await act(draft.id, 'cancel')
    const issued = await act(draft.id, 'issue')
    const cancelled = await act(draft.id, 'cancel')
    const again = await act(draft.id, 'cancel')
    const by = await getInvoice(cancelled.body.cancelled_by)

    expect(codeOf(early)).toEqual([409, 'INVOICE_NOT_ISSUED'])
    expect(cancelled.body).toEqual({
      ...issued.body,
      status: 'cancelled',
      cancelled_by: by.id,
      updated_at: cancelled.body.updated_at,
    })
    expect(again.body).toEqual(cancelled.body)
    expect(by).toEqual({
      ...issued.body,
      id: by.id,
      number: `R-${year()}-0002`,
      due_date: null,
      lines: [
        { ...issued.body.lines[0], quantity: '-1', net: '-166.67', time_entry_id: null },
        { ...issued.body.lines[1], quantity: '-1', net: '-0.13' },
      ],
      taxes: [
        { tax_rate: '19', net: '-166.67', tax: '-31.67' },
        { tax_rate: '7', net: '-0.13', tax: '-0.01' },
      ],
      net: '-166.80',
      tax: '-31.68',
      gross: '-198.48',
      cancels: draft.id,
      issued_at: by.issued_at,
      created_at: by.issued_at,
      updated_at: by.issued_at,
    })
    expect(codeOf(await act(by.id, 'cancel'))).toEqual([409, 'INVOICE_NOT_ISSUED'])
    expect(codeOf(await act(draft.id, 'pay'))).toEqual([409, 'INVOICE_NOT_ISSUED'])
    expect((await getTime(time.id)).invoice_id).toBe(null)
    const anew = await makeDraft(its, { lines: [{ time_entry_id: time.id }] })
    expect((await getTime(time.id)).invoice_id).toBe(anew.id)
  })

  it('adds one entry each to the timeline of the case, in German', async () => {
    const own = await newFirm()
    const { makeCase, makeDraft, act, getInvoice } = billing(own)
    const its = await makeCase()
    const draft = await makeDraft(its, { lines: [{ text: 'Beratung', unit_price: '1234567.50' }] })
    for (const action of ['issue', 'issue', 'pay', 'pay', 'cancel', 'cancel'] as const)
      await act(draft.id, action)

    const { data } = (await own.owner('GET', `/api/v1/cases/${its}/timeline`)).body

    const by = await getInvoice((await getInvoice(draft.id)).cancelled_by)
    const ref = { type: 'invoice', id: draft.id }
    await act(by.id, 'pay')
    const [returned] = (await own.owner('GET', `/api/v1/cases/${its}/timeline?limit=1`)).body.data
    expect(returned.summary).toBe(`Betrag der Rechnung ${by.number} erstattet: 1.469.135,33 €`)
    expect(data.slice(0, -1)).toMatchObject([
      { type: 'invoice.cancelled', summary: `Rechnung R-${year()}-0001 storniert durch ${by.number}`, ref },
      { type: 'invoice.paid', summary: `Rechnung R-${year()}-0001 über 1.469.135,33 € bezahlt`, ref },
      { type: 'invoice.issued', summary: `Rechnung R-${year()}-0001 über 1.469.135,33 € gestellt`, ref },
    ])
    expect(data[0].actor).toEqual({ type: 'user', id: own.ownerUser.id, name: own.ownerUser.name })
  })

  it('is refused with If-Match of another state', async () => {
    const draft = await make.makeDraft(caseId)
    const headers = { 'If-Match': '"anders"' }
    for (const action of ['issue', 'pay', 'cancel'] as const)
      expect(codeOf(await make.act(draft.id, action, { headers }))).toEqual([412, 'PRECONDITION_FAILED'])
  })
})

describe('a party on an invoice', () => {
  it('cannot be deleted while a draft names it', async () => {
    const { body: party } = await firm.owner('POST', '/api/v1/parties', { body: { name: 'Gebraucht' } })
    const draft = await make.makeDraft(caseId, { party_id: party.id })
    const used = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)
    await patch(draft.id, { party_id: null })
    const free = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)

    expect(codeOf(used)).toEqual([409, 'PARTY_IN_USE'])
    expect(free.status).toBe(204)
  })
})
