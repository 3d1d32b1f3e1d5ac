import { buffered, streamed } from '#http/endpoint.ts'
import * as bea from './bea/endpoints.ts'
import * as beaDrafts from './bea-drafts/endpoints.ts'
import * as beaMessages from './bea-messages/endpoints.ts'
import * as billing from './billing/endpoints.ts'
import * as calendar from './calendar/endpoints.ts'
import * as cases from './cases/endpoints.ts'
import * as correspondence from './correspondence/endpoints.ts'
import * as deadlines from './deadlines/endpoints.ts'
import type { FunctionDeclaration } from './declaration.ts'
import * as docs from './docs/endpoints.ts'
import * as documents from './documents/endpoints.ts'
import * as certificates from './documents-files/certificate-endpoints.ts'
import * as documentsText from './documents-text/endpoints.ts'
import * as email from './email/endpoints.ts'
import * as exportConfigs from './exports/endpoints.ts'
import * as exportFiles from './exports-files/endpoints.ts'
import * as fees from './fees/endpoints.ts'
import * as folders from './folders/endpoints.ts'
import * as inbox from './inbox/endpoints.ts'
import * as ingestion from './ingestion/endpoints.ts'
import * as mailWebhook from './mail-webhook/endpoints.ts'
import { collectSooner, writeTables } from './node-options.ts'
import * as parties from './parties/endpoints.ts'
import * as search from './search/endpoints.ts'
import * as shared from './shared/endpoints.ts'
import * as sign from './sign/endpoints.ts'
import * as signing from './signing/endpoints.ts'
import * as sync from './sync/endpoints.ts'
import * as system from './system/endpoints.ts'
import * as webhooks from './webhooks/endpoints.ts'
import * as workspace from './workspace/endpoints.ts'

/**
 * The Lambdas that answer requests. If the declaration does not say otherwise, one has 1024 MB of memory, and 29 seconds,
 * which is the limit of API Gateway, or 15 minutes if it streams its answers.
 */
export const apiFunctions: readonly FunctionDeclaration[] = declared([
  {
    name: 'cases',
    endpoints: cases,
    needs: { table: 'write', sends: ['deliveries'] },
  },
  {
    name: 'parties',
    endpoints: parties,
    needs: {
      table: 'write',
      sends: ['deliveries', 'export-runs', 'search-index'],
    },
  },
  {
    name: 'billing',
    endpoints: billing,
    needs: { table: 'write', sends: ['deliveries'] },
  },
  {
    name: 'webhooks',
    endpoints: webhooks,
    needs: { table: 'write', sends: ['deliveries'], secrets: 'webhooks' },
  },
  {
    name: 'search',
    endpoints: search,
    needs: {
      table: 'read',
      bucket: { search: ['read'], texts: ['read'], mails: ['read'], bea: ['read'] },
      sends: ['search-index'],
    },
    diskMegabytes: 4_096,
  },
  {
    name: 'fees',
    endpoints: fees,
    needs: { table: 'read' },
  },
  {
    name: 'deadlines',
    endpoints: deadlines,
    needs: { table: 'write', sends: ['deliveries'] },
  },
  {
    name: 'calendar',
    endpoints: calendar,
    needs: { table: 'write', sends: ['deliveries'] },
  },
  {
    name: 'sync',
    endpoints: sync,
    needs: { table: 'write', secrets: 'calendar' },
  },
  {
    name: 'bea',
    endpoints: bea,
    needs: { table: 'write', secrets: 'bea' },
  },
  {
    name: 'workspace',
    endpoints: workspace,
    needs: { table: 'write' },
  },
  {
    name: 'documents',
    endpoints: buffered(documents),
    needs: {
      table: 'write',
      bucket: { files: ['write', 'delete'], texts: ['delete'], uploads: ['read', 'write', 'delete'] },
      sends: ['extract', 'search-index', 'deliveries'],
    },
    nodeOptions: collectSooner,
  },
  {
    name: 'documents-files',
    endpoints: { ...streamed(documents), ...certificates },
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { files: ['read'] } },
  },
  {
    name: 'documents-text',
    // It waits for `extract`: a firm that asks for the texts of many new documents must not use up the downloads.
    endpoints: documentsText,
    streams: true,
    needs: { table: 'read', bucket: { texts: ['read'] } },
  },
  {
    name: 'exports',
    endpoints: exportConfigs,
    needs: { table: 'write', bucket: { exports: ['delete'] } },
  },
  {
    name: 'exports-files',
    endpoints: exportFiles,
    streams: true,
    nodeOptions: writeTables,
    needs: { table: 'exports', bucket: { exports: ['read'] } },
    memoryMegabytes: 1769,
  },
  {
    name: 'folders',
    endpoints: folders,
    needs: { table: 'write' },
  },
  {
    name: 'ingestion',
    endpoints: ingestion,
    needs: {
      table: 'write',
      bucket: { files: ['write', 'delete'], uploads: ['read', 'write', 'delete'] },
      sends: ['extract', 'search-index', 'deliveries'],
    },
    nodeOptions: collectSooner,
  },
  {
    name: 'email',
    endpoints: email,
    needs: {
      sends: ['search-index', 'deliveries'],
      table: 'write',
      bucket: { files: ['read'], mails: ['read', 'write', 'delete'] },
      mail: 'send',
    },
  },
  {
    name: 'mail-webhook',
    endpoints: mailWebhook,
    needs: {
      table: 'write',
      bucket: { mails: ['write', 'delete'] },
      sends: ['inbound', 'search-index', 'deliveries'],
      mailService: true,
    },
  },
  {
    name: 'correspondence',
    endpoints: buffered(correspondence),
    needs: { table: 'write', sends: ['deliveries'], bucket: { mails: ['read'] } },
  },
  {
    name: 'correspondence-files',
    endpoints: streamed(correspondence),
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { mails: ['read'] } },
  },
  {
    name: 'inbox',
    endpoints: inbox,
    needs: {
      table: 'write',
      bucket: { bea: ['read'], files: ['write'] },
      sends: ['extract', 'inbound', 'search-index', 'deliveries'],
    },
  },
  {
    name: 'bea-messages',
    endpoints: buffered(beaMessages),
    needs: {
      table: 'write',
      bucket: { bea: ['read'], files: ['write'] },
      sends: ['extract', 'inbound', 'bea-sync', 'search-index', 'deliveries'],
    },
  },
  {
    name: 'bea-files',
    endpoints: streamed(beaMessages),
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { bea: ['read'] } },
  },
  {
    name: 'shared',
    endpoints: shared,
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'write', bucket: { files: ['read'], reports: ['read'] } },
  },
  {
    name: 'bea-drafts',
    endpoints: beaDrafts,
    needs: {
      table: 'write',
      bucket: { bea: ['read', 'write', 'delete'] },
      sends: ['bea-send', 'search-index', 'deliveries'],
    },
  },
  {
    name: 'signing',
    endpoints: signing,
    needs: {
      table: 'write',
      bucket: { files: ['read'] },
      sends: ['signing-mails', 'search-index', 'deliveries'],
      mail: 'request',
    },
  },
  {
    name: 'sign',
    endpoints: sign,
    streams: true,
    nodeOptions: collectSooner,
    needs: {
      table: 'envelopes',
      bucket: { files: ['read'], signatures: ['write', 'delete'] },
      sends: ['seal', 'signing-mails', 'deliveries'],
    },
  },
  {
    name: 'system',
    endpoints: system,
    needs: { table: 'health' },
    memoryMegabytes: 512,
    timeoutSeconds: 10,
  },
  {
    name: 'docs',
    endpoints: docs,
    assets: ['node_modules/@scalar/api-reference/dist/browser/standalone.js'],
    needs: {},
    memoryMegabytes: 512,
    timeoutSeconds: 10,
  },
])

type Usual = 'entry' | 'memoryMegabytes' | 'timeoutSeconds'

function declared(
  functions: (Omit<FunctionDeclaration, Usual> & Partial<FunctionDeclaration>)[],
): FunctionDeclaration[] {
  return functions.map((one) => ({
    entry: `functions/${one.name}/index.ts`,
    memoryMegabytes: 1024,
    timeoutSeconds: one.streams ? 900 : 29,
    ...one,
  }))
}
