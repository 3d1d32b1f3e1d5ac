import { buffered, type Endpoints, methodsOf, streamed } from '#http/endpoint.ts'
import * as bea from './bea/endpoints.ts'
import * as beaDrafts from './bea-drafts/endpoints.ts'
import * as beaMessages from './bea-messages/endpoints.ts'
import * as billing from './billing/endpoints.ts'
import * as calendar from './calendar/endpoints.ts'
import * as cases from './cases/endpoints.ts'
import * as correspondence from './correspondence/endpoints.ts'
import * as deadlines from './deadlines/endpoints.ts'
import * as docs from './docs/endpoints.ts'
import * as documents from './documents/endpoints.ts'
import * as email from './email/endpoints.ts'
import * as exportConfigs from './exports/endpoints.ts'
import * as exportFiles from './exports-files/endpoints.ts'
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
import { beaSendSeconds, unknownLogMessage } from './workers/bea-send/limits.ts'
import { beaSyncSeconds, missingLogMessage } from './workers/bea-sync/limits.ts'
import { exportRunSeconds } from './workers/export-runs/limits.ts'
import { extractWorkerSeconds } from './workers/extract/limits.ts'
import { inboundWorkerSeconds } from './workers/inbound/limits.ts'
import { sealWorkerSeconds } from './workers/seal/limits.ts'
import { lateLogMessage, parkedLogMessage, unreadLogMessage } from './workers/sweeper/limits.ts'
import * as workspace from './workspace/endpoints.ts'

/** The queues, by the name that messages are declared with. */
export const queues = {
  extract: {
    /** A received message is hidden from other receivers for this long: six times the time limit of its worker. */
    visibilitySeconds: 6 * extractWorkerSeconds,
    /** After this many receptions without success, a message goes to the dead-letter queue. */
    maxReceives: 5,
  },
  /** What arrived: mails to be read, then mails and documents to be judged. */
  inbound: { visibilitySeconds: 6 * inboundWorkerSeconds, maxReceives: 5 },
  /** What SES reports about mails: sent, delivered, bounced and so on. On AWS, SES publishes it through SNS. */
  'mail-events': { visibilitySeconds: 180, maxReceives: 5 },
  /**
   * Messages that SES received, by its receipts; each lies in the bucket. With ten receptions they are tried for more than
   * an hour.
   */
  'received-mails': { visibilitySeconds: 6 * 60, maxReceives: 10 },
  /** beA messages to be sent, to be looked for where the outcome is unknown, and to be imported once they are sent. */
  'bea-send': { visibilitySeconds: 6 * beaSendSeconds, maxReceives: 5 },
  /** Envelopes that everybody has signed. */
  seal: { visibilitySeconds: 6 * sealWorkerSeconds, maxReceives: 5 },
  /**
   * Postboxes of beA that are to be synchronised. Where another worker has the account, the message waits for it: with so
   * many receptions for more than an hour.
   */
  'bea-sync': { visibilitySeconds: 6 * beaSyncSeconds, maxReceives: 10 },
  /** Export configurations that are due by their schedules. */
  'export-runs': { visibilitySeconds: 6 * exportRunSeconds, maxReceives: 5 },
  /**
   * Mails of envelopes: invitations, reminders and notices. A mail without an answer is lost after ten minutes (M5): the
   * sixth reception comes later than that and records it. With eight, SES may refuse mails for almost an hour.
   */
  'signing-mails': { visibilitySeconds: 6 * 60, maxReceives: 8 },
} as const

export type QueueName = keyof typeof queues

/**
 * The prefixes of keys in the bucket: documents, their texts, uploads that are not completed, mails, messages that SES
 * received, drawn signatures, the files of scheduled exports, and beA messages.
 */
export type BucketPrefix =
  | 'files'
  | 'texts'
  | 'uploads'
  | 'mails'
  | 'received'
  | 'signatures'
  | 'exports'
  | 'bea'

/** The rights of a function. `infra/` grants exactly these; tests compare them with the template. */
export type Needs = {
  /**
   * `health`: get items under the partition key `health`. None exists, but the table answers.
   * `envelopes`: what a signer's page does: get, change and expire envelopes that it knows by their id, with their audit
   * trail, lists and jobs; add entries to timelines; get magic links, sealed files, and the name of an office.
   * `read`: get and query; also update the last use of API keys and the allowance of requests, which every request with
   *   an API key notes.
   * `exports`: as `read`; also update the last use of export tokens and when a configuration was executed.
   * `write`: get, query and change.
   * Absent: no right to the table.
   */
  table?: 'health' | 'envelopes' | 'read' | 'exports' | 'write'
  /**
   * What it may do with objects of the bucket, by prefix. No function may list them. `parts`: also write them in parts,
   * and abort that.
   */
  bucket?: Partial<Record<BucketPrefix, readonly ('read' | 'write' | 'parts' | 'delete')[]>>
  /** The queues it may send to. */
  sends?: readonly QueueName[]
  /** It may read pictures with Textract. */
  textract?: true
  /** It may encrypt and decrypt secrets of this purpose with the key for secrets. Absent: it may do neither. */
  secrets?: 'calendar' | 'bea'
  /** It may sign with the signing key, which `SIGNING_KEY_ID` names, and read its public half. */
  signs?: true
  /**
   * `send`: send mails by SES, only from addresses of the stage's mail domain, and with no other configuration set than
   * the stage's, which `MAIL_CONFIGURATION_SET` names. IAM cannot demand that a call names a configuration set; the
   * domain has the stage's as its default, so a call that names none uses it too. IAM cannot tell workspaces apart
   * either: the function takes the sender from the workspace. A stage without the setting `mail` gives neither the right
   * nor the variable.
   * `request`: the variable alone. It asks another function for mails, and refuses that on a stage that sends none.
   */
  mail?: 'send' | 'request'
}

/** One Lambda: what it serves or when it runs, and its rights. */
export type FunctionDeclaration = {
  /** Unique, lower case with dashes. */
  name: string
  /** The composition root, from the root of the repository; it exports `handler`. */
  entry: string
  /** The endpoints it serves behind API Gateway, by operation name. */
  endpoints?: Endpoints<never>
  /** Files that it reads, as paths from the root of the repository; each is deployed beside the bundle. */
  assets?: readonly string[]
  /** Modules that it starts as processes; each is bundled and deployed beside the bundle, under its own name. */
  processes?: readonly string[]
  /** It runs every so many minutes, with an empty event. */
  everyMinutes?: number
  /** The queue it consumes, one message per invocation, with at most so many invocations at the same time. */
  consumes?: { queue: QueueName; maxConcurrency: number }
  needs: Needs
  memoryMegabytes: number
  timeoutSeconds: number
  /** It streams its answers. All its endpoints are `streamed`. */
  streams?: true
  /** Options of its runtime, as `NODE_OPTIONS`. */
  nodeOptions?: string
  /** Lines of its log that raise an alarm, by the message that begins them. */
  alarms?: readonly LogAlarm[]
}

/**
 * A line of a log that raises an alarm: whenever it comes, or where it comes every minute and a number in it is above a
 * limit. `metric` is unique in the service; `says` tells people what it means.
 */
export type LogAlarm = {
  metric: string
  message: string
  says: string
  above?: { field: string; limit: number }
}

/**
 * For functions that pass large files on: the garbage collector frees passed bytes sooner, so a file of 200 MiB takes
 * half the memory. `npm run bench` measures it.
 */
const collectSooner = '--max-semi-space-size=1'

/** For functions that write tables: a library of exceljs makes buffers as Node warns of, once for each instance. */
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
    needs: { table: 'write', bucket: { files: ['write', 'delete'] }, sends: ['extract'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
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
    needs: { table: 'write', bucket: { mails: ['write', 'delete'] }, sends: ['inbound'] },
    memoryMegabytes: 1024,
    timeoutSeconds: 29,
  },
  {
    name: 'correspondence',
    entry: 'functions/correspondence/index.ts',
    endpoints: buffered(correspondence),
    needs: { table: 'read', bucket: { mails: ['read'] } },
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
    needs: { table: 'write', bucket: { bea: ['read'], files: ['write'] }, sends: ['extract'] },
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
      sends: ['extract', 'bea-sync'],
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
    needs: { table: 'write', sends: ['signing-mails'], mail: 'request' },
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
    consumes: { queue: 'extract', maxConcurrency: 10 },
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
    consumes: { queue: 'inbound', maxConcurrency: 10 },
    needs: {
      table: 'write',
      bucket: { mails: ['read', 'write'], files: ['write'], texts: ['read'], bea: ['read'] },
      sends: ['extract'],
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
      sends: ['bea-send', 'extract'],
      secrets: 'bea',
    },
    alarms: [
      {
        metric: 'BeaSendsUnknown',
        message: unknownLogMessage,
        says: 'The outcome of a beA message is unknown: it is looked for, and if that settles nothing, a lawyer must look into the postbox.',
      },
    ],
    // A message has up to 60 MB, which are encrypted while they are sent.
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
    // Above the limits of the process that reads a document (`packages/sealing/limits.ts`), so that these end it first.
    memoryMegabytes: 3008,
    timeoutSeconds: sealWorkerSeconds,
  },
  {
    name: 'bea-sync',
    entry: 'functions/workers/bea-sync/index.ts',
    consumes: { queue: 'bea-sync', maxConcurrency: 10 },
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
        message: missingLogMessage,
        says: 'A message of beA could not be imported for a day, or is too large for it; the network deletes it after 120 days. From day 90, and at once if it is too large, it stands in the inbox of its firm.',
      },
    ],
  },
  {
    name: 'export-runs',
    entry: 'functions/workers/export-runs/index.ts',
    // Many schedules are for the same hour, and a run begins within a minute of its time.
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
    memoryMegabytes: 512,
    timeoutSeconds: 60,
    alarms: [
      {
        metric: 'BeaSyncLate',
        message: lateLogMessage,
        says: 'An account of beA has not been synchronised for a day.',
      },
      {
        metric: 'JobsParked',
        message: parkedLogMessage,
        says: 'Jobs are parked: a person must look at them.',
      },
      {
        metric: 'DocumentUnread',
        message: unreadLogMessage,
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

/** The methods and paths that a function answers. */
export function routesOf({ endpoints = {} }: Pick<FunctionDeclaration, 'endpoints'>) {
  return Object.values(endpoints).flatMap((endpoint) =>
    methodsOf(endpoint).map((method) => ({ method, path: endpoint.path })),
  )
}

/** Every endpoint of the service with its operation name and the function that serves it. */
export const allEndpoints = manifest.flatMap((declaration) =>
  Object.entries(declaration.endpoints ?? {}).map(([operation, endpoint]) => ({
    operation,
    endpoint,
    function: declaration,
  })),
)
