import { namedEvidence } from '#bea/messages/naming.ts'
import type { InvoiceRecord, TimeEntryRecord } from '#billing/ports.ts'
import type { CaseRecord } from '#cases/ports.ts'
import type { DeadlineRecord } from '#deadlines/ports.ts'
import { deadlineCells } from '#deadlines/table-cells.ts'
import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { RowSource, SourceFilters } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { type IdKind, idPrefixes, newId, timeOf, uuidv7At } from '#kernel/id.ts'
import type { PartyRecord } from '#parties/ports.ts'
import { writeAll } from '#store/batch.ts'
import { invoiceLists } from '#store/billing/invoice-lists.ts'
import { timeEntryLists } from '#store/billing/time-entry-lists.ts'
import { stamped } from '#store/change-log.ts'
import type { Db } from '#store/db.ts'
import { dueLists } from '#store/deadlines/due-lists.ts'
import { rowSources } from '#store/exports/row-sources.ts'
import { folderStore } from '#store/folders/folder-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { type Action, transact } from '#store/transact.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { caseChange, plain } from '#test/support/store-changes.ts'
import { envelopeStores } from './envelope-stores.ts'
import { entry, storeDeps } from './mail-stores.ts'

/** A new id for a time. */
export function idAt(kind: IdKind, moment: string): string {
  const random = newId('job').slice(-20)
  return `${idPrefixes[kind]}${uuidv7At(Date.parse(moment)).slice(0, 16)}${random.slice(1, 4)}${random.slice(4)}`
}

/** A firm in this table whose records the export sources read; each record is created at the time of its id. */
export function exportFirm(db: Db) {
  const workspace_id = newId('workspace')
  const deps = storeDeps(db)
  const { cases, documents } = envelopeStores(db)
  const parties = partyStore(deps)
  const folders = folderStore(deps)
  const lists = dueLists(db)
  const invoices = invoiceLists(db)
  const timeEntries = timeEntryLists(db)
  const sources = rowSources({ db, deadlineCells, nameOfMessage: namedEvidence })

  return {
    workspace_id,
    cases,
    parties,
    documents,
    sources,

    /** All rows of a source. */
    rows: (source: keyof typeof sources, query: Partial<Asked> = {}): Promise<Row[]> =>
      collected(sources[source](asked(query))),

    /** The batches of a source, as they are read. */
    batches: (source: keyof typeof sources, query: Partial<Asked> = {}) => sources[source](asked(query)),

    addUser: async (name: string): Promise<string> => {
      const id = newId('user')
      const created_at = systemClock.now().toISOString()
      await userStore(deps).add(
        plain({
          workspace_id,
          id,
          name,
          email: 'ra@vogt.de',
          signature_html: null,
          active: true,
          created_at,
          version: 1,
        }),
      )
      return id
    },

    addFolder: async (name: string): Promise<string> => {
      const id = newId('folder')
      const created_at = systemClock.now().toISOString()
      await folders.add(
        plain({
          workspace_id,
          id,
          name,
          parent_id: null,
          case_id: null,
          created_at,
          version: 1,
          closed_until: null,
        }),
      )
      return id
    },

    addCase: async (changes: Partial<CaseRecord> = {}): Promise<CaseRecord> => {
      const id = changes.id ?? newId('case')
      const created_at = timeOf(id).toISOString()
      const record = {
        workspace_id,
        id,
        name: 'Müller ./. Becker',
        file_number: `${id.slice(-6)}/26`,
        status: 'active' as const,
        type: null,
        description: null,
        dezernat: null,
        closed_at: null,
        holds: null,
        parties: [],
        staff: [],
        created_at,
        updated_at: created_at,
        version: 1,
        ...changes,
      }
      await cases.add(record, (added) => caseChange(added, entry('case.created')))
      return record
    },

    addParty: async (changes: Partial<PartyRecord> = {}): Promise<PartyRecord> => {
      const id = changes.id ?? newId('party')
      const created_at = timeOf(id).toISOString()
      const record = {
        workspace_id,
        id,
        type: 'person' as const,
        name: 'Jörg Größl',
        email: null,
        phone: null,
        address: null,
        created_at,
        updated_at: created_at,
        version: 1,
        ...changes,
      }
      await parties.add(plain(record))
      return record
    },

    addDocument: async (changes: Partial<DocumentRecord> = {}): Promise<DocumentRecord> => {
      const record = newRecord(systemClock, workspace_id, {
        filename: 'Klageschrift.pdf',
        mime_type: 'application/pdf',
        size_bytes: 1_024,
        sha256: hexDigest(newId('document')),
        source: 'upload',
        ...changes,
      })
      await documents.add([{ record }], undefined)
      return record
    },

    /** Files deadlines in the lists by due time, as their store does. */
    addDeadlines: (records: DeadlineRecord[]): Promise<void> =>
      putAll(
        db,
        records.flatMap((record) => lists.changes(undefined, stamped(record))),
      ),

    /** Changes a deadline in the lists by due time, as its store does. */
    changeDeadline: async (before: DeadlineRecord, changes: Partial<DeadlineRecord>) => {
      const after = { ...before, ...changes }
      await transact(db, lists.changes(before, stamped(after, before)))
      return after
    },

    addInvoices: (records: InvoiceRecord[]): Promise<void> =>
      putAll(
        db,
        records.flatMap((record) => invoices.changes(undefined, record)),
      ),

    changeInvoice: (before: InvoiceRecord, changes: Partial<InvoiceRecord>): Promise<void> =>
      transact(db, invoices.changes(before, { ...before, ...changes })),

    anInvoice: (changes: Partial<InvoiceRecord> = {}): InvoiceRecord => {
      const id = newId('invoice')
      const created_at = timeOf(id).toISOString()
      const nobody = { name: null, street: null, postcode: null, city: null, country: null }
      return {
        workspace_id,
        id,
        number: null,
        basis: null,
        case_id: newId('case'),
        party_id: null,
        status: 'draft',
        invoice_date: '2026-05-01',
        due_date: null,
        service_from: null,
        service_to: null,
        buyer: { ...nobody, email: null, vat_id: null },
        buyer_reference: null,
        lines: [],
        taxes: [{ tax_rate: '19', net: '100.00', tax: '19.00' }],
        net: '100.00',
        tax: '19.00',
        gross: '119.00',
        currency: 'EUR',
        cancels: null,
        cancelled_by: null,
        issued_at: null,
        paid_at: null,
        created_at,
        updated_at: created_at,
        has_given_date: true,
        seller: null,
        deleted_at: null,
        version: 1,
        ...changes,
      }
    },

    addTimeEntries: (records: TimeEntryRecord[]): Promise<void> =>
      putAll(
        db,
        records.flatMap((record) => timeEntries.changes(undefined, record)),
      ),

    aTimeEntry: (changes: Partial<TimeEntryRecord> = {}): TimeEntryRecord => {
      const id = newId('timeEntry')
      return {
        workspace_id,
        id,
        case_id: newId('case'),
        user_id: newId('user'),
        date: '2026-05-01',
        minutes: 90,
        activity: 'Telefonat',
        billable: true,
        rate: '250.00',
        amount: '375.00',
        invoice_id: null,
        created_at: timeOf(id).toISOString(),
        version: 1,
        ...changes,
      }
    },

    aDeadline: (changes: Partial<DeadlineRecord> = {}): DeadlineRecord => {
      const id = newId('event')
      return {
        workspace_id,
        id,
        title: 'Berufungsbegründung',
        case_id: newId('case'),
        frist_type: 'hauptfrist',
        due_at: '2030-05-01T21:59:59.000Z',
        assigned_to: 'usr_1',
        category: 'other',
        basis: null,
        on_working_day: false,
        chain_id: newId('chain'),
        follows_days: null,
        created_by: 'usr_1',
        created_at: timeOf(id).toISOString(),
        updated_at: timeOf(id).toISOString(),
        due_set_by: 'usr_1',
        case_deleted_at: null,
        verified_by: null,
        verified_at: null,
        delegation: null,
        completed_at: null,
        completed_by: null,
        evidence: null,
        struck_at: null,
        struck_by: null,
        struck_reason: null,
        extension: null,
        provisional_for: null,
        exit_control: null,
        history_seq: 1,
        history_hash: '',
        version: 1,
        ...changes,
      }
    },
  }

  function asked({
    filters = {},
    fields = [],
    time_zone = 'Europe/Berlin',
    now = systemClock.now(),
  }: Partial<Asked>) {
    return { workspace_id, time_zone, filters, fields: new Set(fields), now }
  }
}

type Asked = { filters: SourceFilters; fields: string[]; time_zone: string; now: Date }

/** Executes the puts of these actions, many at once. */
async function putAll(db: Db, actions: Action[]): Promise<void> {
  const puts = actions.map(({ item }) => ({ params: () => ({ Item: item.Put?.Item }) }))
  await writeAll(db, puts)
}

export async function collected(batches: ReturnType<RowSource>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows
}
