import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf, pageOnly } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'
import { ConflictCheckInput, ConflictReport, conflictBounds } from '#parties/conflict-schema.ts'
import type { ConflictService } from '#parties/conflicts.ts'
import { Party, PartyCase, PartyChanges, PartyInput, PartyQuery } from '#parties/schema.ts'
import type { PartyService } from '#parties/service.ts'

const endpoint = endpointsOf<{ parties: PartyService; conflicts: ConflictService }>()

const id = idOf('party')
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
  method: 'GET',
  path: '/api/v1/parties/{id}',
  access: 'contacts:read',
  summary: 'Get a party',
  params: { id },
  output: Party,
  etag: Party,
  errors: { 404: ['PARTY_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ parties }, { actor, params }) => parties.get(actor, params.id),
})

export const updateParty = endpoint({
  method: 'PUT',
  path: '/api/v1/parties/{id}',
  access: 'contacts:write',
  summary: 'Change a party',
  description: 'Changes only the fields in the body; `null` clears an optional field.',
  params: { id },
  body: PartyChanges,
  output: Party,
  etag: Party,
  errors: { 404: ['PARTY_NOT_FOUND'] },
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
  status: 204,
  output: z.void(),
  etag: Party,
  errors: { 404: ['PARTY_NOT_FOUND'], 409: ['PARTY_IN_USE'] },
  example: { params: { id: example.id } },
  handle: ({ parties }, { actor, params, precondition }) => parties.remove(actor, params.id, precondition),
})

export const listPartyCases = endpoint({
  method: 'GET',
  path: '/api/v1/parties/{id}/cases',
  access: { every: ['contacts:read', 'cases:read'] },
  summary: 'List the cases of a party with its role in each, newest first',
  params: { id },
  query: pageOnly,
  output: pageOf(PartyCase),
  errors: { 404: ['PARTY_NOT_FOUND'] },
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

const otherCase = { id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', file_number: '0001/26' }

export const checkConflicts = endpoint({
  method: 'POST',
  path: '/api/v1/conflict-check',
  access: { every: ['contacts:read', 'cases:read'] },
  summary: 'Check for conflicts of interest before a mandate is accepted',
  description: `Finds every party that may be one of these people or firms, with its cases and roles: in another spelling, with the same sound (Kölner Phonetik), with swapped or missing first names, without titles and legal forms, and by e-mail address. Nothing of the request is stored. ${conflictBounds}`,
  body: ConflictCheckInput,
  // Each name is looked up under every term by which it may be found.
  weightOfEntry: 4,
  status: 200,
  output: ConflictReport,
  storedAlone: 'It changes nothing.',
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
