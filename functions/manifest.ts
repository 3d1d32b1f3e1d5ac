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
import * as email from './email/endpoints.ts'
import * as exportConfigs from './exports/endpoints.ts'
import * as exportFiles from './exports-files/endpoints.ts'
import * as fees from './fees/endpoints.ts'
import * as folders from './folders/endpoints.ts'
import * as inbox from './inbox/endpoints.ts'
import * as ingestion from './ingestion/endpoints.ts'
import * as mailWebhook from './mail-webhook/endpoints.ts'
import * as parties from './parties/endpoints.ts'
import * as shared from './shared/endpoints.ts'
import * as sign from './sign/endpoints.ts'
import * as signing from './signing/endpoints.ts'
import * as sync from './sync/endpoints.ts'
import * as system from './system/endpoints.ts'
import { beaSendSeconds, unknownLogLine } from './workers/bea-send/limits.ts'
import { beaSyncSeconds, missingLogLine } from './workers/bea-sync/limits.ts'
import { exportRunSeconds } from './workers/export-runs/limits.ts'
import { extractWorkerSeconds } from './workers/extract/limits.ts'
import { inboundWorkerSeconds } from './workers/inbound/limits.ts'
import { sealWorkerSeconds } from './workers/seal/limits.ts'
import { lateLogLine, parkedLogLine, unreadLogLine } from './workers/sweeper/limits.ts'
import * as workspace from './workspace/endpoints.ts'

/**
 * For functions that pass large files on: the garbage collector frees passed bytes sooner, so a file of 200 MiB takes
 * half the memory. `npm run bench` measures it.
 */
const collectSooner = '--max-semi-space-size=1'

/**
 * For functions that write tables: a library of exceljs creates buffers in a way that makes Node warn once per
 * instance.
 */
const writeTables = `${collectSooner} --disable-warning=DEP0005`

/** The list of all Lambdas. Routes, rights, schedules and the local environment come from it. */
export const manifest: readonly FunctionDeclaration[] = [
  {
    name: 'cases',
    entry: 'functions/cases/index.ts',
    endpoints: cases,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'parties',
    entry: 'functions/parties/index.ts',
    endpoints: parties,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'billing',
    entry: 'functions/billing/index.ts',
    endpoints: billing,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'fees',
    entry: 'functions/fees/index.ts',
    endpoints: fees,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'deadlines',
    entry: 'functions/deadlines/index.ts',
    endpoints: deadlines,
    needs: { table: 'write' },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'calendar',
    entry: 'functions/calendar/index.ts',
    endpoints: calendar,
    needs: { table: 'write' },
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
      sends: ['extract'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
    nodeOptions: collectSooner,
  },
  {
    name: 'documents-files',
    entry: 'functions/documents-files/index.ts',
    endpoints: streamed(documents),
    streams: true,
    nodeOptions: collectSooner,
    needs: { table: 'read', bucket: { files: ['read'], texts: ['read'] } },
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
      sends: ['extract'],
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
      sends: ['inbound'],
      mailService: true,
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'correspondence',
    entry: 'functions/correspondence/index.ts',
    endpoints: buffered(correspondence),
    needs: { table: 'write', bucket: { mails: ['read'] } },
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
    needs: { table: 'write', bucket: { bea: ['read'], files: ['write'] }, sends: ['extract', 'inbound'] },
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
      sends: ['extract', 'inbound', 'bea-sync'],
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
    needs: { table: 'write', bucket: { files: ['read'] } },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'bea-drafts',
    entry: 'functions/bea-drafts/index.ts',
    endpoints: beaDrafts,
    needs: { table: 'write', bucket: { bea: ['read', 'write', 'delete'] }, sends: ['bea-send'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'signing',
    entry: 'functions/signing/index.ts',
    endpoints: signing,
    needs: { table: 'write', bucket: { files: ['read'] }, sends: ['signing-mails'], mail: 'request' },
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
      sends: ['seal', 'signing-mails'],
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 900,
  },
  {
    name: 'extract',
    entry: 'functions/workers/extract/index.ts',
    processes: ['packages/extraction/pdf-thread.ts'],
    // A document takes ten seconds.
    consumes: { queue: 'extract', maxConcurrency: 10, share: 0.15 },
    needs: {
      table: 'write',
      bucket: { files: ['read'], texts: ['write', 'delete'] },
      sends: ['inbound'],
      textract: true,
    },
    memoryMegabytes: 3008,
    timeoutSeconds: extractWorkerSeconds,
  },
  {
    name: 'inbound',
    entry: 'functions/workers/inbound/index.ts',
    consumes: { queue: 'inbound', maxConcurrency: 10, share: 0.1 },
    needs: {
      table: 'write',
      bucket: { mails: ['read', 'write'], files: ['write'], texts: ['read'], bea: ['read'] },
      sends: ['extract', 'inbound'],
    },
    memoryMegabytes: 1769,
    timeoutSeconds: inboundWorkerSeconds,
  },
  {
    name: 'mail-events',
    entry: 'functions/workers/mail-events/index.ts',
    consumes: { queue: 'mail-events', maxConcurrency: 5 },
    needs: { table: 'write' },
    memoryMegabytes: 512,
    timeoutSeconds: 30,
  },
  {
    name: 'receive-mail',
    entry: 'functions/workers/receive-mail/index.ts',
    consumes: { queue: 'received-mails', maxConcurrency: 10 },
    needs: {
      table: 'write',
      bucket: { received: ['read', 'write'], mails: ['write', 'delete'] },
      sends: ['inbound'],
    },
    memoryMegabytes: 512,
    timeoutSeconds: 60,
  },
  {
    name: 'signing-mails',
    entry: 'functions/workers/signing-mails/index.ts',
    consumes: { queue: 'signing-mails', maxConcurrency: 5 },
    needs: {
      table: 'write',
      bucket: { files: ['read'], mails: ['read', 'write', 'delete'] },
      mail: 'send',
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 60,
  },
  {
    name: 'bea-send',
    entry: 'functions/workers/bea-send/index.ts',
    consumes: { queue: 'bea-send', maxConcurrency: 5 },
    needs: {
      table: 'write',
      bucket: { files: ['read', 'write', 'delete'], texts: ['delete'], bea: ['read', 'write', 'delete'] },
      sends: ['bea-send', 'extract', 'inbound'],
      secrets: 'bea',
    },
    alarms: [
      {
        metric: 'BeaSendsUnknown',
        message: unknownLogLine,
        says: 'The outcome of a beA message is unknown: it is looked for, and if that settles nothing, a lawyer must look into the postbox.',
      },
    ],
    // A message has up to 60 MB, which are encrypted during sending.
    memoryMegabytes: 1769,
    timeoutSeconds: beaSendSeconds,
  },
  {
    name: 'seal',
    entry: 'functions/workers/seal/index.ts',
    processes: ['packages/sealing/prepare-process.ts'],
    assets: ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'].map(
      (font) => `node_modules/dejavu-fonts-ttf/ttf/${font}.ttf`,
    ),
    consumes: { queue: 'seal', maxConcurrency: 3 },
    needs: {
      table: 'write',
      bucket: { files: ['read', 'write', 'delete'], texts: ['delete'], signatures: ['read'] },
      sends: ['extract', 'signing-mails'],
      signs: true,
    },
    // Higher than the limits of the process that reads a document (`packages/sealing/limits.ts`), so that those
    // limits apply first.
    memoryMegabytes: 3008,
    timeoutSeconds: sealWorkerSeconds,
  },
  {
    name: 'bea-sync',
    entry: 'functions/workers/bea-sync/index.ts',
    // Each postbox is synchronised every quarter of an hour.
    consumes: { queue: 'bea-sync', maxConcurrency: 10, share: 0.15 },
    needs: {
      table: 'write',
      bucket: { bea: ['write'] },
      sends: ['inbound', 'bea-sync', 'bea-send'],
      secrets: 'bea',
    },
    memoryMegabytes: 1769,
    timeoutSeconds: beaSyncSeconds,
    nodeOptions: collectSooner,
    alarms: [
      {
        metric: 'BeaMessageMissing',
        message: missingLogLine,
        says: 'A message of beA could not be imported for a day, or is too large for it; the network deletes it after 120 days. From day 90, and at once if it is too large, it stands in the inbox of its firm.',
      },
    ],
  },
  {
    name: 'export-runs',
    entry: 'functions/workers/export-runs/index.ts',
    // Many schedules are for the same hour, and a run must begin within a minute of its time.
    consumes: { queue: 'export-runs', maxConcurrency: 10 },
    needs: { table: 'write', bucket: { exports: ['write', 'parts', 'delete'] } },
    memoryMegabytes: 1769,
    timeoutSeconds: exportRunSeconds,
    nodeOptions: writeTables,
  },
  {
    name: 'sweeper',
    entry: 'functions/workers/sweeper/index.ts',
    everyMinutes: 1,
    needs: {
      table: 'write',
      bucket: {
        files: ['write', 'delete'],
        texts: ['delete'],
        uploads: ['delete'],
        mails: ['delete'],
        exports: ['delete'],
        bea: ['read', 'delete'],
      },
      sends: ['extract', 'inbound', 'seal', 'export-runs', 'signing-mails', 'bea-sync', 'bea-send'],
    },
    // A whole processor: it begins about 5 000 synchronisations or exports in a minute; with 512 MB only a third of
    // that.
    memoryMegabytes: 1769,
    timeoutSeconds: 60,
    alarms: [
      {
        metric: 'BeaSyncLate',
        message: lateLogLine,
        says: 'An account of beA has not been synchronised for a day.',
      },
      {
        metric: 'JobsParked',
        message: parkedLogLine,
        says: 'Jobs are parked: a person must look at them.',
      },
      {
        metric: 'DocumentUnread',
        message: unreadLogLine,
        says: 'A document has waited for its text for more than two hours.',
        above: { field: 'minutes', limit: 120 },
      },
    ],
  },
  {
    name: 'calendar-withdrawals',
    entry: 'functions/workers/calendar-withdrawals/index.ts',
    everyMinutes: 1,
    needs: { table: 'write', secrets: 'calendar' },
    memoryMegabytes: 512,
    timeoutSeconds: 60,
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

/** The paths that a function answers. No other function answers one of them, so it knows all their methods (G19). */
export function pathsOf({ endpoints = {} }: Pick<FunctionDeclaration, 'endpoints'>): string[] {
  return [...new Set(Object.values(endpoints).map(({ path }) => path))]
}

/** Every endpoint of the service with its operation name and the function that serves it. */
export const allEndpoints = manifest.flatMap((declaration) =>
  Object.entries(declaration.endpoints ?? {}).map(([operation, endpoint]) => ({
    operation,
    endpoint,
    function: declaration,
  })),
)
