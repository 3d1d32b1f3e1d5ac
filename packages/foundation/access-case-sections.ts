import { Invoice, type InvoiceSummary, TimeEntry } from '#billing/schema.ts'
import { calendarService } from '#calendar/events.ts'
import { CalendarEvent } from '#calendar/schema.ts'
import { Folder } from '#folders/schema.ts'
import { everyItem } from '#kernel/every-item.ts'
import type { Page } from '#kernel/page.ts'
import type { AccessSection, AccessSubject } from '#parties/access-ports.ts'
import { envelopeView } from '#signing/envelopes/views.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { Envelope } from '#signing/schema.ts'
import { invoiceStore } from '#store/billing/invoice-store.ts'
import { timeEntryStore } from '#store/billing/time-entry-store.ts'
import { calendarStore } from '#store/calendar/calendar-store.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { folderStore } from '#store/folders/folder-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { TimelineEntry } from '#timeline/schema.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { concerns, isTheirAddress } from './access-parts.ts'
import type { Base } from './foundation.ts'
import { signingFoundation } from './signing.ts'

/**
 * The sections of a report on a party that show its cases and all records beside cases, except mail and documents (R6).
 */
export function accessCaseSections(base: Base): AccessSection[] {
  const cases = caseStore({ ...base, numberKey: caseNumberKey })
  const envelopes = signingFoundation(base).store
  const invoices = invoiceStore(base)
  const times = timeEntryStore(base)
  const folders = folderStore(base)
  const calendar = calendarService({
    store: calendarStore({ ...base, deadlines: deadlineStore(base) }),
    workspaces: workspaceStore(base.db),
    users: userStore(base),
    clock: base.clock,
  })

  return [
    {
      heading: 'Akten und Rolle in ihnen',
      async *records({ party, cases: naming }) {
        for (const { isClient, ...one } of naming)
          yield {
            path: `parties/${party.id}/cases/${one.id}`,
            title: `${one.file_number} ${one.name}: ${one.role}`,
            date: null,
            read: async () => one,
          }
      },
    },
    {
      heading: 'Verlauf der Akten, in denen sie Mandant ist',
      async *records({ party: { workspace_id }, cases: naming }) {
        for (const { id, file_number } of naming.filter(({ isClient }) => isClient))
          yield {
            path: `cases/${id}/timeline`,
            title: file_number,
            date: null,
            read: async () => {
              const entries: TimelineEntry[] = []
              for await (const entry of everyItem((request) => cases.timeline(workspace_id, id, request)))
                entries.push(TimelineEntry.parse(entry))
              return { data: entries }
            },
          }
      },
    },
    {
      heading: 'Signaturvorgänge',
      async *records(subject) {
        const { workspace_id } = subject.party
        for await (const one of everyItem((request) => envelopes.page(workspace_id, request))) {
          if (!isEnvelopeOf(subject, one)) continue
          yield {
            path: `signing/envelopes/${one.id}`,
            title: one.title,
            date: one.created_at,
            read: async () => Envelope.parse(envelopeView(one, base.clock.now())),
          }
        }
      },
    },
    {
      heading: 'Rechnungen und Rechnungsentwürfe',
      async *records(subject) {
        const { workspace_id } = subject.party
        for await (const { id, ...listed } of everyItem((request) =>
          invoices.page(workspace_id, {}, request),
        )) {
          const one = isInvoiceOf(subject, listed) ? await invoices.find(workspace_id, id) : undefined
          if (one === undefined) continue
          yield {
            path: `invoices/${id}`,
            title: one.number ?? 'Entwurf',
            date: one.invoice_date,
            read: async () => Invoice.parse(one),
          }
        }
      },
    },
    {
      heading: 'Termine und Fristen',
      async *records(subject) {
        const list = everyItem(
          async (request) => (await calendar.list(subject.reader, request)) as Page<CalendarEvent>,
        )
        for await (const one of list) {
          const { id, title, description, location, start, case_id } = one
          if (!concerns(subject, case_id, [title, description, location])) continue
          yield {
            path: `calendar/events/${id}`,
            title,
            date: start,
            read: async () => CalendarEvent.parse(one),
          }
        }
      },
    },
    {
      heading: 'Zeiteinträge',
      async *records(subject) {
        const { workspace_id } = subject.party
        for await (const one of everyItem((request) => times.page(workspace_id, {}, request))) {
          if (!concerns(subject, one.case_id, [one.activity])) continue
          yield {
            path: `time-entries/${one.id}`,
            title: one.activity,
            date: one.date,
            read: async () => TimeEntry.parse(one),
          }
        }
      },
    },
    {
      heading: 'Ordner mit ihrem Namen',
      async *records(subject) {
        const { workspace_id } = subject.party
        for await (const one of everyItem((request) => folders.page(workspace_id, request))) {
          if (!concerns(subject, one.case_id, [one.name])) continue
          yield {
            path: `folders/${one.id}`,
            title: one.name,
            date: one.created_at,
            read: async () => Folder.parse(one),
          }
        }
      },
    },
  ]
}

/**
 * Whether the envelope belongs to a case in which the party is a client, or the party signs it. In a case that does not
 * name the party, a signer with the same name may be somebody else, so only the mailbox counts.
 */
function isEnvelopeOf(subject: AccessSubject, { case_id, signers }: EnvelopeRecord): boolean {
  const { cases, clientOf, isNamedIn } = subject
  if (clientOf.has(case_id)) return true
  const isOfCase = cases.some(({ id }) => id === case_id)
  const isOwn = isTheirAddress(subject)
  return signers.some((signer) => isOwn(signer) || (isOfCase && isNamedIn([signer.name])))
}

/**
 * Whether the invoice belongs to a case in which the party is a client, or is addressed to the party. It names the
 * party by id, or has a typed recipient with the name or address of the party.
 */
function isInvoiceOf(
  subject: AccessSubject,
  { case_id, party_id, buyer }: Pick<InvoiceSummary, 'case_id' | 'party_id' | 'buyer'>,
): boolean {
  if (party_id === subject.party.id) return true
  return concerns(subject, case_id, party_id === null ? [buyer.name, buyer.email] : [])
}
