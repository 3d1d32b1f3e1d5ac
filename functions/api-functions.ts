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

/** The Lambdas that answer requests. */
export const apiFunctions: readonly FunctionDeclaration[] = [
  {
    name: 'cases',
    entry: 'functions/cases/index.ts',
    endpoints: cases,
    needs: { table: 'write', sends: ['deliveries'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'parties',
    entry: 'functions/parties/index.ts',
    endpoints: parties,
    needs: {
      table: 'write',
      sends: ['deliveries', 'export-runs', 'search-index'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'billing',
    entry: 'functions/billing/index.ts',
    endpoints: billing,
    needs: { table: 'write', sends: ['deliveries'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'webhooks',
    entry: 'functions/webhooks/index.ts',
    endpoints: webhooks,
    needs: { table: 'write', sends: ['deliveries'], secrets: 'webhooks' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'search',
    entry: 'functions/search/index.ts',
    endpoints: search,
    needs: {
      table: 'read',
      bucket: { search: ['read'], texts: ['read'], mails: ['read'], bea: ['read'] },
      sends: ['search-index'],
    },
    memoryMegabytes: 1024,
    diskMegabytes: 4_096,
    timeoutSeconds: 29,
  },
  {
    name: 'fees',
    entry: 'functions/fees/index.ts',
    endpoints: fees,
    needs: { table: 'read' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'deadlines',
    entry: 'functions/deadlines/index.ts',
    endpoints: deadlines,
    needs: { table: 'write', sends: ['deliveries'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'calendar',
    entry: 'functions/calendar/index.ts',
    endpoints: calendar,
    needs: { table: 'write', sends: ['deliveries'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'sync',
    entry: 'functions/sync/index.ts',
    endpoints: sync,
    needs: { table: 'write', secrets: 'calendar' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'bea',
    entry: 'functions/bea/index.ts',
    endpoints: bea,
    needs: { table: 'write', secrets: 'bea' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'workspace',
    entry: 'functions/workspace/index.ts',
    endpoints: workspace,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'documents',
    entry: 'functions/documents/index.ts',
    endpoints: buffered(documents),
    needs: {
      table: 'write',
      bucket: { files: ['write', 'delete'], texts: ['delete'], uploads: ['read', 'write', 'delete'] },
      sends: ['extract', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
    nodeOptions: collectSooner,
  },
  {
    name: 'documents-files',
    entry: 'functions/documents-files/index.ts',
    endpoints: { ...streamed(documents), ...certificates },
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { files: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'documents-text',
    entry: 'functions/documents-text/index.ts',
    // It waits for `extract`: a firm that asks for the texts of many new documents must not use up the downloads.
    endpoints: documentsText,
    streams: true,
    needs: { table: 'read', bucket: { texts: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'exports',
    entry: 'functions/exports/index.ts',
    endpoints: exportConfigs,
    needs: { table: 'write', bucket: { exports: ['delete'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'exports-files',
    entry: 'functions/exports-files/index.ts',
    endpoints: exportFiles,
    streams: true,
    nodeOptions: writeTables,
    needs: { table: 'exports', bucket: { exports: ['read'] } },
    memoryMegabytes: 1769,
    timeoutSeconds: 900,
  },
  {
    name: 'folders',
    entry: 'functions/folders/index.ts',
    endpoints: folders,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'ingestion',
    entry: 'functions/ingestion/index.ts',
    endpoints: ingestion,
    needs: {
      table: 'write',
      bucket: { files: ['write', 'delete'], uploads: ['read', 'write', 'delete'] },
      sends: ['extract', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
    nodeOptions: collectSooner,
  },
  {
    name: 'email',
    entry: 'functions/email/index.ts',
    endpoints: email,
    needs: {
      sends: ['search-index', 'deliveries'],
      table: 'write',
      bucket: { files: ['read'], mails: ['read', 'write', 'delete'] },
      mail: 'send',
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'mail-webhook',
    entry: 'functions/mail-webhook/index.ts',
    endpoints: mailWebhook,
    needs: {
      table: 'write',
      bucket: { mails: ['write', 'delete'] },
      sends: ['inbound', 'search-index', 'deliveries'],
      mailService: true,
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'correspondence',
    entry: 'functions/correspondence/index.ts',
    endpoints: buffered(correspondence),
    needs: { table: 'write', sends: ['deliveries'], bucket: { mails: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'correspondence-files',
    entry: 'functions/correspondence-files/index.ts',
    endpoints: streamed(correspondence),
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { mails: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'inbox',
    entry: 'functions/inbox/index.ts',
    endpoints: inbox,
    needs: {
      table: 'write',
      bucket: { bea: ['read'], files: ['write'] },
      sends: ['extract', 'inbound', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'bea-messages',
    entry: 'functions/bea-messages/index.ts',
    endpoints: buffered(beaMessages),
    needs: {
      table: 'write',
      bucket: { bea: ['read'], files: ['write'] },
      sends: ['extract', 'inbound', 'bea-sync', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'bea-files',
    entry: 'functions/bea-files/index.ts',
    endpoints: streamed(beaMessages),
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { bea: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'shared',
    entry: 'functions/shared/index.ts',
    endpoints: shared,
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'write', bucket: { files: ['read'], reports: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'bea-drafts',
    entry: 'functions/bea-drafts/index.ts',
    endpoints: beaDrafts,
    needs: {
      table: 'write',
      bucket: { bea: ['read', 'write', 'delete'] },
      sends: ['bea-send', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'signing',
    entry: 'functions/signing/index.ts',
    endpoints: signing,
    needs: {
      table: 'write',
      bucket: { files: ['read'] },
      sends: ['signing-mails', 'search-index', 'deliveries'],
      mail: 'request',
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'sign',
    entry: 'functions/sign/index.ts',
    endpoints: sign,
    streams: true,
    nodeOptions: collectSooner,
    needs: {
      table: 'envelopes',
      bucket: { files: ['read'], signatures: ['write', 'delete'] },
      sends: ['seal', 'signing-mails', 'deliveries'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'system',
    entry: 'functions/system/index.ts',
    endpoints: system,
    needs: { table: 'health' },
    memoryMegabytes: 512,
    timeoutSeconds: 10,
  },
  {
    name: 'docs',
    entry: 'functions/docs/index.ts',
    endpoints: docs,
    assets: ['node_modules/@scalar/api-reference/dist/browser/standalone.js'],
    needs: {},
    memoryMegabytes: 512,
    timeoutSeconds: 10,
  },
]
