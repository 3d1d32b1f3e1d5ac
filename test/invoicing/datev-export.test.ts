import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import type { DatevSettings } from '#billing/schema.ts'
import type { BookableInvoice } from '#exports/booking-ports.ts'
import { datevExport } from '#invoicing/datev-export.ts'

const settings: DatevSettings = {
  consultant: '29098',
  client: '55003',
  revenue_account_19: '4400',
  revenue_account_7: '4300',
  revenue_account_0: '4200',
  debtor_account: '10000',
}

it('every rate of an invoice is booked from the debtor to the revenue account', async () => {
  const invoice = {
    ...first,
    taxes: [
      { tax_rate: '19', net: '300.00', tax: '57.00' },
      { tax_rate: '0', net: '1234.50', tax: '0.00' },
    ],
  }

  const [, , ...bookings] = await linesOf([[invoice]])

  expect(bookings.map((line) => line.slice(0, 92))).toEqual(
    [
      '357,00;"S";"EUR";;;"";10000;4400;"";2011;"R-2026-0001";"";;"Honorar 12/26 Müller GmbH";;"";;',
      '1234,50;"S";"EUR";;;"";10000;4200;"";2011;"R-2026-0001";"";;"Honorar 12/26 Müller GmbH";;"";;',
    ].map((line) => line.slice(0, 92)),
  )
})

const first: BookableInvoice = {
  number: 'R-2026-0001',
  status: 'issued',
  invoice_date: '2026-11-20',
  due_date: '2026-12-04',
  cancels: null,
  file_number: '12/26',
  party_name: 'Müller GmbH',
  taxes: [],
}

async function linesOf(batches: BookableInvoice[][]): Promise<string[]> {
  const batch = { settings, period: { from: '2026-01-01', to: '2026-12-31' }, createdAt: new Date() }
  const parts: Uint8Array[] = []
  for await (const part of datevExport.write(batch, inBatches(batches), { time_zone: 'Europe/Berlin' }))
    parts.push(part)
  return iconv.decode(Buffer.concat(parts), 'win1252').split('\r\n').slice(0, -1)
}

async function* inBatches(batches: BookableInvoice[][]): AsyncGenerator<BookableInvoice[]> {
  yield* batches
}
