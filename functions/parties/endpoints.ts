import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'
import type { AccessReports } from '#parties/access-reports.ts'
import { AccessReport, RequestedAccessReport } from '#parties/access-schema.ts'
import { ConflictCheckInput, ConflictReport, conflictBounds } from '#parties/conflict-schema.ts'
import type { ConflictService } from '#parties/conflicts.ts'
import type { PartyErasing } from '#parties/erasing.ts'
import { PartyErasure } from '#parties/erasure-schema.ts'
import type { PartyService } from '#parties/parties.ts'
import { Party, PartyCase, PartyChanges, PartyInput, PartyQuery } from '#parties/schema.ts'

const endpoint = endpointsOf<{
  parties: PartyService
  reports: AccessReports
  conflicts: ConflictService
  erasing: PartyErasing
}>()

const id = idOf('party')
const oneParty = { params: { id }, errors: { 404: ['PARTY_NOT_FOUND'] as const } }
const example = {
  id: 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  type: 'person' as const,
  name: 'Anna Meier',
  email: 'anna.meier@example.de',
  phone: '+49 30 1234567',
  address: 'Lindenstraße 7, 10969 Berlin',
  created_at: '2026-03-16T08:31:00.000Z',
  updated_at: '2026-03-16T08:31:00.000Z',
}

const exampleReport = 'arp_01993f5f-1c2d-7e3f-8a40-5b6c7d8e9f01'

export const listParties = endpoint({
  method: 'GET',
  path: '/api/v1/parties',
  access: 'contacts:read',
  summary: 'List and search parties, newest first',
  query: PartyQuery,
  output: pageOrChangesOf(Party),
  example: {
    query: { search: 'meier' },
    answer: { data: [example], pagination: onePage },
  },
  handle: ({ parties }, { actor, query }) => parties.list(actor, query),
})

export const createParty = endpoint({
  method: 'POST',
  path: '/api/v1/parties',
  access: 'contacts:write',
  summary: 'Create a party',
  body: PartyInput,
  status: 201,
  output: Party,
  etag: Party,
  example: {
    body: {
      type: example.type,
      name: example.name,
      email: example.email,
      phone: example.phone,
      address: example.address,
    },
    answer: example,
  },
  handle: ({ parties }, { actor, body }) => parties.add(actor, body),
})

export const getParty = endpoint({
  ...oneParty,
  method: 'GET',
  path: '/api/v1/parties/{id}',
  access: 'contacts:read',
  summary: 'Get a party',
  output: Party,
  etag: Party,
  example: { params: { id: example.id }, answer: example },
  handle: ({ parties }, { actor, params }) => parties.get(actor, params.id),
})

export const updateParty = endpoint({
  ...oneParty,
  method: 'PUT',
  path: '/api/v1/parties/{id}',
  access: 'contacts:write',
  summary: 'Change a party',
  description: 'Changes only the fields in the body; `null` clears an optional field.',
  body: PartyChanges,
  output: Party,
  etag: Party,
  example: {
    params: { id: example.id },
    body: { phone: '+49 30 7654321' },
    answer: { ...example, phone: '+49 30 7654321' },
  },
  handle: ({ parties }, { actor, params, body, precondition }) =>
    parties.change(actor, params.id, body, precondition),
})

export const deleteParty = endpoint({
  method: 'DELETE',
  path: '/api/v1/parties/{id}',
  access: 'contacts:write',
  summary: 'Delete a party that no case, document or invoice refers to',
  params: { id },
  output: z.void(),
  etag: Party,
  errors: { 404: ['PARTY_NOT_FOUND'], 409: ['PARTY_IN_USE'] },
  example: { params: { id: example.id } },
  handle: ({ parties }, { actor, params, precondition }) => parties.remove(actor, params.id, precondition),
})

export const listPartyCases = endpoint({
  ...oneParty,
  method: 'GET',
  path: '/api/v1/parties/{id}/cases',
  access: { every: ['contacts:read', 'cases:read'] },
  summary: 'List the cases of a party with its role in each, newest first',
  ...pagesOf(PartyCase),
  example: {
    params: { id: example.id },
    answer: {
      data: [
        {
          id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
          name: 'Meier ./. Schulze wegen Kaufpreis',
          file_number: '0001/26',
          status: 'active',
          role: 'client',
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ parties }, { actor, params, query }) => parties.cases(actor, params.id, query),
})

export const eraseParty = endpoint({
  method: 'POST',
  path: '/api/v1/parties/{id}/erase',
  access: 'workspace:admin',
  summary: 'Erase a party',
  description:
    'For the right to erasure (Art. 17 DSGVO). After the answer nobody finds the party, and a worker removes its data from: its own record, also a deleted one, conflict checks and searches; cases after their retention period that name it or once did, with their timelines, names of documents, deadlines, events, time entries, folders and drafts; documents and draft invoices that name it; drafts to its address; its mail and beA messages that are in no case. No record of a case that is open, must be kept or is on hold is ever changed: such a case causes a refusal. Stored files of exports and reports on the party are removed. Not changed: mail, beA messages, envelopes, the bytes of documents and the histories of deadlines in a case, until it is disposed of; issued invoices until their retention period is over; records that mention the name only in a text, since it may be another person. Find these with `GET /api/v1/search` and the lists of the calendar and of folders. Send the ETag of the party you looked at as `If-Match`, so that you do not erase one that somebody has changed since.',
  params: { id },
  output: PartyErasure,
  condition: Party,
  errors: { 404: ['PARTY_NOT_FOUND'], 409: ['RETENTION_APPLIES', 'LEGAL_HOLD'] },
  example: {
    params: { id: example.id },
    answer: { id: example.id, erased_at: '2033-01-03T08:31:00.000Z', cases: [], documents: 0, invoices: 0 },
  },
  handle: ({ erasing }, { actor, params, precondition }) => erasing.erase(actor, params.id, precondition),
})

export const requestAccessReport = endpoint({
  ...oneParty,
  method: 'POST',
  path: '/api/v1/parties/{id}/access-report',
  access: 'workspace:admin',
  summary: 'Request a report on all data that is stored about a party',
  description:
    'For the right of access (Art. 15 DSGVO). A worker creates a ZIP: the stored data about the party as JSON, the documents that name it or belong to cases in which it is a client, and `index.html` in German, which lists them and says what is not searched. It contains the beA messages that the caller may read, and only the caller gets it. A report has at most 10,000 files and 10 GB.',
  status: 202,
  output: RequestedAccessReport,
  example: { params: { id: example.id }, answer: { id: exampleReport, status: 'running' } },
  handle: ({ reports }, { actor, params }) => reports.request(actor, params.id),
})

export const getAccessReport = endpoint({
  method: 'GET',
  path: '/api/v1/parties/{id}/access-reports/{report_id}',
  access: 'workspace:admin',
  summary: 'Get a report on a party, with the link to its file',
  description:
    'Only for the user who requested it; if the key of that request could read beA, this key must too. Anyone who has the link can open the file. The link cannot be revoked, but ends when the party is deleted or erased.',
  params: { id, report_id: idOf('accessReport') },
  output: AccessReport,
  errors: { 404: ['PARTY_NOT_FOUND', 'ACCESS_REPORT_NOT_FOUND'] },
  example: {
    params: { id: example.id, report_id: exampleReport },
    answer: {
      status: 'succeeded',
      status_reason: null,
      url: 'https://akten.example.de/shared/access-reports/kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w',
      expires_at: '2026-03-30T08:31:00.000Z',
    },
  },
  handle: ({ reports }, { actor, params, baseUrl }) =>
    reports.get(actor, params.id, params.report_id, baseUrl),
})

const otherCase = { id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', file_number: '0001/26' }

export const checkConflicts = endpoint({
  method: 'POST',
  path: '/api/v1/conflict-check',
  access: { every: ['contacts:read', 'cases:read'] },
  summary: 'Check for conflicts of interest before a mandate is accepted',
  description: `Finds every party that may be one of these people or firms, with its cases and roles: in another spelling, with the same sound (Kölner Phonetik), with swapped or missing first names, without titles and legal forms, and by e-mail address. The request is not stored. ${conflictBounds}`,
  body: ConflictCheckInput,
  // Each name is looked up under all its search terms.
  weightOfEntry: 4,
  output: ConflictReport,
  storedAlone: 'It changes nothing.',
  storesNothing: true,
  errors: { 404: ['CASE_NOT_FOUND'] },
  example: {
    body: { names: ['Dr. Anna Maier'] },
    answer: {
      data: [
        {
          party: { id: example.id, name: example.name, type: example.type },
          cases: [
            { ...otherCase, name: 'Meier ./. Schulze wegen Kaufpreis', role: 'client', side: 'client' },
          ],
          more_cases: false,
          searched: ['Dr. Anna Maier'],
          match: 'likely',
          reason: 'andere Schreibweise, klingt gleich; Mandant in 0001/26',
          conflict: true,
          conflict_certainty: 'certain',
        },
      ],
      more: [],
    },
  },
  handle: ({ conflicts }, { actor, body }) => conflicts.check(actor, body),
})
