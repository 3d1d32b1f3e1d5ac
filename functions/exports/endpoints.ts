import * as z from 'zod'
import type { ExportService } from '#exports/configs.ts'
import type { exportPreview } from '#exports/preview.ts'
import { ExportRun } from '#exports/run-schema.ts'
import type { ExportRuns } from '#exports/runs.ts'
import {
  CreatedExportToken,
  ExportConfig,
  ExportConfigChanges,
  ExportConfigInput,
  ExportPreview,
  ExportSource,
  ExportToken,
  ExportTokenInput,
} from '#exports/schema.ts'
import type { ExportTokenService } from '#exports/tokens.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'

type Services = {
  exports: ExportService
  preview: ReturnType<typeof exportPreview>
  runs: ExportRuns
  tokens: ExportTokenService
}

const endpoint = endpointsOf<Services>()

const id = idOf('exportConfig')
const oneConfig = { params: { id }, errors: { 404: ['CONFIG_NOT_FOUND'] as const } }
const example = {
  id: 'exp_01993f68-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  name: 'Mandanten',
  description: 'Für den Steuerberater',
  source: 'parties' as const,
  format: 'csv' as const,
  csv_dialect: 'excel-de' as const,
  filters: { type: 'person', date_from: '2026-01-01' },
  columns: [
    { field: 'name', label: 'Name' },
    { field: 'email', label: 'Mailadresse' },
  ],
  schedule: { frequency: 'daily' as const, time: '06:00' },
  last_executed_at: null,
  created_at: '2026-03-16T08:30:00.000Z',
}
const { name, description, source, format, csv_dialect, filters, columns, schedule } = example
const token = {
  id: 'exptok_01993f68-2b3c-7d4e-9f50-6b7c8d9e0f1a',
  created_by: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
  created_at: '2026-03-16T08:31:00.000Z',
  expires_at: '2026-03-17T08:31:00.000Z',
  last_used_at: null,
}
const secret = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'

export const listExportSources = endpoint({
  method: 'GET',
  path: '/api/v1/exports/sources',
  access: 'reports:read',
  summary: 'List the sources that can be exported',
  description:
    'Each source with its fields, in the order of the default columns, and the names of its filters.',
  ...pagesOf(ExportSource),
  example: {
    answer: {
      data: [
        {
          source: 'invoices',
          fields: [
            { field: 'number', label: 'Rechnungsnummer', type: 'text' },
            { field: 'status', label: 'Status', type: 'text' },
            { field: 'invoice_date', label: 'Rechnungsdatum', type: 'date' },
            { field: 'due_date', label: 'Fällig am', type: 'date' },
            { field: 'case_id', label: 'Akte (ID)', type: 'text' },
            { field: 'file_number', label: 'Aktenzeichen', type: 'text' },
            { field: 'party_id', label: 'Empfänger (ID)', type: 'text' },
            { field: 'party_name', label: 'Empfänger', type: 'text' },
            { field: 'net', label: 'Netto', type: 'amount' },
            { field: 'tax', label: 'Umsatzsteuer', type: 'amount' },
            { field: 'gross', label: 'Brutto', type: 'amount' },
            { field: 'currency', label: 'Währung', type: 'text' },
            { field: 'paid_at', label: 'Bezahlt am', type: 'timestamp' },
            { field: 'cancels', label: 'Storniert Rechnung (ID)', type: 'text' },
            { field: 'cancelled_by', label: 'Storniert durch (ID)', type: 'text' },
            { field: 'id', label: 'ID', type: 'text' },
            { field: 'created_at', label: 'Angelegt am', type: 'timestamp' },
          ],
          filters: ['date_from', 'date_to', 'status', 'case_id', 'party_id'],
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ exports }, { actor, query }) => exports.sources(actor, query),
})

export const listExportConfigs = endpoint({
  method: 'GET',
  path: '/api/v1/exports/configs',
  access: 'reports:read',
  summary: 'List export configurations, newest first',
  ...pagesOf(ExportConfig),
  example: { answer: { data: [example], pagination: onePage } },
  handle: ({ exports }, { actor, query }) => exports.list(actor, query),
})

export const createExportConfig = endpoint({
  method: 'POST',
  path: '/api/v1/exports/configs',
  access: 'reports:write',
  summary: 'Create an export configuration',
  body: ExportConfigInput,
  status: 201,
  output: ExportConfig,
  etag: ExportConfig,
  errors: { 400: ['INVALID_SOURCE', 'INVALID_FILTER'] },
  example: {
    body: { name, description, source, format, csv_dialect, filters, columns, schedule },
    answer: example,
  },
  handle: ({ exports }, { actor, body }) => exports.create(actor, body),
})

export const getExportConfig = endpoint({
  ...oneConfig,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}',
  access: 'reports:read',
  summary: 'Get an export configuration',
  output: ExportConfig,
  etag: ExportConfig,
  example: { params: { id: example.id }, answer: example },
  handle: ({ exports }, { actor, params }) => exports.get(actor, params.id),
})

export const updateExportConfig = endpoint({
  method: 'PUT',
  path: '/api/v1/exports/configs/{id}',
  access: 'reports:write',
  summary: 'Change an export configuration',
  description:
    'Changes only the fields in the body. Filters and columns, also stored ones, must match the source: send them again with a new `source`.',
  params: { id },
  body: ExportConfigChanges,
  output: ExportConfig,
  etag: ExportConfig,
  errors: { 400: ['INVALID_SOURCE', 'INVALID_FILTER'], 404: ['CONFIG_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { filters: { type: 'organization' } },
    answer: { ...example, filters: { type: 'organization' } },
  },
  handle: ({ exports }, { actor, params, body, precondition }) =>
    exports.change(actor, params.id, body, precondition),
})

export const deleteExportConfig = endpoint({
  ...oneConfig,
  method: 'DELETE',
  path: '/api/v1/exports/configs/{id}',
  access: 'reports:write',
  summary: 'Delete an export configuration',
  description: 'Its tokens stop working, and its runs are removed.',
  output: z.void(),
  etag: ExportConfig,
  example: { params: { id: example.id } },
  handle: ({ exports }, { actor, params, precondition }) => exports.remove(actor, params.id, precondition),
})

export const previewExport = endpoint({
  ...oneConfig,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/preview',
  access: 'reports:read',
  summary: 'Preview the first ten rows of an export',
  description: 'Always as JSON. It does not count as an execution.',
  output: ExportPreview,
  example: {
    params: { id: example.id },
    answer: {
      columns: columns.map((column) => ({ ...column, type: 'text' as const })),
      data: [{ name: 'Anna Meier', email: 'anna.meier@example.de' }],
    },
  },
  handle: ({ preview }, { actor, params }) => preview(actor, params.id),
})

export const listExportRuns = endpoint({
  ...oneConfig,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/runs',
  access: 'reports:read',
  summary: 'List the runs of a schedule, newest first',
  description: 'The newest 30 are kept, with their files.',
  ...pagesOf(ExportRun),
  example: {
    params: { id: example.id },
    answer: {
      data: [
        {
          id: 'run_01993f69-3c4d-7e5f-8a60-7b8c9d0e1f2a',
          started_at: '2026-03-17T05:00:09.000Z',
          finished_at: '2026-03-17T05:00:11.000Z',
          status: 'succeeded' as const,
          status_reason: null,
          row_count: 214,
          size_bytes: 18_201,
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ runs }, { actor, params, query }) => runs.list(actor, params.id, query),
})

export const generateExportToken = endpoint({
  ...oneConfig,
  method: 'POST',
  path: '/api/v1/exports/configs/{id}/generate-token',
  access: { every: ['reports:write', 'reports:read'] },
  summary: 'Create a token for retrieving an export',
  description:
    'With the token another system retrieves the export without an API key. It is shown only in this answer. It works as long as the user who created it is active and holds a valid key with `reports:read`.',
  body: ExportTokenInput,
  status: 201,
  output: CreatedExportToken,
  secrets: ['token'],
  example: {
    params: { id: example.id },
    body: { expires_in_hours: 24 },
    answer: { id: token.id, token: secret, expires_at: token.expires_at },
  },
  handle: ({ tokens }, { actor, params, body }) => tokens.generate(actor, params.id, body),
})

export const listExportTokens = endpoint({
  ...oneConfig,
  method: 'GET',
  path: '/api/v1/exports/configs/{id}/tokens',
  access: 'reports:write',
  summary: 'List the tokens of an export, newest first',
  ...pagesOf(ExportToken),
  example: { params: { id: example.id }, answer: { data: [token], pagination: onePage } },
  handle: ({ tokens }, { actor, params, query }) => tokens.list(actor, params.id, query),
})

export const revokeExportToken = endpoint({
  method: 'DELETE',
  path: '/api/v1/exports/configs/{id}/tokens/{token_id}',
  access: 'reports:write',
  summary: 'Revoke a token',
  params: { id, token_id: idOf('exportToken') },
  output: z.void(),
  errors: { 404: ['CONFIG_NOT_FOUND', 'EXPORT_TOKEN_NOT_FOUND'] },
  example: { params: { id: example.id, token_id: token.id } },
  handle: ({ tokens }, { actor, params }) => tokens.revoke(actor, params.id, params.token_id),
})
