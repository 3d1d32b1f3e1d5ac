import { buffered, type Endpoints, methodsOf, streamed } from '#http/endpoint.ts'
import * as calendar from './calendar/endpoints.ts'
import * as cases from './cases/endpoints.ts'
import * as deadlines from './deadlines/endpoints.ts'
import * as docs from './docs/endpoints.ts'
import * as documents from './documents/endpoints.ts'
import * as folders from './folders/endpoints.ts'
import * as ingestion from './ingestion/endpoints.ts'
import * as parties from './parties/endpoints.ts'
import * as sync from './sync/endpoints.ts'
import * as system from './system/endpoints.ts'
import { extractWorkerSeconds } from './workers/extract/limits.ts'
import * as workspace from './workspace/endpoints.ts'

/** Queues with what becomes of their messages, by the name that messages are declared with. */
export const queues = {
  extract: {
    /** How long a message stays away from others once it was received: six lives of its worker. */
    visibilitySeconds: 6 * extractWorkerSeconds,
    /** After so many receptions without success it is put aside. */
    mostReceives: 5,
  },
} as const

export type QueueName = keyof typeof queues

/** What lies under which prefix of the bucket: documents, their texts, and what is being uploaded. */
export type BucketPrefix = 'files' | 'texts' | 'uploads'

/** What a function may touch. `infra/` grants exactly this, tests compare it with the template. */
export type Needs = {
  /**
   * `health`: get what lies under the partition key `health`, which is nothing: enough to see the table answer.
   * `read`: get and query, and update items of API keys, whose last use every door notes. `write`: get, query and
   * change. Absent: the table is out of reach.
   */
  table?: 'health' | 'read' | 'write'
  /** What it may do with objects of the bucket, by prefix. Nobody may list. */
  bucket?: Partial<Record<BucketPrefix, readonly ('read' | 'write' | 'delete')[]>>
  /** The queues it may send to. */
  sends?: readonly QueueName[]
  /** Reading pictures by machine. */
  textract?: true
  /** To seal and open secrets of users with the key made for that. Absent: neither. */
  secrets?: 'seal and open'
}

/** One Lambda: what it serves or when it runs, and what it may touch. */
export type FunctionDeclaration = {
  /** Unique, lower case with dashes. */
  name: string
  /** The composition root, from the root of the repository; it exports `handler`. */
  entry: string
  /** The endpoints it serves behind API Gateway, by operation name. */
  endpoints?: Endpoints<never>
  /** Files it reads when running, from the root of the repository; each is deployed beside the bundle. */
  assets?: readonly string[]
  /** It runs this often, with an empty event. */
  everyMinutes?: number
  /** It works on the messages of this queue, one at a time, so many of it at once. */
  consumes?: { queue: QueueName; atOnce: number }
  needs: Needs
  memoryMegabytes: number
  timeoutSeconds: number
  /** It streams its answers: `streamed` endpoints, and no others. */
  streams?: true
  /** Options of its runtime, as `NODE_OPTIONS`. */
  nodeOptions?: string
}

/**
 * Of a function that large files pass through: what has passed is collected sooner, so that a file of 200 MiB takes
 * half the memory it would take otherwise. `npm run bench` measures it.
 */
const passesFiles = '--max-semi-space-size=1'

/** THE list of Lambdas. Routes, rights, schedules and the local environment all come from it. */
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
    needs: { table: 'write', secrets: 'seal and open' },
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
    nodeOptions: passesFiles,
  },
  {
    name: 'documents-files',
    entry: 'functions/documents-files/index.ts',
    endpoints: streamed(documents),
    streams: true,
    nodeOptions: passesFiles,
    needs: { table: 'read', bucket: { files: ['read'], texts: ['read'] } },
    memoryMegabytes: 1024,
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
    name: 'extract',
    entry: 'functions/workers/extract/index.ts',
    consumes: { queue: 'extract', atOnce: 10 },
    needs: {
      table: 'write',
      bucket: { files: ['read'], texts: ['write', 'delete'] },
      textract: true,
    },
    memoryMegabytes: 3008,
    timeoutSeconds: extractWorkerSeconds,
  },
  {
    name: 'sweeper',
    entry: 'functions/sweeper/index.ts',
    everyMinutes: 1,
    needs: {
      table: 'write',
      bucket: { files: ['delete'], texts: ['delete'], uploads: ['delete'] },
      sends: ['extract'],
    },
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

/** The methods and paths that lead to a function. */
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
