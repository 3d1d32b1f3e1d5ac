import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'
import { type Disposal, DisposalInput, Disposal as DisposalSchema } from '#retention/disposal-schema.ts'
import type { DisposalService } from '#retention/disposals.ts'

const endpoint = endpointsOf<{ disposals: DisposalService }>()

const id = idOf('disposal')
const scope = 'workspace:admin'
const unknown = { 404: ['DISPOSAL_NOT_FOUND'] } as const

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const proposed: Disposal = {
  id: 'dsp_01993f80-2b1c-7d4e-9f50-6a7b8c9d0e1f',
  status: 'proposed',
  cases: [{ case_id: caseId, file_number: '0001/26', state: 'waiting', reason: null }],
  proposed_by: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
  proposed_at: '2033-01-10T08:30:00.000Z',
  approved_by: null,
  approved_at: null,
  withdrawn_by: null,
  withdrawn_at: null,
  begun_at: null,
  done_at: null,
}
const second = 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d95'
const decidedAt = '2033-01-11T09:15:00.000Z'

export const proposeDisposal = endpoint({
  method: 'POST',
  path: '/api/v1/disposals',
  access: scope,
  summary: 'Propose to dispose of cases',
  description:
    'For cases whose retention period is over (`GET /api/v1/retention/due`). Nothing is removed until another user approves. `details` of a refusal name each case that may not be disposed of, and why. A case is in one proposal at a time.',
  body: DisposalInput,
  status: 201,
  output: DisposalSchema,
  errors: {
    404: ['CASE_NOT_FOUND'],
    409: ['NOT_DUE', 'LEGAL_HOLD', 'CASE_HAS_OPEN_WORK', 'CASE_IN_DISPOSAL'],
  },
  example: { body: { case_ids: [caseId] }, answer: proposed },
  handle: ({ disposals }, { actor, body }) => disposals.propose(actor, body),
})

export const listDisposals = endpoint({
  method: 'GET',
  path: '/api/v1/disposals',
  access: scope,
  summary: 'List the disposals, newest first',
  ...pagesOf(DisposalSchema),
  example: { answer: { data: [proposed], pagination: onePage } },
  handle: ({ disposals }, { actor, query }) => disposals.list(actor, query),
})

export const getDisposal = endpoint({
  method: 'GET',
  path: '/api/v1/disposals/{id}',
  access: scope,
  summary: 'Get a disposal',
  params: { id },
  output: DisposalSchema,
  errors: unknown,
  example: { params: { id: proposed.id }, answer: proposed },
  handle: ({ disposals }, { actor, params }) => disposals.get(actor, params.id),
})

export const approveDisposal = endpoint({
  method: 'POST',
  path: '/api/v1/disposals/{id}/approve',
  access: scope,
  summary: 'Approve a disposal that another user proposed',
  description:
    'The cases are then removed for good, one after the other. Each is checked again before its removal: it is kept if it was reopened or changed since, is held, or has open work. A removal that has begun is completed.',
  params: { id },
  output: DisposalSchema,
  errors: { 403: ['DUAL_CONTROL_REQUIRED'], ...unknown, 409: ['DISPOSAL_NOT_PROPOSED'] },
  example: {
    params: { id: proposed.id },
    answer: { ...proposed, status: 'approved', approved_by: second, approved_at: decidedAt },
  },
  handle: ({ disposals }, { actor, params }) => disposals.approve(actor, params.id),
})

export const withdrawDisposal = endpoint({
  method: 'POST',
  path: '/api/v1/disposals/{id}/withdraw',
  access: scope,
  summary: 'Withdraw a disposal that nobody has approved',
  params: { id },
  output: DisposalSchema,
  errors: { ...unknown, 409: ['DISPOSAL_NOT_PROPOSED'] },
  example: {
    params: { id: proposed.id },
    answer: { ...proposed, status: 'withdrawn', withdrawn_by: second, withdrawn_at: decidedAt },
  },
  handle: ({ disposals }, { actor, params }) => disposals.withdraw(actor, params.id),
})
