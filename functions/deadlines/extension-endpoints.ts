import type { DeadlineService } from '#deadlines/deadlines.ts'
import { Deadline, EnteredDeadline, ExtensionGrant, ExtensionRequest } from '#deadlines/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { author, reasons, requested } from './examples.ts'

const endpoint = endpointsOf<{ deadlines: DeadlineService }>()

const id = idOf('event')
const oneExtension = { params: { id }, output: EnteredDeadline, etag: Deadline }

export const requestDeadlineExtension = endpoint({
  ...oneExtension,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/extension',
  access: 'deadlines:write',
  summary: 'Record that an extension was requested',
  description:
    'The deadline keeps its due time until the court answers. A provisional deadline with its own Vorfrist is shown in lists and register for the requested end. A second request replaces the first. With `period` the new end counts from the end of the deadline, and moves from a day off in the same way (§ 224 Abs. 3 ZPO). A Notfrist, and a period that by law cannot be extended, or not a second time, get 400 with the paragraph. `warnings` says who may extend the deadline and for how long, whether it is already past, and whether the end of a `period` depends on a holiday of some regions only.',
  body: ExtensionRequest,
  errors: {
    404: ['DEADLINE_NOT_FOUND', 'CASE_NOT_FOUND'],
    409: ['DEADLINE_COMPLETED', 'DEADLINE_PROVISIONAL'],
  },
  example: {
    params: { id: reasons.id },
    body: { period: { unit: 'month', count: 1 }, note: 'Telefonat mit der Geschäftsstelle.' },
    answer: { ...reasons, extension: requested, warnings: [] },
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.requestExtension(actor, params.id, body, precondition),
})

export const grantDeadlineExtension = endpoint({
  ...oneExtension,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/extension/grant',
  access: 'deadlines:write',
  summary: 'Record that the court has granted the extension',
  description:
    'Moves the deadline to `until`, or to what was requested, and clears its verification; its basis stays. The provisional deadline is struck; one Vorfrist remains and moves along. Of a Nachfrist none remains: `warnings` says so.',
  body: ExtensionGrant,
  errors: { 404: ['DEADLINE_NOT_FOUND'], 409: ['EXTENSION_NOT_REQUESTED'] },
  example: {
    params: { id: reasons.id },
    body: {},
    answer: {
      ...reasons,
      due_at: '2026-06-18T23:59:59+02:00',
      extension: {
        ...requested,
        state: 'granted' as const,
        until: '2026-06-18T23:59:59+02:00',
        decided_at: '2026-05-13T10:20:00.000Z',
        decided_by: author,
      },
      warnings: [],
    },
  },
  handle: ({ deadlines }, { actor, params, body, precondition }) =>
    deadlines.grantExtension(actor, params.id, body, precondition),
})

export const refuseDeadlineExtension = endpoint({
  ...oneExtension,
  method: 'POST',
  path: '/api/v1/deadlines/{id}/extension/refuse',
  access: 'deadlines:write',
  summary: 'Record that the court has refused the extension',
  description: 'The deadline stays as it is; the provisional one is struck.',
  errors: { 404: ['DEADLINE_NOT_FOUND'], 409: ['EXTENSION_NOT_REQUESTED'] },
  example: {
    params: { id: reasons.id },
    answer: {
      ...reasons,
      extension: {
        ...requested,
        state: 'refused' as const,
        decided_at: '2026-05-13T10:20:00.000Z',
        decided_by: author,
      },
      warnings: [],
    },
  },
  handle: ({ deadlines }, { actor, params, precondition }) =>
    deadlines.refuseExtension(actor, params.id, precondition),
})
