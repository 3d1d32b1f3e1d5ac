import type { Firm } from './firm.ts'

/** Makes cases, time entries and invoices in a firm, and reads them. */
export function billing({ owner }: Pick<Firm, 'owner'>) {
  const created = async (path: string, body: object) => {
    const answer = await owner('POST', path, { body })
    if (answer.status !== 201)
      throw new Error(`POST ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const makeCase = async (): Promise<string> =>
    (await created('/api/v1/cases', { name: 'Meier ./. Schulze' })).id
  return {
    makeCase,
    /** A time entry of an hour at 200 EUR, unless `fields` say otherwise. */
    makeTime: (case_id: string, fields: object = {}) =>
      created('/api/v1/time-entries', {
        case_id,
        date: '2026-03-16',
        minutes: 60,
        activity: 'Schriftsatz',
        rate: '200.00',
        ...fields,
      }),
    /** A draft to Anna Meier with one line of 100 EUR, unless `fields` say otherwise. */
    makeDraft: (case_id: string, fields: object = {}) =>
      created('/api/v1/invoices', {
        case_id,
        buyer: { name: 'Anna Meier' },
        lines: [{ text: 'Beratung', unit_price: '100.00' }],
        ...fields,
      }),
    getTime: async (id: string) => (await owner('GET', `/api/v1/time-entries/${id}`)).body,
    getInvoice: async (id: string) => (await owner('GET', `/api/v1/invoices/${id}`)).body,
    /** Sets what an invoice must name of the firm (§ 14 Abs. 4 UStG). */
    setSeller: (fields: object = {}) => {
      const seller = { name: 'Kanzlei Vogt', street: 'Weg 1', city: 'Berlin', tax_number: '12/345/67890' }
      return owner('PATCH', '/api/v1/workspace', { body: { seller: { ...seller, ...fields } } })
    },
    /** Issues, pays or cancels an invoice. */
    act: (id: string, action: 'issue' | 'pay' | 'cancel', send = {}) =>
      owner('POST', `/api/v1/invoices/${id}/${action}`, send),
  }
}
