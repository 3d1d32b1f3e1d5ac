import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const makeTimeEntry = async ({ firm: { owner }, makeCase }: Given): Promise<string> => {
  const body = { case_id: await makeCase(), date: '2026-03-16', minutes: 90, activity: 'Entwurf' }
  return (await owner('POST', '/api/v1/time-entries', { body })).body.id
}

const makeInvoice = async ({ firm: { owner }, makeCase }: Given): Promise<string> => {
  const lines = [{ text: 'Beratung', unit_price: '190.00' }]
  const body = { case_id: await makeCase(), buyer: { name: 'Anna Meier' }, lines }
  return (await owner('POST', '/api/v1/invoices', { body })).body.id
}

const aTimeEntry: Fixture = async (given) => ({ params: { id: await makeTimeEntry(given) } })
const aDraft: Fixture = async (given) => ({ params: { id: await makeInvoice(given) } })
const anIssuedInvoice: Fixture = async (given) => {
  const id = await makeInvoice(given)
  await given.firm.owner('POST', `/api/v1/invoices/${id}/issue`)
  return { params: { id } }
}

export const fixtures: Fixtures<typeof endpoints> = {
  createTimeEntry: async ({ makeCase }) => ({ body: { case_id: await makeCase() } }),
  getTimeEntry: aTimeEntry,
  updateTimeEntry: aTimeEntry,
  deleteTimeEntry: aTimeEntry,
  createInvoice: async ({ makeCase, makeParty }) => ({
    body: { case_id: await makeCase(), party_id: await makeParty() },
  }),
  getInvoice: aDraft,
  updateInvoice: aDraft,
  deleteInvoice: aDraft,
  issueInvoice: aDraft,
  payInvoice: anIssuedInvoice,
  cancelInvoice: anIssuedInvoice,
  getInvoiceXrechnung: async ({ firm: { owner }, makeCase }) => {
    const address = {
      street: 'Weg 1',
      postcode: '10115',
      city: 'Berlin',
      country: 'DE',
      email: 'a@example.de',
    }
    const contact = { contact_name: 'Dr. Jana Vogt', phone: '+49 30 123', iban: 'DE02120300000000202051' }
    const seller = { name: 'Kanzlei Vogt', vat_id: 'DE123456789', ...address, ...contact }
    await owner('PATCH', '/api/v1/workspace', { body: { seller } })
    const lines = [{ text: 'Beratung', unit_price: '190.00' }]
    const buyer = { name: 'Anna Meier', ...address }
    const body = { case_id: await makeCase(), buyer, buyer_reference: '991-01234-44', lines }
    const { id } = (await owner('POST', '/api/v1/invoices', { body })).body
    await owner('POST', `/api/v1/invoices/${id}/issue`)
    return { params: { id } }
  },
}
