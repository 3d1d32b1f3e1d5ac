import type { FunctionDeclaration } from './declaration.ts'
import { collectSooner, writeTables } from './node-options.ts'
import {
  disabledLogLine,
  largeLogLine,
  lateLogLine,
  missingLogLine,
  parkedLogLine,
  unindexedLogLine,
  unknownLogLine,
  unreadLogLine,
} from './workers/log-lines.ts'
import { workerSeconds } from './workers/time-limits.ts'

/** The fonts of sealed certificates. */
const certificateFonts = ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'].map(
  (font) => `node_modules/dejavu-fonts-ttf/ttf/${font}.ttf`,
)

/** The Lambdas that consume a queue or run on a schedule. */
export const workerFunctions: readonly FunctionDeclaration[] = declared([
  {
    name: 'extract',
    // A document takes ten seconds.
    consumes: { queue: 'extract', maxConcurrency: 10, share: 0.15 },
    needs: {
      table: 'write',
      bucket: { files: ['read'], texts: ['read', 'write', 'delete'] },
      sends: ['inbound', 'search-index', 'deliveries'],
      textract: true,
    },
    memoryMegabytes: 3008,
    timeoutSeconds: workerSeconds.extract,
  },
  {
    name: 'inbound',
    consumes: { queue: 'inbound', maxConcurrency: 10, share: 0.1 },
    needs: {
      table: 'write',
      bucket: { mails: ['read', 'write'], files: ['write'], texts: ['read'], bea: ['read', 'write'] },
      sends: ['extract', 'inbound', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 1769,
    timeoutSeconds: workerSeconds.inbound,
  },
  {
    name: 'mail-events',
    consumes: { queue: 'mail-events', maxConcurrency: 5 },
    needs: {
      sends: ['search-index', 'deliveries'],
      table: 'write',
    },
    memoryMegabytes: 512,
    timeoutSeconds: 30,
  },
  {
    name: 'receive-mail',
    consumes: { queue: 'received-mails', maxConcurrency: 10 },
    needs: {
      table: 'write',
      bucket: { received: ['read', 'write'], mails: ['write', 'delete'] },
      sends: ['inbound', 'search-index', 'deliveries'],
    },
    memoryMegabytes: 512,
    timeoutSeconds: 60,
  },
  {
    name: 'signing-mails',
    consumes: { queue: 'signing-mails', maxConcurrency: 5 },
    needs: {
      sends: ['search-index', 'deliveries'],
      table: 'write',
      bucket: { files: ['read'], mails: ['read', 'write', 'delete'] },
      mail: 'send',
    },
    memoryMegabytes: 1024,
    timeoutSeconds: 60,
  },
  {
    name: 'bea-send',
    // The gateway may take 400 seconds for a message, which must not delay the messages of other firms.
    consumes: { queue: 'bea-send', maxConcurrency: 10, share: 0.02 },
    needs: {
      table: 'write',
      bucket: { files: ['read', 'write'], bea: ['read', 'write', 'delete'] },
      sends: ['bea-send', 'extract', 'inbound', 'search-index', 'deliveries'],
      secrets: 'bea',
    },
    alarms: [
      {
        metric: 'BeaSendsUnknown',
        message: unknownLogLine,
        says: 'The outcome of a beA message is unknown. The service searches for it; if it is not found, a lawyer must look into the postbox.',
      },
    ],
    // A message has up to 60 MB, which are encrypted during sending.
    memoryMegabytes: 1769,
    timeoutSeconds: workerSeconds.beaSend,
  },
  {
    name: 'seal',
    assets: certificateFonts,
    consumes: { queue: 'seal', maxConcurrency: 3 },
    needs: {
      table: 'write',
      bucket: { files: ['read', 'write', 'delete'], signatures: ['read'] },
      sends: ['extract', 'signing-mails', 'search-index', 'deliveries'],
      signs: true,
    },
    // Higher than the limits of the process that reads a document (`packages/sealing/limits.ts`), so that those
    // limits apply first.
    memoryMegabytes: 3008,
    timeoutSeconds: workerSeconds.seal,
  },
  {
    name: 'bea-sync',
    // Each postbox is synchronised every quarter of an hour.
    consumes: { queue: 'bea-sync', maxConcurrency: 10, share: 0.15 },
    needs: {
      table: 'write',
      bucket: { bea: ['write'] },
      sends: ['inbound', 'bea-sync', 'bea-send', 'search-index', 'deliveries'],
      secrets: 'bea',
    },
    memoryMegabytes: 1769,
    timeoutSeconds: workerSeconds.beaSync,
    nodeOptions: collectSooner,
    alarms: [
      {
        metric: 'BeaMessageMissing',
        message: missingLogLine,
        says: 'A beA message could not be imported for a day, or is too large to import. The network deletes it after 120 days. The inbox of its firm shows a notice.',
      },
    ],
  },
  {
    name: 'export-runs',
    // Many schedules are for the same hour, and a run should begin within a minute or two of its time.
    consumes: { queue: 'export-runs', maxConcurrency: 10 },
    needs: {
      table: 'write',
      sends: ['deliveries'],
      bucket: {
        exports: ['write', 'parts', 'delete'],
        // Reports on parties contain documents and mails.
        reports: ['write', 'parts', 'delete'],
        files: ['read'],
        mails: ['read'],
        bea: ['read'],
      },
    },
    memoryMegabytes: 1769,
    timeoutSeconds: workerSeconds.exportRuns,
    nodeOptions: writeTables,
  },
  {
    name: 'search-index',
    // A run begins no work after a minute, however many new texts a firm has.
    consumes: { queue: 'search-index', maxConcurrency: 10 },
    needs: {
      table: 'write',
      bucket: {
        search: ['read', 'write', 'parts', 'erase'],
        texts: ['read'],
        mails: ['read'],
        bea: ['read'],
      },
      sends: ['search-index', 'extract'],
    },
    // A whole processor: a merge of 100,000 documents takes more than a minute.
    memoryMegabytes: 1769,
    diskMegabytes: 4_096,
    nodeOptions: collectSooner,
    timeoutSeconds: workerSeconds.searchIndex,
    alarms: [
      {
        metric: 'SearchIndexLarge',
        message: largeLogLine,
        says: 'The search index of a firm will soon not fit on the disk of its readers.',
      },
    ],
  },
  {
    name: 'deliveries',
    // A slow endpoint keeps one of them busy for seconds.
    consumes: { queue: 'deliveries', maxConcurrency: 10, share: 0.05, waits: true },
    needs: { table: 'write', sends: ['deliveries', 'signing-mails'], secrets: 'webhooks' },
    memoryMegabytes: 1024,
    timeoutSeconds: workerSeconds.deliveries,
    alarms: [
      {
        metric: 'WebhookDisabled',
        message: disabledLogLine,
        says: 'An endpoint of a firm was disabled: no delivery has succeeded for five days, or it has answered 410.',
      },
    ],
  },
  {
    name: 'sweeper',
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
      sends: [
        'extract',
        'inbound',
        'seal',
        'export-runs',
        'signing-mails',
        'bea-sync',
        'bea-send',
        'search-index',
        'deliveries',
      ],
    },
    // A whole processor: it begins about 5 000 synchronisations or exports in a minute; with 512 MB only a third of
    // that.
    memoryMegabytes: 1769,
    timeoutSeconds: 60,
    alarms: [
      {
        metric: 'BeaSyncLate',
        message: lateLogLine,
        says: 'A beA account has not been synchronised for a day.',
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
      {
        metric: 'TextUnindexed',
        message: unindexedLogLine,
        says: 'A text has waited to be indexed for more than half an hour: the search does not find it.',
        above: { field: 'minutes', limit: 30 },
      },
    ],
  },
  {
    name: 'disposals',
    assets: certificateFonts,
    everyMinutes: 1,
    needs: {
      table: 'write',
      bucket: {
        files: ['write', 'erase'],
        texts: ['erase'],
        uploads: ['erase'],
        // An erasure removes the party's data from mails and beA messages, which stay.
        mails: ['read', 'write', 'erase'],
        signatures: ['erase'],
        exports: ['erase'],
        reports: ['erase'],
        bea: ['read', 'write', 'erase'],
      },
      sends: ['search-index', 'deliveries'],
      signs: true,
    },
    memoryMegabytes: 1769,
    // A case with thousands of records needs minutes, and the claim of a disposal lasts longer than this.
    timeoutSeconds: 900,
  },
  {
    name: 'calendar-withdrawals',
    everyMinutes: 1,
    needs: { table: 'write', secrets: 'calendar' },
    memoryMegabytes: 512,
    timeoutSeconds: 60,
  },
])

function declared(workers: Omit<FunctionDeclaration, 'entry'>[]): FunctionDeclaration[] {
  return workers.map((one) => ({ entry: `functions/workers/${one.name}/index.ts`, ...one }))
}
