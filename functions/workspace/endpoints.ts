import * as z from 'zod'
import type { AuditService } from '#audit/audit.ts'
import { AuditQuery, FirmAuditEntry } from '#audit/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf, pagesOf } from '#kernel/page.ts'
import {
  ApiKey,
  ApiKeyInput,
  ChangedUser,
  ChangedWorkspace,
  CreatedApiKey,
  Me,
  User,
  UserChanges,
  UserInput,
  WebhookSettings,
  Workspace,
  WorkspaceChanges,
} from '#workspace/schema.ts'
import type { WorkspaceService } from '#workspace/workspace.ts'

const endpoint = endpointsOf<{ workspace: WorkspaceService; audit: AuditService }>()

const userId = idOf('user')
const workspace = {
  id: 'ws_01993f5d-4e02-7b1c-9f33-8a5d6c7e2b10',
  name: 'Kanzlei Vogt & Partner',
  time_zone: 'Europe/Berlin',
  holiday_region: 'DE-BE' as const,
  inbound_address: '8a5d6c7e2b10@inbound.example.de',
  auto_file: 'certain' as const,
  seller: {
    name: 'Vogt & Partner Rechtsanwälte PartG mbB',
    street: 'Lindenstraße 7',
    postcode: '10969',
    city: 'Berlin',
    country: 'DE',
    vat_id: 'DE123456789',
    tax_number: '34/567/89012',
    contact_name: 'Dr. Jana Vogt',
    phone: '+49 30 1234567',
    email: 'buchhaltung@example.de',
    iban: 'DE02120300000000202051',
  },
  datev: {
    consultant: '1001',
    client: '456',
    revenue_account_19: '4400',
    revenue_account_7: '4300',
    revenue_account_0: '4120',
    revenue_account_reverse_charge: '4336',
    debtor_account: '10000',
  },
  created_at: '2026-03-16T08:00:00.000Z',
}
const webhooks = {
  token: 'kq3Yx0b7pUQm1sVd9ZtWc5LhRf2NaGjEoTi8uXyP4rM',
  created_at: '2026-03-16T08:00:00.000Z',
  url: `https://api.example.de/webhooks/inbox/${workspace.id}`,
}
const attorney = {
  id: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
  name: 'Dr. Jana Vogt',
  email: 'vogt@example.de',
  signature_html: null,
  active: true,
  created_at: '2026-03-16T08:05:00.000Z',
}
const secretary = {
  ...attorney,
  id: 'usr_01993f5e-6b0f-7a1c-9d53-1e0b8d7a3f52',
  name: 'Miriam Vogel',
  email: 'vogel@example.de',
}
const key = {
  id: 'ak_01993f5e-2c18-7f0b-b5e6-7d3f9a2c4e05',
  user_id: attorney.id,
  name: 'Scanner im Empfang',
  scopes: ['documents:write' as const],
  expires_at: null,
  last_used_at: null,
  created_at: '2026-03-16T08:06:00.000Z',
}

export const getMe = endpoint({
  method: 'GET',
  path: '/api/v1/me',
  access: 'any key',
  summary: 'Get the owner of this API key',
  description: 'The user, the workspace and the key itself, with its scopes.',
  output: Me,
  errors: { 404: ['USER_NOT_FOUND', 'API_KEY_NOT_FOUND'] },
  example: {
    answer: {
      user: attorney,
      workspace: {
        id: workspace.id,
        name: workspace.name,
        time_zone: 'Europe/Berlin',
        holiday_region: 'DE-BE',
      },
      api_key: { id: key.id, name: key.name, scopes: key.scopes, expires_at: null },
    },
  },
  handle: ({ workspace }, { actor }) => workspace.me(actor),
})

export const getWorkspace = endpoint({
  method: 'GET',
  path: '/api/v1/workspace',
  access: 'workspace:admin',
  summary: 'Get the workspace',
  output: Workspace,
  example: { answer: workspace },
  handle: ({ workspace }, { actor }) => workspace.get(actor),
})

export const updateWorkspace = endpoint({
  method: 'PATCH',
  path: '/api/v1/workspace',
  access: 'workspace:admin',
  summary: 'Change the workspace',
  description:
    'Changes only the fields in the body, also of `seller` (the firm on its invoices) and `datev` (the numbers under which DATEV books them); `null` clears. With `holiday_region`, `warnings` and `deadline_ids` name open deadlines that were calculated with the holidays of another region and may end on another day in this one. They stay as they are. With `time_zone`, the next scheduled runs of exports move to their times in it.',
  body: WorkspaceChanges,
  output: ChangedWorkspace,
  example: { body: { holiday_region: 'DE-BY' }, answer: { ...workspace, holiday_region: 'DE-BY' } },
  handle: ({ workspace }, { actor, body }) => workspace.change(actor, body),
})

export const getWebhooks = endpoint({
  method: 'GET',
  path: '/api/v1/workspace/webhooks',
  access: 'workspace:admin',
  summary: 'Get the token of the ingestion webhook',
  output: WebhookSettings,
  example: { answer: webhooks },
  handle: ({ workspace }, { actor, baseUrl }) => workspace.webhooks(actor, baseUrl),
})

export const rotateWebhookToken = endpoint({
  method: 'POST',
  path: '/api/v1/workspace/webhooks/rotate',
  access: 'workspace:admin',
  summary: 'Replace the token of the ingestion webhook',
  description: 'Once this request is answered, the old token is invalid.',
  output: WebhookSettings,
  example: { answer: webhooks },
  handle: ({ workspace }, { actor, baseUrl }) => workspace.rotateWebhookToken(actor, baseUrl),
})

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/v1/users',
  access: 'any key',
  summary: 'List users, newest first',
  ...pagesOf(User),
  example: { answer: { data: [attorney], pagination: onePage } },
  handle: ({ workspace }, { actor, query }) => workspace.listUsers(actor, query),
})

export const createUser = endpoint({
  method: 'POST',
  path: '/api/v1/users',
  access: 'workspace:admin',
  summary: 'Create a user',
  body: UserInput,
  status: 201,
  output: User,
  example: { body: { name: attorney.name, email: attorney.email }, answer: attorney },
  handle: ({ workspace }, { actor, body }) => workspace.addUser(actor, body),
})

export const getUser = endpoint({
  method: 'GET',
  path: '/api/v1/users/{id}',
  access: 'any key',
  summary: 'Get a user',
  params: { id: userId },
  output: User,
  errors: { 404: ['USER_NOT_FOUND'] },
  example: { params: { id: attorney.id }, answer: attorney },
  handle: ({ workspace }, { actor, params }) => workspace.getUser(actor, params.id),
})

export const updateUser = endpoint({
  method: 'PATCH',
  path: '/api/v1/users/{id}',
  access: 'workspace:admin',
  summary: 'Change a user',
  description:
    'The keys of a deactivated user stop working immediately. With `active: false`, `warnings` and `deadline_ids` name the open deadlines of this user: each needs another responsible person. The last active user with a valid key that has `workspace:admin` cannot be deactivated.',
  params: { id: userId },
  body: UserChanges,
  output: ChangedUser,
  errors: { 404: ['USER_NOT_FOUND'], 409: ['LAST_ADMIN'] },
  example: { params: { id: secretary.id }, body: { active: false }, answer: { ...secretary, active: false } },
  handle: ({ workspace }, { actor, params, body }) => workspace.changeUser(actor, params.id, body),
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/v1/api-keys',
  access: 'workspace:admin',
  summary: 'List API keys, newest first',
  ...pagesOf(ApiKey),
  example: { answer: { data: [key], pagination: onePage } },
  handle: ({ workspace }, { actor, query }) => workspace.listKeys(actor, query),
})

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys',
  access: 'workspace:admin',
  summary: 'Create an API key for a user',
  description: 'The key is shown only in this answer.',
  body: ApiKeyInput,
  status: 201,
  output: CreatedApiKey,
  secrets: ['key'],
  errors: { 404: ['USER_NOT_FOUND'] },
  example: {
    body: { user_id: attorney.id, name: key.name, scopes: key.scopes },
    answer: { ...key, key: `${key.id}_Zt4mWc9KxQv1LhRf2NaGjEoTi8uXyP4rMkq3Yx0b7pU` },
  },
  handle: ({ workspace }, { actor, body }) => workspace.addKey(actor, body),
})

export const deleteApiKey = endpoint({
  method: 'DELETE',
  path: '/api/v1/api-keys/{id}',
  access: 'workspace:admin',
  summary: 'Revoke an API key',
  params: { id: idOf('apiKey') },
  output: z.void(),
  errors: { 404: ['API_KEY_NOT_FOUND'] },
  example: { params: { id: key.id } },
  handle: ({ workspace }, { actor, params }) => workspace.revokeKey(actor, params.id),
})

const audited = {
  id: 'aud_01993f5e-2c18-7f0b-b5e6-000000000001',
  seq: 1,
  at: '2026-03-16T08:06:00.000Z',
  actor: { type: 'system' as const, id: null, key_id: null },
  action: 'key.created' as const,
  ref: { type: 'api_key', id: key.id },
  previous_hash: null,
  hash: 'd5a1dd4ab6a8ab5d2f3bcb4c1b9d1f2b3a0a4c4f6a2d2f9c8c0b4f6c1e9a7d30',
}

export const listAudit = endpoint({
  method: 'GET',
  path: '/api/v1/audit',
  access: 'workspace:admin',
  summary: 'Read the audit of the firm, oldest first',
  description:
    'Who created, first used, and revoked keys, which keys were refused (once an hour), and changes of users, settings, tokens, links and exports; ids only. The entries are a hash chain that nothing in the service can change, kept for ten years. `Accept: application/x-ndjson` returns only the entries, one per line, and the cursor in the header `Next-Cursor`. If few entries match, a page may hold fewer than `limit`, or none, and still have a cursor. Without a filter, a reader may also continue with `after` and the last id until no line is returned.',
  query: AuditQuery,
  output: pageOf(FirmAuditEntry),
  renderings: {
    'application/x-ndjson': {
      render: ({ data }) => data.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
      nextCursor: ({ pagination }) => pagination.cursor,
    },
  },
  errors: { 404: ['AUDIT_ENTRY_NOT_FOUND'] },
  example: { query: { action: 'key.created' }, answer: { data: [audited], pagination: onePage } },
  handle: ({ audit }, { actor, query }) => audit.list(actor, query),
})
