import type { PartyKey } from './demo-cases.ts'

/** The data of the first workspace on its invoices, and the numbers under which DATEV books them. */
export const billingSettings = {
  seller: {
    name: 'Kanzlei Lindner & Partner',
    street: 'Maximilianstraße 12',
    postcode: '80539',
    city: 'München',
    country: 'DE',
    vat_id: 'DE123456789',
    tax_number: '143/123/45678',
    contact_name: 'Dr. Katharina Lindner',
    phone: '+49 89 99998 100',
    email: 'rechnung@kanzlei-lindner.example',
    iban: 'DE02120300000000202051',
  },
  datev: {
    consultant: '29098',
    client: '55003',
    revenue_account_19: '4400',
    revenue_account_7: '4300',
    revenue_account_0: '4200',
    debtor_account: '10000',
  },
}

type DemoTime = {
  /** The index of its case in `cases`. */
  case: number
  staff: 'owner' | 'colleague'
  /** A date, or a number of days ago. */
  on: string | number
  minutes: number
  activity: string
  rate: string
  billable?: false
}

/** Time entries of the first workspace. The billable entries of the invoice's case are on the invoice. */
export const timeEntries: readonly DemoTime[] = [
  {
    case: 2,
    staff: 'owner',
    on: 9,
    minutes: 150,
    activity: 'Durchsicht der Abnahmeprotokolle, Entwurf der Klageschrift',
    rate: '280.00',
  },
  {
    case: 2,
    staff: 'colleague',
    on: 8,
    minutes: 50,
    activity: 'Recherche zum Rücktritt nach gescheiterter Abnahme',
    rate: '210.00',
  },
  {
    case: 2,
    staff: 'owner',
    on: 7,
    minutes: 20,
    activity: 'Interne Besprechung',
    rate: '280.00',
    billable: false,
  },
  {
    case: 5,
    staff: 'owner',
    on: 2,
    minutes: 35,
    activity: 'Telefonat mit der Mandantin zum Mietspiegel',
    rate: '240.00',
  },
  // The example in the API description needs this: a month in the past.
  {
    case: 12,
    staff: 'owner',
    on: '2026-03-16',
    minutes: 90,
    activity: 'Prüfung des Kaufvertrags',
    rate: '250.00',
  },
]

/** A complete invoice of the first workspace that is not issued yet. */
export const draftInvoice: {
  case: number
  party: PartyKey
  dueInDays: number
  buyer: object
  buyer_reference: string
  lines: readonly object[]
} = {
  case: 12,
  party: 'meier',
  dueInDays: 21,
  buyer: {
    street: 'Lindenstraße 7',
    postcode: '80339',
    city: 'München',
    country: 'DE',
    email: 'anna.meier@example.com',
  },
  buyer_reference: 'Kaufpreis',
  lines: [{ text: 'Entwurf der Klageschrift', quantity: '1.5', unit: 'hour', unit_price: '250.00' }],
}

/** The issued invoice of the first workspace. It is complete, so that it can be fetched as XRechnung. */
export const invoice: {
  case: number
  party: PartyKey
  dueInDays: number
  buyer: object
  buyer_reference: string
  expenses: object
} = {
  case: 2,
  party: 'donauTechnik',
  dueInDays: 14,
  buyer: {
    street: 'Hafenweg 11',
    postcode: '93055',
    city: 'Regensburg',
    country: 'DE',
    email: 'rechnung@donau-medtec.example',
  },
  buyer_reference: 'DM-4711',
  expenses: { text: 'Verauslagte Gerichtskosten', unit_price: '1146.00', tax_rate: '0' },
}
