import * as z from 'zod'
import type { DeadlineService } from '#deadlines/deadlines.ts'
import { DeadlineHistory } from '#deadlines/history-schema.ts'
import {
  CompletionInput,
  Deadline,
  DeadlineChain,
  DeadlineChanges,
  DeadlineInput,
  DeadlineQuery,
  DelegationInput,
  EnteredDeadline,
  ReopeningInput,
  remark,
  StrikingInput,
} from '#deadlines/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOnly, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'
import { author, colleague, completed, example, history, verified, vorfristId } from './examples.ts'

export * from './calculation-endpoints.ts'
export * from './extension-endpoints.ts'
export * from './frist-endpoints.ts'
export * from './register-endpoints.ts'

const endpoint = endpointsOf<{ deadlines: DeadlineService }>()

const id = idOf('event')
const oneDeadline = { params: { id }, output: Deadline, etag: Deadline }

export const listDeadlines = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines',
  access: 'deadlines:read',
  summary: 'List upcoming deadlines, soonest first',
  description:
    'Lists deadlines that are due from now on; with `from`, `status` or `overdue` past ones as well. With `updated_since` it shows changes of past ones too. A replica starts with the whole list: `from=1900-01-01`.',
  query: DeadlineQuery,
  output: pageOrChangesOf(Deadline),
  errors: { 400: ['INVALID_DATE_RANGE'] },
  example: { query: { status: 'pending' }, answer: { data: [example], pagination: onePage } },
  handle: ({ deadlines }, { actor, query }) => deadlines.list(actor, query),
})

export const createDeadline = endpoint({
  method: 'POST',
  path: '/api/v1/deadlines',
  access: 'deadlines:write',
  summary: 'Create a deadline, optionally with its Vorfrist',
  description:
    'Writes the Hauptfrist and its Vorfrist together or not at all. The deadline is in the list of unverified deadlines until a second user verifies it. With `calculation` (the body of `POST /deadlines/calculate`) the due time is calculated, and the calculation is kept as `basis`, which the second person checks. With `hauptfrist_id` or `chain_id` it joins an existing chain; the place of a struck deadline is free again. `warnings` names in German the points to check again: due on a day off, at midnight or in the past, calculated from a future day, or for the reasons of a remedy without a Vorfrist.',
  body: DeadlineInput,
  status: 201,
  output: EnteredDeadline,
  etag: Deadline,
  errors: {
    400: ['DUE_DATE_MISMATCH'],
    404: ['CASE_NOT_FOUND', 'USER_NOT_FOUND', 'DEADLINE_NOT_FOUND'],
    409: ['CHAIN_OCCUPIED', 'DEADLINE_PROVISIONAL'],
  },
  example: {
    body: {
      title: example.title,
      case_id: example.case_id,
      calculation: { event_date: '2026-03-16', preset: 'zpo_berufung', region: 'DE-BE' },
      create_vorfrist: true,
      vorfrist_days: 7,
    },
    answer: { ...example, warnings: [] },
  },
  handle: ({ deadlines }, { actor, body }) => deadlines.create(actor, body),
})

export const listUnverifiedDeadlines = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines/unverified',
  access: 'deadlines:read',
  summary: 'List unverified deadlines, soonest first',
  description: 'Lists deadlines that are neither verified nor completed, including past ones.',
  ...pagesOf(Deadline),
  example: { answer: { data: [example], pagination: onePage } },
  handle: ({ deadlines }, { actor, query }) => deadlines.unverified(actor, query),
})

export const getDeadline = endpoint({
  ...oneDeadline,
  method: 'GET',
  path: '/api/v1/deadlines/{id}',
  access: 'deadlines:read',
  summary: 'Get a deadline',
  errors: { 404: ['DEADLINE_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ deadlines }, { actor, params }) => deadlines.get(actor, params.id),
})

export const updateDeadline = endpoint({
  method: 'PATCH',
  path: '/api/v1/deadlines/{id}',
  access: 'deadlines:write',
  summary: 'Change a deadline',
  description:
    'Changes only the fields in the body. A new due time, basis, title or responsible person clears the verification. `calculation` calculates the due time again; a due time set by hand has no basis. A Vorfrist that was created with the Hauptfrist moves with it, unless its own due time was set by hand or it is completed. Every Vorfrist, even a completed one, also gets the new title and assignee if it had the old ones. A Vorfrist cannot be moved after its Hauptfrist, nor a Nachfrist before it; a Hauptfrist can always be corrected. The due time of a completed deadline cannot be changed.',
  params: { id },
  body: DeadlineChanges,
  output: EnteredDeadline,
  etag: Deadline,
  errors: {
    400: ['DUE_DATE_MISMATCH'],
    404: ['DEADLINE_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['DEADLINE_COMPLETED', 'DEADLINE_PROVISIONAL'],
  },
  example: {
    params: { id: example.id },
    body: { due_at: '2026-05-18' },
    answer: { ...example, due_at: '2026-05-18T23:59:59+02:00', basis: null, warnings: [] },
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.change(actor, params.id, body, precondition),
})

export const strikeDeadline = endpoint({
  method: 'DELETE',
  path: '/api/v1/deadlines/{id}',
  access: 'deadlines:write',
  summary: 'Strike a deadline from the lists',
  description:
    'Removes the deadline from every list; the register and its history keep it. Striking a Hauptfrist strikes its Vorfrist too. The register shows the reason, or that none was given.',
  params: { id },
  query: z.object({
    reason: remark().optional().meta({ description: 'The reason, if the body does not give one.' }),
  }),
  body: StrikingInput,
  output: z.void(),
  etag: Deadline,
  errors: { 404: ['DEADLINE_NOT_FOUND'], 409: ['DEADLINE_PROVISIONAL'] },
  example: { params: { id: example.id }, body: { reason: 'Klage zurückgenommen.' } },
  handle: ({ deadlines }, { actor, params, query, body, precondition }) =>
    deadlines.strike(actor, params.id, body?.reason ?? query.reason, precondition),
})

export const getDeadlineChain = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines/{id}/chain',
  access: 'deadlines:read',
  summary: 'Get the chain of a deadline: Vorfrist, Hauptfrist and Nachfrist',
  params: { id },
  output: DeadlineChain,
  errors: { 404: ['DEADLINE_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    answer: {
      vorfrist: { id: vorfristId, due_at: '2026-04-09T23:59:59+02:00', title: `Vorfrist: ${example.title}` },
      hauptfrist: { id: example.id, due_at: example.due_at, title: example.title },
      nachfrist: null,
    },
  },
  handle: ({ deadlines }, { actor, params }) => deadlines.chain(actor, params.id),
})

export const verifyDeadline = endpoint({
  ...oneDeadline,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/verify',
  access: 'deadlines:write',
  summary: 'Verify a deadline as the second person',
  description:
    'Vier-Augen-Prinzip: the user who created the deadline and the user who last set its due time cannot verify it; a delegated deadline can be verified by the delegate alone. Verifying again changes nothing. Send the ETag of the deadline you looked at as `If-Match`, so that you do not verify a change you have not seen.',
  errors: { 403: ['DUAL_CONTROL_REQUIRED', 'DELEGATED_TO_OTHER'], 404: ['DEADLINE_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: verified },
  handle: ({ deadlines }, { actor, params, precondition }) =>
    deadlines.verify(actor, params.id, precondition),
})

export const delegateDeadline = endpoint({
  ...oneDeadline,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/delegate',
  access: 'deadlines:write',
  summary: 'Delegate the verification to one user',
  description:
    'From then on only that user can verify the deadline. The delegate, the user who delegated, the user who created the deadline or set its due time, and the assignee can delegate it to somebody else. Delegating a verified or completed deadline changes nothing. A delegation to a user who has been deactivated has no effect.',
  body: DelegationInput,
  errors: {
    403: ['DELEGATED_TO_OTHER'],
    404: ['DEADLINE_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['DUAL_CONTROL_REQUIRED'],
  },
  example: {
    params: { id: example.id },
    body: { user_id: colleague },
    answer: {
      ...example,
      delegation: { delegated_to: colleague, delegated_by: author, delegated_at: '2026-03-16T08:40:00.000Z' },
    },
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.delegate(actor, params.id, body.user_id, precondition),
})

export const completeDeadline = endpoint({
  ...oneDeadline,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/complete',
  access: 'deadlines:write',
  summary: 'Complete a deadline, with evidence',
  description:
    'Completing a Hauptfrist completes its open Vorfrist too. A `bea_receipt` names an imported beA message that was sent and that the network has acknowledged; it needs `bea:read` and the right to read that message. The evidence can name the date of the court’s receipt (§ 130a Abs. 5 ZPO) and the user who looked at it. If a `bea_receipt` names no date, it gets the time at which the network delivered the message. Completing a deadline again changes nothing.',
  body: CompletionInput,
  errors: {
    404: ['DEADLINE_NOT_FOUND', 'DOCUMENT_NOT_FOUND', 'USER_NOT_FOUND', 'BEA_MESSAGE_NOT_FOUND'],
    409: ['DEADLINE_PROVISIONAL', 'BEA_RECEIPT_MISSING'],
  },
  example: {
    params: { id: example.id },
    body: {
      evidence: {
        type: 'note',
        text: 'Berufungsschrift am 14.04.2026 per beA eingereicht.',
        receipt_at: '2026-04-14T11:58:12+02:00',
        checked_by: author,
      },
    },
    answer: completed,
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.complete(actor, params.id, body, precondition),
})

export const controlDeadlineExit = endpoint({
  ...oneDeadline,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/exit-control',
  access: 'deadlines:write',
  summary: 'Record the exit control of a completed deadline',
  description:
    'A user other than the one who completed it confirms that the act was sent as the evidence says. The register lists completed deadlines without this control. Confirming again changes nothing.',
  errors: {
    403: ['DUAL_CONTROL_REQUIRED'],
    404: ['DEADLINE_NOT_FOUND'],
    409: ['DEADLINE_NOT_COMPLETED'],
  },
  example: {
    params: { id: example.id },
    answer: { ...completed, exit_control: { by: colleague, at: '2026-04-14T15:30:00.000Z' } },
  },
  handle: ({ deadlines }, { actor, params, precondition }) =>
    deadlines.controlExit(actor, params.id, precondition),
})

export const reopenDeadline = endpoint({
  ...oneDeadline,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/reopen',
  access: 'deadlines:write',
  summary: 'Undo the completion of a deadline',
  description:
    'For a completion that was wrong. The Vorfrist that was completed with its Hauptfrist is open again, too. An extension request that the completion ended waits for its answer again. The history keeps the completion, its evidence and the reason.',
  body: ReopeningInput,
  errors: {
    404: ['DEADLINE_NOT_FOUND', 'CASE_NOT_FOUND'],
    409: ['DEADLINE_NOT_COMPLETED', 'CHAIN_OCCUPIED'],
  },
  example: {
    params: { id: example.id },
    body: { reason: 'Die Eingangsbestätigung gehört zu einem anderen Verfahren.' },
    answer: verified,
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.reopen(actor, params.id, body.reason, precondition),
})

export const getDeadlineHistory = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines/{id}/history',
  access: 'deadlines:read',
  summary: 'List the history of a deadline, oldest first',
  description:
    'The entries form a hash chain: `hash` is the SHA-256 of the canonical JSON (RFC 8785) of the entry without `hash`, and `previous_hash` is the hash of the entry before. Struck deadlines have a history too.',
  params: { id },
  query: pageOnly,
  output: DeadlineHistory,
  errors: { 404: ['DEADLINE_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: history },
  handle: ({ deadlines }, { actor, params, query }) => deadlines.history(actor, params.id, query),
})
