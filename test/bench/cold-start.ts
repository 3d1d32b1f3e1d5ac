import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  type TransactWriteCommandInput,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { Plugin } from 'esbuild'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { builtinModules, bundle, bundling } from '#infra/constructs/bundling.ts'
import { inRepository } from '#infra/in-repository.ts'
import { installStreaming, ResponseStream, streamsAnswers } from '#infra/local/response-stream.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import { ask, contextOf, eventOf, type Handler, type Request } from './requests.ts'
import { runFunction, type SeenRun } from './run-function.ts'
import type { Firm } from './seed.ts'
import type { BenchSetup } from './setup.ts'
import type { StoreCall, StoreCalls } from './store-calls.ts'

/**
 * The target for a cold start, from starting the process to its answer, as a multiple of the minimal function's time:
 * Node has to start in both.
 */
const maxTimesMinimal = 1.5
/** Their first answer needs S3, which the minimal function does not call: no target. */
const callingS3 = new Set(['documents-files', 'ingestion'])
const maxKilobytesOfCases = 750
/** The allowance of a workspace on AWS, so that requests are counted as there (G17). */
const allowance = { RATE_LIMIT_PER_SECOND: '50' }

const minimal = 'minimal'
const minimalFunction = { name: minimal, entry: 'test/bench/minimal-function.ts' }

/**
 * Compares cold starts of every function of the manifest with the minimal function, each in a new process. The minimal
 * function makes the same calls of the table as the function, one after the other, those included that count the request.
 * It makes the calls again and again, so it puts items without the condition that they are new.
 */
export async function measureColdStarts(
  { environment, ...given }: BenchSetup,
  storeCalls: StoreCalls,
  rounds: number,
): Promise<Part> {
  const setup: BenchSetup = { ...given, environment: { ...environment, ...allowance } }
  const runner = await bundle('test/bench/function-process.ts', join(setup.folder, 'function-process.mjs'))
  // It imports Node's modules as any ES module does, so that it stays the same measure.
  const usual = bundling.plugins.filter((plugin) => plugin !== builtinModules)
  const baseline = await prepare(setup, minimalFunction, usual)
  const cases = declared('cases')
  const usualCalls = await callsOf(cases, setup.firm, storeCalls)
  const pairs: Pair[] = []
  for (const declaration of manifest) {
    const isAsked = requestFor(declaration, setup.firm) !== undefined
    if (!isAsked && declaration.endpoints !== undefined) continue
    const writeEvent = () => eventFile(setup, declaration.name, eventFor(declaration, setup.firm))
    const own = {
      ...(await prepare(setup, declaration)),
      eventFile: writeEvent(),
      isHeld: isAsked && !callingS3.has(declaration.name),
    }
    const calls = isAsked ? await callsOf(declaration, setup.firm, storeCalls) : usualCalls
    const reference = {
      ...baseline,
      eventFile: eventFile(setup, `${minimal}-for-${declaration.name}`, { calls }),
    }
    pairs.push({ own, reference, calls, writeEvent, runs: [] })
  }
  for (const { own } of pairs) await runFunction(setup, runner, own)
  const table = DynamoDBDocumentClient.from(new DynamoDBClient({}))
  for (let round = 0; round < rounds; round += 1) {
    // One after the other and in alternating order: other load of the machine affects both.
    const isFirst = round % 2 === 0
    for (const { own, reference, calls, writeEvent, runs } of pairs) {
      writeEvent()
      const start = async (one: Prepared) => {
        await removeCounts(table, calls)
        return runFunction(setup, runner, one)
      }
      const earlier = await start(isFirst ? own : reference)
      const later = await start(isFirst ? reference : own)
      runs.push(isFirst ? { own: earlier, reference: later } : { own: later, reference: earlier })
    }
  }
  table.destroy()

  const rows = pairs.map(({ own: { name, bytes, isHeld }, runs }): Row => {
    const of = (value: (run: SeenRun) => number) => median(runs.map(({ own }) => value(own)))
    return {
      function: isHeld ? name : `${name} *`,
      'bundle KB': round(bytes / 1_000),
      'load ms': round(of((run) => run.loadMilliseconds)),
      'first answer ms': round(of((run) => run.answerMilliseconds)),
      'both ms': round(of(totalOf)),
      'minimal ms': round(median(runs.map(({ reference }) => totalOf(reference)))),
      'times minimal': timesMinimal(runs, totalOf).toFixed(2),
      'process ms': round(of(processOf)),
      'minimal process ms': round(median(runs.map(({ reference }) => processOf(reference)))),
      'times its process': timesMinimal(runs, processOf).toFixed(2),
      'CPU ms': round(of((run) => run.cpuMilliseconds)),
      'times its CPU': timesMinimal(runs, (run) => run.cpuMilliseconds).toFixed(2),
    }
  })
  const targets = pairs.flatMap(({ own: { name, isHeld }, runs }): Target[] => {
    if (!isHeld) return []
    const what = `cold start of ${name} against the minimal function, from its process to its answer`
    return [{ name: what, measured: timesMinimal(runs, processOf), unit: '×', max: maxTimesMinimal }]
  })
  const bytesOfCases = pairs.find(({ own }) => own.name === cases.name)?.own.bytes ?? 0
  targets.push({
    name: 'bundle of cases',
    measured: bytesOfCases / 1_000,
    unit: 'KB',
    max: maxKilobytesOfCases,
  })
  return {
    title: 'Cold start: a fresh process imports the bundle and answers one request',
    method: `Medians of ${rounds} pairs, function and minimal function (${round(baseline.bytes / 1_000)} KB) back to back; a ratio is the median of the pairs' ratios. The minimal function makes the same calls of the table as the function, one after the other; two of them count the request of a key, with the allowance of a stage, and the function makes some at the same time. "both" is the time inside the process; "process", which the target is about, is from starting it to having its answer, Node's own start included; "CPU" is the processor time of the whole process. A bundle includes what it loads later. * has no target: it calls S3 too, or it has no endpoint and is compared with the calls of a case.`,
    rows,
    targets,
  }
}

type Call = Pick<StoreCall, 'name' | 'input'>

/** A function, the minimal function with the same calls of the table, these calls, and the runs of both. */
type Pair = {
  own: Prepared & { isHeld: boolean }
  reference: Prepared
  calls: Call[]
  /** Writes the event of the next run. */
  writeEvent: () => void
  runs: { own: SeenRun; reference: SeenRun }[]
}

function timesMinimal(runs: Pair['runs'], value: (run: SeenRun) => number): number {
  return median(runs.map(({ own, reference }) => value(own) / value(reference)))
}

type Prepared = {
  name: string
  bundleFile: string
  eventFile: string
  bytes: number
}

/** Bundles a function into a folder without installed packages. */
async function prepare(
  setup: BenchSetup,
  { name, entry, assets = [] }: Pick<FunctionDeclaration, 'name' | 'entry' | 'assets'>,
  plugins?: Plugin[],
): Promise<Omit<Prepared, 'eventFile'>> {
  const folder = join(setup.folder, 'cold', name)
  mkdirSync(folder, { recursive: true })
  for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
  const bundleFile = await bundle(entry, join(folder, 'index.mjs'), plugins)
  return { name, bundleFile, bytes: bytesOfModules(folder) }
}

/** The size of a bundle with all its modules, including modules that it loads later. */
function bytesOfModules(folder: string): number {
  const modules = readdirSync(folder).filter((file) => file.endsWith('.mjs'))
  return modules.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

/** Writes the event for a function to a file. @returns the file */
function eventFile(setup: BenchSetup, name: string, event: unknown): string {
  const file = join(setup.folder, 'cold', `${name}.json`)
  writeFileSync(file, JSON.stringify(event))
  return file
}

/**
 * The calls of the table by the first request of a new instance, whose key has been used before. An instance counts its
 * first request in the table.
 */
async function callsOf(
  declaration: FunctionDeclaration,
  firm: Firm,
  storeCalls: StoreCalls,
): Promise<Call[]> {
  installStreaming()
  const table = DynamoDBDocumentClient.from(new DynamoDBClient({}))
  const { RATE_LIMIT_PER_SECOND = '' } = process.env
  Object.assign(process.env, allowance)
  try {
    const firstAnswer = async () => {
      instances += 1
      const { handler } = await import(`${inRepository(declaration.entry)}?instance=${instances}`)
      const request = requestFor(declaration, firm)
      if (request === undefined) throw new Error(`There is no request for ${declaration.name}.`)
      return storeCalls.record(() => askAny(handler, request))
    }
    await removeCounts(table, (await firstAnswer()).calls)
    const { calls } = await firstAnswer()
    return calls.map(repeatable)
  } finally {
    Object.assign(process.env, { RATE_LIMIT_PER_SECOND })
    table.destroy()
  }
}

/** A call that can be made again: a transaction puts its items even if they are there. */
function repeatable({ name, input: { ReturnConsumedCapacity: _, ...input } }: StoreCall): Call {
  if (name !== 'TransactWriteCommand') return { name, input }
  const actions = input.TransactItems as NonNullable<TransactWriteCommandInput['TransactItems']>
  const TransactItems = actions.map(({ Put, ...other }) =>
    Put === undefined ? other : { Put: { TableName: Put.TableName, Item: Put.Item } },
  )
  return { name, input: { TransactItems } }
}

/** Instances of functions that were made in this process. */
let instances = 0

/** Removes what calls have counted of an allowance, so that the conditions of these calls hold again. */
async function removeCounts(table: DynamoDBDocumentClient, calls: Call[]): Promise<void> {
  for (const { name, input } of calls) {
    const { TableName, Key } = input as UpdateCommandInput
    if (name === 'UpdateCommand' && Key?.pk.endsWith('#allowance'))
      await table.send(new DeleteCommand({ TableName, Key }))
  }
}

async function askAny(handler: Handler | StreamingHandler, request: Request): Promise<void> {
  if (streamsAnswers(handler)) await askStreamed(handler as StreamingHandler, request)
  else await ask(handler as Handler, request)
}

type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<void>

/** @throws Error with the status of an answer that is an error */
async function askStreamed(handler: StreamingHandler, request: Request): Promise<void> {
  const stream = new ResponseStream().resume()
  await handler(eventOf(request), stream, contextOf('bench'))
  const { statusCode } = await stream.head
  if (statusCode >= 300) throw new Error(`${request.method} ${request.resource}: ${statusCode}`)
}

function declared(name: string): FunctionDeclaration {
  const found = manifest.find((declaration) => declaration.name === name)
  if (found === undefined) throw new Error(`There is no function ${name}.`)
  return found
}

/**
 * A request that the function answers: for a case, deadline, event, document or magic link if it has one. Otherwise it
 * asks for the first list, or sends the first request that needs only a key. Undefined if it has no such answer.
 */
function requestFor({ endpoints = {}, consumes }: FunctionDeclaration, firm: Firm): Request | undefined {
  if (consumes !== undefined) return undefined
  const choices = Object.values(endpoints)
  if (choices.length === 0) return undefined
  const readings = choices.filter(({ method }) => method === 'GET')
  const single: Record<string, Record<string, string>> = {
    '/api/v1/cases/{id}': { id: firm.oldestCaseId },
    '/api/v1/deadlines/{id}': { id: firm.deadlineId },
    '/api/v1/events/{id}': { id: firm.eventId },
    '/api/v1/documents/{id}': { id: firm.documentId },
    '/api/v1/documents/{id}/download': { id: firm.documentId },
    '/sign/{token}': { token: firm.linkToken },
  }
  const endpoint =
    readings.find(({ path }) => single[path] !== undefined) ??
    readings.find(({ path }) => !path.includes('{'))
  if (endpoint !== undefined) {
    const { method, path } = endpoint
    const query = path === '/api/v1/search' ? { query: { q: 'Vollmacht' } } : {}
    return { method, resource: path, params: single[path] ?? {}, ...query, key: firm.key }
  }
  if (choices.some(({ path }) => path === inboxUpload)) {
    // The bytes are new each time: an upload also changes all documents that have the same bytes.
    const file = { field: 'files', name: 'Vollmacht.txt', bytes: Buffer.from(randomUUID()) }
    return { method: 'POST', resource: inboxUpload, file, key: firm.key }
  }
  return undefined
}

/** The event of a request, or of a function without endpoints: an empty batch of its queue, or its schedule. */
function eventFor(declaration: FunctionDeclaration, firm: Firm): unknown {
  const request = requestFor(declaration, firm)
  if (request !== undefined) return eventOf(request)
  return declaration.consumes !== undefined ? { Records: [] } : {}
}

const inboxUpload = '/api/v1/inbox/upload'

function processOf({ processMilliseconds }: SeenRun): number {
  return processMilliseconds
}

function totalOf({ loadMilliseconds, answerMilliseconds }: SeenRun): number {
  return loadMilliseconds + answerMilliseconds
}
