import type { ExportExecution } from '#exports/executing.ts'
import type { ExportRuns } from '#exports/runs.ts'
import { ExportedJson, RetrieveQuery } from '#exports/schema.ts'
import type { ExportTokenService } from '#exports/tokens.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

const endpoint = endpointsOf<{ execution: ExportExecution; runs: ExportRuns; tokens: ExportTokenService }>()

const id = idOf('exportConfig')
const example = { id: 'exp_01993f68-1a2b-7c3d-8e4f-5a6b7c8d9e0f' }
const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'

/** The media types of executed exports. */
const types = [
  'application/json',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const

const json = {
  schema: ExportedJson,
  example: {
    meta: { config_id: example.id, executed_at: '2026-04-01T06:00:00.000Z', row_count: 1 },
    data: [{ file_number: '0001/26', name: 'Meier ./. Schulze wegen Kaufpreis', status: 'active' }],
  },
}

/** The common part of the two ways to execute an export. */
const file = {
  description:
    'The answer is a file in the format of the configuration, up to 190 MB. JSON is `{"data":[…],"meta":{"config_id","executed_at","row_count"}}` with the rows by field. If the export fails in the middle, the connection ends before the end of the answer: such a file is not complete. The same happens beyond 190 MB: select fewer days, or give the configuration a schedule and download the file of a run in parts, by `Range`.',
  params: { id },
  produces: 'stream' as const,
  types,
  json,
  example: { params: { id: example.id } },
}

export const executeExport = endpoint({
  ...file,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/execute',
  access: 'reports:read',
  summary: 'Execute an export',
  errors: {
    400: ['INVALID_FILTER'],
    404: ['CONFIG_NOT_FOUND'],
    409: ['DATEV_SETTINGS_MISSING'],
  },
  handle: ({ execution }, { actor, params }) => execution.execute(actor, params.id),
})

export const downloadExportRun = endpoint({
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/runs/{run_id}/download',
  access: 'reports:read',
  summary: 'Download the file of a scheduled run',
  params: { id, run_id: idOf('exportRun') },
  produces: 'file',
  errors: { 404: ['CONFIG_NOT_FOUND', 'RUN_NOT_FOUND'], 409: ['RUN_NOT_FINISHED'] },
  example: { params: { id: example.id, run_id: 'run_01993f69-3c4d-7e5f-8a60-7b8c9d0e1f2a' } },
  handle: ({ runs }, { actor, params }) => runs.file(actor, params.id, params.run_id),
})

export const retrieveExport = endpoint({
  ...file,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/retrieve',
  access: {
    in: 'query',
    name: 'token',
    description: 'a token of the configuration, from `generate-token`.',
    example: token,
    verify: ({ tokens }, shown, { params }) => tokens.admit(shown, params.id ?? ''),
  },
  summary: 'Retrieve an export with a token',
  query: RetrieveQuery,
  // The address contains the secret, which must not reach the next page as its referrer.
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' },
  errors: {
    400: ['INVALID_FILTER'],
    401: ['EXPORT_TOKEN_INVALID'],
    404: ['CONFIG_NOT_FOUND', 'RUN_NOT_FOUND'],
    409: ['DATEV_SETTINGS_MISSING'],
    410: ['TOKEN_EXPIRED'],
  },
  handle: ({ execution }, { actor, query }) => execution.retrieve(actor, query),
})
