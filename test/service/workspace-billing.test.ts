import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const path = '/api/v1/workspace'
const patch = (body: object) => firm.owner('PATCH', path, { body })

const seller = {
  name: 'Vogt & Partner',
  street: 'Lindenstraße 7',
  postcode: '10969',
  city: 'Berlin',
  country: 'DE',
  vat_id: 'DE123456789',
  tax_number: '34/567/89012',
  contact_name: 'Dr. Jana Vogt',
  phone: '+49 30 1234567',
  email: 'rechnung@example.de',
  iban: 'DE02120300000000202051',
}
const datev = {
  consultant: '1001',
  client: '456',
  revenue_account_19: '4400',
  revenue_account_7: '4300',
  revenue_account_0: '4120',
  revenue_account_reverse_charge: '4336',
  debtor_account: '10000',
}
const empty = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, null]))

describe('the seller and the DATEV settings of the workspace (X8)', () => {
  it('are empty at first, change in part, and are cleared by null', async () => {
    const { owner } = await newFirm()
    const change = (body: object) => owner('PATCH', path, { body })
    const first = await owner('GET', path)
    const set = await change({ seller, datev })
    const changed = await change({ seller: { phone: null, city: 'Potsdam' }, datev: { client: '7' } })
    const other = await change({ name: 'Anders' })
    const cleared = await change({ seller: null, datev: null })

    expect(first.body).toMatchObject({ seller: empty(seller), datev: empty(datev) })
    expect(set.body).toEqual({ ...first.body, seller, datev })
    expect(changed.body).toEqual({
      ...first.body,
      seller: { ...seller, phone: null, city: 'Potsdam' },
      datev: { ...datev, client: '7' },
    })
    expect(other.body).toEqual({ ...changed.body, name: 'Anders' })
    expect(cleared.body).toEqual({ ...first.body, name: 'Anders' })
    expect((await owner('GET', path)).body).toEqual(cleared.body)
  })

  it('are stored in their usual form', async () => {
    const { body } = await patch({
      seller: { iban: 'de02 1203 0000 0000 2020 51', vat_id: ' de 123 456 789', country: 'at' },
    })

    expect(body.seller).toMatchObject({ iban: seller.iban, vat_id: seller.vat_id, country: 'AT' })
  })

  it.each([
    { iban: 'DE02120300000000202052' },
    { iban: 'DE0212030000000020205' },
    { iban: 'GB82WEST1234569876543' },
    { iban: '' },
    { vat_id: 'DE12345678' },
    { vat_id: '123456789' },
    { vat_id: 'DE12345678X' },
    { country: 'DEU' },
    { country: 'UK' },
    { country: 'XX' },
    { tax_number: '12/345' },
    { tax_number: 'Finanzamt 1' },
    { email: 'keine adresse' },
    { phone: 'keine' },
    { name: ' ' },
    { street: 'zwei\nZeilen' },
  ])('refuse a seller with %j', async (fields) => {
    const { status, body } = await patch({ seller: fields })

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.details[0].path).toBe(`body.seller.${Object.keys(fields)[0]}`)
  })

  it.each([
    { iban: 'GB82 WEST 1234 5698 7654 32' },
    { iban: 'AT61 1904 3002 3457 3201' },
    { vat_id: 'ATU12345678' },
  ])('take a seller with %j', async (fields) => {
    expect((await patch({ seller: fields })).status).toBe(200)
  })

  it.each([
    { consultant: '100' },
    { consultant: '12345678' },
    { consultant: '0123' },
    { consultant: 1001 },
    { client: '0' },
    { client: '123456' },
    { revenue_account_19: '44' },
    { revenue_account_7: '44oo' },
    { revenue_account_0: '123456789' },
    { revenue_account_reverse_charge: '433' },
    { debtor_account: '1234567890' },
  ])('refuse DATEV settings with %j', async (fields) => {
    const { status, body } = await patch({ datev: fields })

    expect([status, body.error.details[0].path]).toEqual([400, `body.datev.${Object.keys(fields)[0]}`])
  })
})
