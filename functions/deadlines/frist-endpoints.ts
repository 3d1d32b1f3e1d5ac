import type { DeadlineService } from '#deadlines/deadlines.ts'
import { Deadline, Frist, FristChain, FristQuery } from '#deadlines/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf } from '#kernel/page.ts'
import { frist, verified } from './examples.ts'

const endpoint = endpointsOf<{ deadlines: DeadlineService }>()

const id = idOf('event')

export const listFristen = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/fristen',
  access: 'calendar:read',
  summary: 'List Fristen, soonest first',
  query: FristQuery,
  output: pageOf(Frist),
  errors: { 400: ['INVALID_DATE_RANGE'] },
  example: { query: { status: 'open' }, answer: { data: [frist], pagination: onePage } },
  handle: ({ deadlines }, { actor, query }) => deadlines.listFristen(actor, query),
})

export const verifyFrist = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/fristen/{id}/verify',
  access: 'calendar:write',
  summary: 'Verify a Frist as the second person',
  description:
    'Vier-Augen-Prinzip: the user who created the deadline and the user who last set its due time cannot verify it; a delegated deadline can be verified by the delegate alone. Verifying again changes nothing. Send the ETag of the deadline you looked at (`GET /api/v1/deadlines/{id}`) as `If-Match`, so that you do not verify a change you have not seen.',
  params: { id },
  output: Frist,
  condition: Deadline,
  errors: { 403: ['DUAL_CONTROL_REQUIRED', 'DELEGATED_TO_OTHER'], 404: ['DEADLINE_NOT_FOUND'] },
  example: {
    params: { id: frist.id },
    answer: {
      ...frist,
      status: 'verified',
      verified: true,
      verified_by: verified.verified_by,
      verified_at: verified.verified_at,
    },
  },
  handle: ({ deadlines }, { actor, params, precondition }) =>
    deadlines.verifyFrist(actor, params.id, precondition),
})

export const getFristChain = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/fristen/{id}/chain',
  access: 'calendar:read',
  summary: 'List the Fristen of a chain, soonest first',
  params: { id },
  output: FristChain,
  errors: { 404: ['DEADLINE_NOT_FOUND'] },
  example: { params: { id: frist.id }, answer: { chain_id: frist.chain_id, data: [frist] } },
  handle: ({ deadlines }, { actor, params }) => deadlines.fristChain(actor, params.id),
})
