import type { Column, ExportSourceName } from './table-schema.ts'

/** The type of a filter's value: a day, one of some values, a label, an id of this kind, or a boolean. */
export type FilterForm =
  | { form: 'day' | 'label' | 'boolean' }
  | { form: 'value'; values: readonly string[] }
  | { form: 'id'; kind: 'case' | 'party' | 'user' | 'folder' }

/** A source of exports: its fields in the order of the default columns, and its filters (X1). */
export type SourceDefinition = {
  fields: readonly Column[]
  filters: Readonly<Record<string, FilterForm>>
}

const day = { form: 'day' } as const
const days = { date_from: day, date_to: day }
const label = { form: 'label' } as const
const values = (...given: readonly string[]) => ({ form: 'value', values: given }) as const
const id = (kind: 'case' | 'party' | 'user' | 'folder') => ({ form: 'id', kind }) as const

const text = (field: string, name: string): Column => ({ field, label: name, type: 'text' })
const moment = (field: string, name: string): Column => ({ field, label: name, type: 'timestamp' })
const date = (field: string, name: string): Column => ({ field, label: name, type: 'date' })
const amount = (field: string, name: string): Column => ({ field, label: name, type: 'amount' })
const number = (field: string, name: string): Column => ({ field, label: name, type: 'number' })

const ownId = text('id', 'ID')
const createdAt = moment('created_at', 'Angelegt am')
const updatedAt = moment('updated_at', 'Geändert am')
const caseId = text('case_id', 'Akte (ID)')
const fileNumber = text('file_number', 'Aktenzeichen')
const caseName = text('case_name', 'Akte')
const status = text('status', 'Status')

/** The six sources with their fields, German labels and filters (X1). */
export const sources: Readonly<Record<ExportSourceName, SourceDefinition>> = {
  invoices: {
    fields: [
      text('number', 'Rechnungsnummer'),
      status,
      date('invoice_date', 'Rechnungsdatum'),
      date('due_date', 'Fällig am'),
      caseId,
      fileNumber,
      text('party_id', 'Empfänger (ID)'),
      text('party_name', 'Empfänger'),
      amount('net', 'Netto'),
      amount('tax', 'Umsatzsteuer'),
      amount('gross', 'Brutto'),
      text('currency', 'Währung'),
      moment('paid_at', 'Bezahlt am'),
      text('cancels', 'Storniert Rechnung (ID)'),
      text('cancelled_by', 'Storniert durch (ID)'),
      ownId,
      createdAt,
    ],
    filters: {
      ...days,
      status: values('draft', 'issued', 'paid', 'cancelled'),
      case_id: id('case'),
      party_id: id('party'),
    },
  },
  time_entries: {
    fields: [
      date('date', 'Datum'),
      number('minutes', 'Minuten'),
      text('activity', 'Tätigkeit'),
      { field: 'billable', label: 'Abrechenbar', type: 'boolean' },
      { field: 'rate', label: 'Stundensatz', type: 'decimal' },
      amount('amount', 'Betrag'),
      text('user_id', 'Bearbeitet von (ID)'),
      text('user_name', 'Bearbeitet von'),
      caseId,
      fileNumber,
      caseName,
      text('invoice_id', 'Rechnung (ID)'),
      ownId,
      createdAt,
    ],
    filters: { ...days, user_id: id('user'), case_id: id('case'), billable: { form: 'boolean' } },
  },
  cases: {
    fields: [
      fileNumber,
      text('name', 'Bezeichnung'),
      status,
      text('type', 'Art'),
      text('dezernat', 'Dezernat'),
      text('description', 'Beschreibung'),
      ownId,
      createdAt,
      updatedAt,
    ],
    filters: { status: values('active', 'closed', 'archived'), type: label, dezernat: label, ...days },
  },
  parties: {
    fields: [
      text('name', 'Name'),
      text('type', 'Art'),
      text('email', 'E-Mail'),
      text('phone', 'Telefon'),
      text('address', 'Anschrift'),
      ownId,
      createdAt,
      updatedAt,
    ],
    filters: { type: values('person', 'organization'), ...days },
  },
  documents: {
    fields: [
      text('filename', 'Dateiname'),
      text('mime_type', 'Dateityp'),
      number('size_bytes', 'Größe in Bytes'),
      status,
      caseId,
      fileNumber,
      text('folder_id', 'Ordner (ID)'),
      text('folder_name', 'Ordner'),
      number('page_count', 'Seiten'),
      text('source', 'Herkunft'),
      text('sha256', 'SHA-256'),
      ownId,
      createdAt,
      updatedAt,
    ],
    filters: { ...days, case_id: id('case'), folder_id: id('folder') },
  },
  deadlines: {
    fields: [
      text('title', 'Bezeichnung'),
      text('frist_type', 'Fristart'),
      moment('due_at', 'Fällig am'),
      status,
      { field: 'overdue', label: 'Überfällig', type: 'boolean' },
      text('category', 'Kategorie'),
      caseId,
      fileNumber,
      caseName,
      text('assigned_to', 'Zuständig (ID)'),
      text('assigned_to_name', 'Zuständig'),
      text('verified_by', 'Geprüft von (ID)'),
      text('verified_by_name', 'Geprüft von'),
      moment('verified_at', 'Geprüft am'),
      text('completed_by', 'Erledigt von (ID)'),
      text('completed_by_name', 'Erledigt von'),
      moment('completed_at', 'Erledigt am'),
      text('evidence', 'Nachweis'),
      moment('receipt_at', 'Eingangsbestätigung vom'),
      text('exit_control_by', 'Ausgangskontrolle von (ID)'),
      text('exit_control_by_name', 'Ausgangskontrolle von'),
      moment('exit_control_at', 'Ausgangskontrolle am'),
      text('extension', 'Verlängerung'),
      moment('requested_until', 'Verlängerung beantragt bis'),
      text('provisional_for', 'Vorläufig für (ID)'),
      text('preset', 'Fristvorlage'),
      text('statute', 'Vorschrift'),
      date('event_date', 'Ereignis'),
      date('posted_on', 'Zur Post gegeben'),
      date('pronounced_on', 'Verkündet'),
      date('calculated_date', 'Gerechnetes Ende'),
      date('due_date', 'Fristende'),
      text('region', 'Feiertage'),
      text('steps', 'Berechnung'),
      ownId,
      createdAt,
    ],
    filters: {
      ...days,
      status: values('pending', 'verified', 'expired', 'completed'),
      case_id: id('case'),
    },
  },
}
