import * as z from 'zod'
import type { CaseService } from '#cases/cases.ts'
import { CaseHold, CaseHoldInput, HoldLifting, retentionRule } from '#cases/retention-schema.ts'
import {
  Case,
  CaseChanges,
  CaseDeletion,
  CaseInput,
  CaseLink,
  CaseLinkInput,
  CasePartiesAnswer,
  CasePartiesInput,
  CaseParty,
  CaseQuery,
  CaseStaff,
  CaseStaffAssignments,
  CaseStaffRemoval,
  CaseSummary,
  ChangedCase,
} from '#cases/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { listOf, onePage, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'
import { TimelineEntry } from '#timeline/schema.ts'

export * from './disposal-endpoints.ts'
export * from './retention-endpoints.ts'

const endpoint = endpointsOf<{ cases: CaseService }>()

const id = idOf('case')
const oneCase = { params: { id }, errors: { 404: ['CASE_NOT_FOUND'] as const } }
const userId = idOf('user')
const example = {
  id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  name: 'Meier ./. Schulze wegen Kaufpreis',
  file_number: '0001/26',
  status: 'active' as const,
  type: 'litigation',
  description: 'Kaufpreisforderung aus dem Vertrag vom 3. März 2026.',
  dezernat: 'Zivilrecht',
  created_at: '2026-03-16T08:30:00.000Z',
  updated_at: '2026-03-16T08:30:00.000Z',
  parties: [],
  staff: [],
  closed_at: null,
  retention: null,
}
const closing = {
  status: 'closed' as const,
  closed_at: '2026-03-16T08:30:00.000Z',
  retention: { rule: retentionRule, retain_until: '2032-12-31', holds: [] },
}
const client = {
  id: 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  role: 'client',
  side: 'client' as const,
  name: 'Anna Meier',
}
const attorney = {
  id: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
  name: 'Dr. Jana Vogt',
  role: 'lead_attorney',
}
const otherCase = '01993f5f-02b4-7a6c-8d13-9e4f7b2a5c61'

export const listCases = endpoint({
  method: 'GET',
  path: '/api/v1/cases',
  access: 'cases:read',
  summary: 'List and search cases, newest first',
  query: CaseQuery,
  output: pageOrChangesOf(CaseSummary),
  example: {
    query: { search: 'meier kauf', status: 'active' },
    answer: {
      data: [
        { id: example.id, name: example.name, file_number: example.file_number, status: example.status },
      ],
      pagination: onePage,
    },
  },
  handle: ({ cases }, { actor, query }) => cases.list(actor, query),
})

export const createCase = endpoint({
  method: 'POST',
  path: '/api/v1/cases',
  access: 'cases:write',
  summary: 'Open a case',
  description:
    'If `file_number` is missing, the case gets the next number of the year. File numbers are unique in the workspace.',
  body: CaseInput,
  status: 201,
  output: Case,
  etag: Case,
  errors: { 409: ['FILE_NUMBER_TAKEN'] },
  example: {
    body: {
      name: example.name,
      type: example.type,
      description: example.description,
      dezernat: example.dezernat,
    },
    answer: example,
  },
  handle: ({ cases }, { actor, body }) => cases.open(actor, body),
})

export const getCase = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}',
  access: 'cases:read',
  summary: 'Get a case',
  output: Case,
  etag: Case,
  example: { params: { id: example.id }, answer: example },
  handle: ({ cases }, { actor, params }) => cases.get(actor, params.id),
})

export const updateCase = endpoint({
  method: 'PUT',
  path: '/api/v1/cases/{id}',
  access: 'cases:write',
  summary: 'Change a case',
  description:
    'Changes only the fields in the body; `null` clears an optional field. Parties and staff have their own paths. The status `closed` closes the case: from then on `retention` says until when it is kept. `warnings` says if deadlines of the case are open then, or if it was archived without being closed. `active` reopens it.',
  params: { id },
  body: CaseChanges,
  output: ChangedCase,
  etag: Case,
  errors: { 404: ['CASE_NOT_FOUND'], 409: ['FILE_NUMBER_TAKEN'] },
  example: {
    params: { id: example.id },
    body: { status: 'closed' },
    answer: { ...example, ...closing },
  },
  handle: ({ cases }, { actor, params, body, precondition }) =>
    cases.change(actor, params.id, body, precondition),
})

export const deleteCase = endpoint({
  method: 'DELETE',
  path: '/api/v1/cases/{id}',
  access: 'cases:delete',
  summary: 'Delete a case',
  description:
    'Refused while the case is on hold. Removes the case from lists, search and links. Its documents, deadlines and mail stay. Its record is kept for the audit, until the case is disposed of (`GET /api/v1/retention/due`). The answer is 204; if the case has open deadlines it is 200 with `warnings`. All its deadlines then show `case_deleted_at`.',
  params: { id },
  status: 204,
  output: CaseDeletion.optional(),
  etag: Case,
  errors: { 404: ['CASE_NOT_FOUND'], 409: ['LEGAL_HOLD'] },
  example: {
    params: { id: example.id },
    answer: {
      warnings: [
        'Die gelöschte Akte hat 2 offene Fristen, die früheste fällig am Mittwoch, 09.04.2031. Sie bleiben im Fristenkalender.',
      ],
    },
  },
  handle: ({ cases }, { actor, params, precondition }) => cases.remove(actor, params.id, precondition),
})

export const listCaseParties = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}/parties',
  access: 'cases:read',
  summary: 'List the parties of a case',
  ...pagesOf(CaseParty),
  example: { params: { id: example.id }, answer: { data: [client], pagination: onePage } },
  handle: ({ cases }, { actor, params, query }) => cases.listParties(actor, params.id, query),
})

export const addCaseParties = endpoint({
  method: 'POST',
  path: '/api/v1/cases/{id}/parties',
  access: 'cases:write',
  summary: 'Add parties to a case',
  description:
    'An entry with `id` adds an existing party; an entry with `name` and no `id` creates the party. A party that already has the role is not added again, but gets the `side` in the request. `warnings` names parties whose role does not define their side, parties that are probably the same as an added party, and conflicts of interest. `more` has the names of added parties that very many others have: for these, `warnings` may not name all.',
  params: { id },
  body: CasePartiesInput,
  // Conflicts in its `warnings` name parties of other cases.
  showsMoreTo: ['contacts:read', 'cases:read'],
  status: 201,
  output: CasePartiesAnswer,
  errors: { 404: ['CASE_NOT_FOUND', 'PARTY_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { parties: [{ name: client.name, role: client.role }] },
    answer: { data: [client], warnings: [], more: [] },
  },
  handle: ({ cases }, { actor, params, body }) => cases.addParties(actor, params.id, body),
})

export const replaceCaseParties = endpoint({
  method: 'PUT',
  path: '/api/v1/cases/{id}/parties',
  access: 'cases:write',
  summary: 'Replace the parties of a case',
  description:
    'A party that is not in the body leaves the case. Send the ETag of the case you looked at (`GET /api/v1/cases/{id}`) as `If-Match`, so that you do not remove a party that somebody else has added.',
  params: { id },
  body: CasePartiesInput,
  output: CasePartiesAnswer,
  condition: Case,
  errors: { 404: ['CASE_NOT_FOUND', 'PARTY_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { parties: [{ name: client.name, role: client.role }] },
    answer: { data: [client], warnings: [], more: [] },
  },
  handle: ({ cases }, { actor, params, body, precondition }) =>
    cases.replaceParties(actor, params.id, body, precondition),
})

export const listCaseStaff = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}/staff',
  access: 'cases:read',
  summary: 'List the staff of a case',
  ...pagesOf(CaseStaff),
  example: { params: { id: example.id }, answer: { data: [attorney], pagination: onePage } },
  handle: ({ cases }, { actor, params, query }) => cases.listStaff(actor, params.id, query),
})

export const addCaseStaff = endpoint({
  method: 'POST',
  path: '/api/v1/cases/{id}/staff',
  access: 'cases:write',
  summary: 'Add staff to a case',
  description:
    'A deactivated user can only get another role in a case to which that user is already assigned.',
  params: { id },
  body: CaseStaffAssignments,
  status: 201,
  output: listOf(CaseStaff),
  errors: { 404: ['CASE_NOT_FOUND', 'USER_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { staff: [{ id: attorney.id, role: attorney.role }] },
    answer: { data: [attorney] },
  },
  handle: ({ cases }, { actor, params, body }) => cases.addStaff(actor, params.id, body),
})

export const removeCaseStaff = endpoint({
  ...oneCase,
  method: 'DELETE',
  path: '/api/v1/cases/{id}/staff',
  access: 'cases:write',
  summary: 'Remove staff from a case',
  description:
    'Name the users in the body (`staff_ids`) or in the query (`staff_id`). Users who are not assigned are ignored. Returns the staff that remains.',
  query: z.object({ staff_id: userId.optional() }),
  body: CaseStaffRemoval,
  output: listOf(CaseStaff),
  example: { params: { id: example.id }, body: { staff_ids: [attorney.id] }, answer: { data: [] } },
  handle: async ({ cases }, { actor, params, query, body }) => ({
    data: await cases.removeStaff(actor, params.id, [
      ...(body?.staff_ids ?? []),
      ...(query.staff_id ? [query.staff_id] : []),
    ]),
  }),
})

export const getCaseTimeline = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}/timeline',
  access: 'cases:read',
  summary: 'List the timeline of a case, newest first',
  ...pagesOf(TimelineEntry),
  example: {
    params: { id: example.id },
    answer: {
      data: [
        {
          id: 'tle_01993f5e-7c1b-7000-9b64-2f0c5a1d8e11',
          type: 'case.created',
          occurred_at: example.created_at,
          actor: { type: 'user', id: attorney.id, name: attorney.name },
          summary: `Akte ${example.file_number} „${example.name}“ angelegt`,
          ref: { type: 'case', id: example.id },
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ cases }, { actor, params, query }) => cases.timeline(actor, params.id, query),
})

const link = {
  id: 'link_01993f60-5d20-7b8e-a1f4-3c7d9e2b6a85',
  case_id: example.id,
  linked_case_id: otherCase,
  type: 'Vorinstanz',
  note: null,
  created_at: example.created_at,
}

export const listCaseLinks = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}/links',
  access: 'cases:read',
  summary: 'List the links of a case',
  ...pagesOf(CaseLink),
  example: {
    params: { id: example.id },
    answer: { data: [link], pagination: onePage },
  },
  handle: ({ cases }, { actor, params, query }) => cases.links(actor, params.id, query),
})

export const createCaseLink = endpoint({
  method: 'POST',
  path: '/api/v1/cases/{id}/links',
  access: 'cases:write',
  summary: 'Link two cases',
  params: { id },
  body: CaseLinkInput,
  status: 201,
  output: CaseLink,
  errors: { 404: ['CASE_NOT_FOUND'], 409: ['LINK_EXISTS'] },
  example: { params: { id: example.id }, body: { case_id: otherCase, type: link.type }, answer: link },
  handle: ({ cases }, { actor, params, body }) => cases.link(actor, params.id, body),
})

export const deleteCaseLink = endpoint({
  method: 'DELETE',
  path: '/api/v1/cases/{id}/links/{link_id}',
  access: 'cases:write',
  summary: 'Remove a link from both cases',
  params: { id, link_id: idOf('link') },
  output: z.void(),
  errors: { 404: ['CASE_NOT_FOUND', 'LINK_NOT_FOUND'] },
  example: { params: { id: example.id, link_id: link.id } },
  handle: ({ cases }, { actor, params }) => cases.unlink(actor, params.id, params.link_id),
})

const hold = {
  id: 'hld_01993f61-2a40-7c1d-8e52-6b9f0d3a7c14',
  reason: 'Regress gegen die Kanzlei angekündigt',
  until: null,
  created_at: example.created_at,
  created_by: attorney.id,
}

export const createCaseHold = endpoint({
  ...oneCase,
  method: 'POST',
  path: '/api/v1/cases/{id}/holds',
  access: 'cases:write',
  summary: 'Set a legal hold on a case',
  description:
    'While a hold exists, the case and its documents cannot be deleted, disposed of or erased. A case may have several holds. A deleted case can be held too.',
  body: CaseHoldInput,
  status: 201,
  output: CaseHold,
  example: { params: { id: example.id }, body: { reason: hold.reason }, answer: hold },
  handle: ({ cases }, { actor, params, body }) => cases.addHold(actor, params.id, body),
})

export const listCaseHolds = endpoint({
  ...oneCase,
  method: 'GET',
  path: '/api/v1/cases/{id}/holds',
  access: 'cases:read',
  summary: 'List the holds on a case, oldest first',
  ...pagesOf(CaseHold),
  example: { params: { id: example.id }, answer: { data: [hold], pagination: onePage } },
  handle: ({ cases }, { actor, params, query }) => cases.listHolds(actor, params.id, query),
})

export const liftCaseHold = endpoint({
  method: 'DELETE',
  path: '/api/v1/cases/{id}/holds/{hold_id}',
  access: 'cases:write',
  summary: 'Lift a legal hold',
  description: 'The timeline keeps the hold and both reasons.',
  params: { id, hold_id: idOf('hold') },
  body: HoldLifting,
  output: z.void(),
  errors: { 404: ['CASE_NOT_FOUND', 'HOLD_NOT_FOUND'] },
  example: { params: { id: example.id, hold_id: hold.id }, body: { reason: 'Vergleich geschlossen' } },
  handle: ({ cases }, { actor, params, body }) =>
    cases.liftHold(actor, params.id, params.hold_id, body.reason),
})
