import { expect, it } from 'vitest'
import type { DatevSettings } from '#billing/firm-schema.ts'
import type { InvoiceTax } from '#billing/schema.ts'
import type { BookableInvoice } from '#exports/booking-ports.ts'
import { datevExport } from '#invoicing/datev-export.ts'
import { systemClock } from '#kernel/clock.ts'
import fc from '#test/support/properties.ts'
import { bookingsOf, faultsOfBatch, linesOf } from './datev-judge.ts'

const settings: DatevSettings = {
  consultant: '29098',
  client: '55003',
  revenue_account_19: '4400',
  revenue_account_7: '4300',
  revenue_account_0: '4200',
  revenue_account_reverse_charge: '4336',
  debtor_account: '10000',
}

const at19: InvoiceTax = { tax_rate: '19', net: '300.00', tax: '57.00' }
const at7: InvoiceTax = { tax_rate: '7', net: '99.99', tax: '7.00' }
const at0: InvoiceTax = { tax_rate: '0', net: '1234.50', tax: '0.00' }

it('each tax rate of an invoice is booked with its gross amount from the debtor account to the account of the rate', async () => {
  const file = await fileOf([[invoiceOf({ taxes: [at19, at7, at0] })]])

  const booked = bookingsOf(file).map(({ amount, side, account, contra, key }) => [
    amount,
    side,
    account,
    contra,
    key,
  ])
  expect(booked).toEqual([
    ['357,00', 'S', '10000', '4400', ''],
    ['106,99', 'S', '10000', '4300', ''],
    ['1234,50', 'S', '10000', '4200', ''],
  ])
})

it.each<
  [
    title: string,
    buyer_vat_id: string | null,
    taxes: InvoiceTax[],
    account: string | null,
    booked: string[][],
  ]
>([
  ['to a business in another country of the EU', 'ATU12345678', [at0], '4336', [['4336', 'ATU12345678']]],
  ['of a firm without an account for reverse charge', 'ATU12345678', [at0], null, [['4200', '']]],
  ['to a business in Germany', 'DE123456789', [at0], '4336', [['4200', '']]],
  [
    'with expenses beside taxed fees, to a business in another country of the EU',
    'ATU12345678',
    [at19, at0],
    '4336',
    [
      ['4400', ''],
      ['4200', ''],
    ],
  ],
])('the account for reverse charge is used only if it is set and the recipient owes the tax: an invoice %s', async (...given) => {
  const [, buyer_vat_id, taxes, revenue_account_reverse_charge, expected] = given
  const file = await fileOf([[invoiceOf({ buyer_vat_id, taxes })]], {
    settings: { ...settings, revenue_account_reverse_charge },
  })

  expect(bookingsOf(file).map(({ contra, vatId }) => [contra, vatId])).toEqual(expected)
  expect(faultsOfBatch(file)).toEqual([])
})

it('a booking has the date, number, text and due date of its invoice', async () => {
  const file = await fileOf([[invoiceOf({})]])

  const [booking] = bookingsOf(file)
  expect(booking).toMatchObject({
    day: '2011',
    number: 'R-2026-0001',
    text: 'Honorar 12/26 Müller GmbH',
    due: '04122026',
    finalized: '0',
  })
})

it('a cancellation is booked on the other side with a positive amount, so that both bookings add up to zero', async () => {
  const negative = { tax_rate: '19', net: '-300.00', tax: '-57.00' }
  const cancelled = invoiceOf({ status: 'cancelled' })
  const cancellation = invoiceOf({
    number: 'R-2026-0002',
    cancels: 'first',
    taxes: [negative],
    due_date: null,
  })

  const file = await fileOf([[cancelled], [cancellation]])

  const booked = bookingsOf(file)
  expect(booked.map(({ amount, side, text }) => [amount, side, text])).toEqual([
    ['357,00', 'S', 'Honorar 12/26 Müller GmbH'],
    ['357,00', 'H', 'Storno 12/26 Müller GmbH'],
  ])
  expect(balanceInCents(booked)).toBe(0)
  expect(faultsOfBatch(file)).toEqual([])
})

it('drafts, and rates whose amount is zero, are not booked', async () => {
  const nothing = { tax_rate: '7', net: '0.00', tax: '0.00' }
  const draft = invoiceOf({ number: null, status: 'draft' })

  const file = await fileOf([[draft, invoiceOf({ taxes: [at19, nothing] })]])

  expect(bookingsOf(file).map(({ amount }) => amount)).toEqual(['357,00'])
})

it('the header has the client, the fiscal year, the length of accounts and the period', async () => {
  const period = { from: '2026-03-01', to: '2026-03-31' }
  const createdAt = new Date('2026-04-01T22:30:05.070Z')

  const file = await fileOf([], { period, createdAt })

  expect(linesOf(file)[0]).toBe(
    '"EXTF";700;21;"Buchungsstapel";13;20260402003005070;;"RE";"";"";29098;55003;20260101;4;20260301;20260331;' +
      '"Rechnungen 01.03.-31.03.";"";1;0;0;"EUR";;"";;;"";;;"";""',
  )
  expect(faultsOfBatch(file)).toEqual([])
})

it('text is encoded in Windows-1252: letters outside it lose their accents, other characters become question marks', async () => {
  const file = await fileOf([[invoiceOf({ buyer_name: 'Łukasz Kovačević – „Žena“ € 😀 日' })]])

  expect(bookingsOf(file)[0]?.text).toBe('Honorar 12/26 Lukasz Kovacevic – „Žena“ € ? ?')
  expect(file.includes(0x80)).toBe(true)
})

it.each([
  ['GROẞMANN', 'GROSSMANN'],
  ['Müller\u2011Lüdenscheidt', 'Müller-Lüdenscheidt'],
  // Combining accents that form no composed letter.
  ['J\u030ciri L\u0303', 'Jiri L'],
])('a name stays legible: %s becomes %s', async (buyer_name, name) => {
  const file = await fileOf([[invoiceOf({ buyer_name })]])

  expect(bookingsOf(file)[0]?.text).toBe(`Honorar 12/26 ${name}`)
})

it('a text is cut at 60 characters', async () => {
  const file = await fileOf([[invoiceOf({ buyer_name: 'ß'.repeat(100) })]])

  expect(bookingsOf(file)[0]?.text).toBe(`Honorar 12/26 ${'ß'.repeat(46)}`)
  expect(faultsOfBatch(file)).toEqual([])
})

it('a text does not begin like a formula of a spreadsheet', async () => {
  const file = await fileOf([[invoiceOf({ file_number: null, buyer_name: '=1+1' })]])

  expect(bookingsOf(file)[0]?.text).toBe('Honorar =1+1')
})

it('for any clients and amounts, the file has the published format, and all amounts are exact to the cent', async () => {
  const cents = fc.integer({ min: -499_999_999_999, max: 499_999_999_999 })
  const tax = fc.record({ tax_rate: fc.constantFrom('19', '7', '0'), net: cents, tax: cents })
  const someInvoice = fc.record({
    day: fc.integer({ min: 1, max: 28 }),
    buyer_name: fc.option(fc.string({ unit: 'binary', maxLength: 80 })),
    file_number: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })),
    taxes: fc.array(tax, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(someInvoice, { maxLength: 5 }), { maxLength: 4 }), async (given) => {
      const batches = given.map((batch) =>
        batch.map(({ day, taxes, ...names }) =>
          invoiceOf({
            ...names,
            invoice_date: `2026-11-${String(day).padStart(2, '0')}`,
            taxes: taxes.map((one) => ({ ...one, net: euros(one.net), tax: euros(one.tax) })),
          }),
        ),
      )
      const file = await fileOf(batches)
      expect(faultsOfBatch(file)).toEqual([])
      const total = given
        .flat()
        .flatMap(({ taxes }) => taxes)
        .reduce((sum, one) => sum + one.net + one.tax, 0)
      expect(balanceInCents(bookingsOf(file))).toBe(total)
    }),
    { numRuns: 40 },
  )
})

it('rows are counted when they are written, and the next invoices are read only when the caller has taken the bookings of those before', async () => {
  let read = 0
  let written = 0
  async function* batches() {
    for (; read < 1_000; read += 1) yield [invoiceOf({ taxes: [at19, at7] })]
  }
  const onRow = () => {
    written += 1
  }
  const parts = datevExport.write(batch(), batches(), { time_zone: 'Europe/Berlin', onRow })

  const iterator = parts[Symbol.asyncIterator]()
  for (let taken = 0; taken < 3; taken += 1) await iterator.next()
  await iterator.return?.()

  expect(read).toBeLessThan(4)
  expect(written).toBe(4)
})

it('writing fails if the invoices cannot be read', async () => {
  async function* broken(): AsyncGenerator<BookableInvoice[]> {
    yield [invoiceOf({})]
    throw new Error('The table cannot be read.')
  }

  const parts = datevExport.write(batch(), broken(), { time_zone: 'Europe/Berlin' })

  await expect(bytesOf(parts)).rejects.toThrow('The table cannot be read.')
})

it.each([
  ['in another year', invoiceOf({ invoice_date: '2025-12-31' })],
  ['above what DATEV can book', invoiceOf({ taxes: [{ ...at19, net: '10000000000.00' }] })],
  ['at a rate without an account', invoiceOf({ taxes: [{ ...at19, tax_rate: '16' }] })],
])('writing fails for an invoice %s', async (_, invoice) => {
  const parts = datevExport.write(batch(), inBatches([[invoice]]), { time_zone: 'Europe/Berlin' })

  await expect(parts[Symbol.asyncIterator]().next()).rejects.toThrow(RangeError)
})

it('each missing setting that DATEV needs is named', () => {
  const nothing = Object.fromEntries(Object.keys(settings).map((key) => [key, null])) as DatevSettings

  const paths = datevExport.missingSettings(nothing).map(({ path }) => path)

  const optional = 'revenue_account_reverse_charge'
  const needed = Object.keys(settings).filter((key) => key !== optional)
  expect(paths).toEqual(needed.map((key) => `datev.${key}`))
  expect(datevExport.missingSettings(settings)).toEqual([])
})

it.each<[keyof DatevSettings, string]>([
  ['consultant', '1000'],
  ['consultant', '12345678'],
  ['client', '0'],
  ['client', '123456'],
  ['revenue_account_19', '440'],
  ['revenue_account_7', '43000'],
  ['revenue_account_0', '0000'],
  ['revenue_account_reverse_charge', '43360'],
  ['debtor_account', '1000000'],
  ['debtor_account', '10a00'],
])('the settings are refused if %s is %s', (field, value) => {
  const paths = datevExport.missingSettings({ ...settings, [field]: value }).map(({ path }) => path)

  expect(paths).toContain(`datev.${field}`)
})

it.each([
  ['357,00', '357.00'],
  ['357,00', '-357,00'],
  ['357,00', '0,00'],
  ['"S"', 'S'],
  [';2011;', ';3211;'],
  [';20261231;', ';20261119;'],
  ['"R-2026-0001"', '"R 2026 0001"'],
  ['Honorar', 'H'.repeat(61)],
  ['Honorar', 'Hono"rar'],
  ['Honorar', 'Hono\trar'],
  [';700;', ';510;'],
  ['"";""\r\n', '""\r\n'],
  [';4400;', ';;'],
])('the checker of these tests refuses a file with %j replaced by %j', async (right, wrong) => {
  const file = Buffer.from(await fileOf([[invoiceOf({})]])).toString('latin1')

  const broken = file.replace(right, wrong)

  expect(faultsOfBatch(Buffer.from(file, 'latin1'))).toEqual([])
  expect(faultsOfBatch(Buffer.from(broken, 'latin1'))).toHaveLength(1)
})

function invoiceOf(given: Partial<BookableInvoice>): BookableInvoice {
  return {
    number: 'R-2026-0001',
    status: 'issued',
    invoice_date: '2026-11-20',
    due_date: '2026-12-04',
    cancels: null,
    file_number: '12/26',
    buyer_name: 'Müller GmbH',
    buyer_vat_id: null,
    taxes: [at19],
    ...given,
  }
}

type Batch = Parameters<typeof datevExport.write>[0]

function batch(given: Partial<Batch> = {}): Batch {
  return {
    settings,
    period: { from: '2026-01-01', to: '2026-12-31' },
    createdAt: systemClock.now(),
    ...given,
  }
}

function fileOf(batches: BookableInvoice[][], given: Partial<Batch> = {}): Promise<Uint8Array> {
  return bytesOf(datevExport.write(batch(given), inBatches(batches), { time_zone: 'Europe/Berlin' }))
}

async function* inBatches(batches: BookableInvoice[][]): AsyncGenerator<BookableInvoice[]> {
  yield* batches
}

async function bytesOf(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const collected: Uint8Array[] = []
  for await (const part of parts) collected.push(part)
  return Buffer.concat(collected)
}

function balanceInCents(bookings: { amount: string; side: string }[]): number {
  return bookings.reduce((sum, { amount, side }) => {
    const cents = Number(amount.replace(',', ''))
    return sum + (side === 'S' ? cents : -cents)
  }, 0)
}

function euros(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
