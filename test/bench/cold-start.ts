import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type FunctionDeclaration, manifest } from '#functions/manifest.ts'
import { bundle, inRepository } from './bundle.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import { eventOf } from './requests.ts'
import { runFunction, type SeenRun } from './run-function.ts'
import type { Office } from './seed.ts'
import type { StoreCall } from './store-calls.ts'
import type { World } from './world.ts'

/** Functions that need a heavy library may be slower to start than this times the minimal one. */
const mostTimesMinimal = 1.5
const mostKilobytesOfCases = 750

const minimal = 'minimal'

/**
 * Cold starts of every function of the manifest against the minimal one, each in a fresh process.
 *
 * @param reads the reads that `GET /cases/{id}` makes, which the minimal function makes as well
 */
export async function measureColdStarts(world: World, reads: StoreCall[], rounds: number): Promise<Part> {
  const measured = await Promise.all([
    prepare(
      world,
      { name: minimal, entry: 'test/bench/minimal-function.ts', needs: {} },
      { keys: reads.map((call) => call.input.Key) },
    ),
    ...manifest.map((declaration) => prepare(world, declaration, requestFor(declaration, world.office))),
  ])
  const runner = await bundle('test/bench/function-process.ts', join(world.folder, 'function-process.mjs'))

  const [baseline, ...functions] = measured
  const starts = new Map<string, SeenRun[]>()
  const start = async (one: Prepared) => {
    starts.set(one.name, [...(starts.get(one.name) ?? []), await runFunction(world, runner, one)])
  }
  const ratios = new Map<string, Ratios[]>()
  for (const one of measured) await runFunction(world, runner, one)
  for (let round = 0; round < rounds; round += 1) {
    for (const one of functions) {
      // Back to back, and by turns who is first: what disturbs the machine disturbs both.
      for (const next of round % 2 === 0 ? [one, baseline] : [baseline, one]) await start(next)
      const [own, least] = [one, baseline].map(({ name }) => starts.get(name)?.at(-1))
      if (own !== undefined && least !== undefined)
        ratios.set(one.name, [...(ratios.get(one.name) ?? []), ratiosOf(own, least)])
    }
  }

  const cpuOf = (name: string) => median((starts.get(name) ?? []).map((one) => one.cpuMilliseconds))
  const ratioOf = (name: string, kind: keyof Ratios) =>
    median((ratios.get(name) ?? []).map((one) => one[kind]))
  const rows = measured.map(({ name, bytes, isHeavy }): Row => {
    const ofName = starts.get(name) ?? []
    return {
      function: isHeavy ? `${name} *` : name,
      'bundle KB': round(bytes / 1_000),
      'load ms': round(median(ofName.map((one) => one.loadMilliseconds))),
      'first answer ms': round(median(ofName.map((one) => one.answerMilliseconds))),
      'both ms': round(median(ofName.map(totalOf))),
      'times minimal': name === minimal ? '' : ratioOf(name, 'within').toFixed(2),
      'process ms': round(median(ofName.map((one) => one.processMilliseconds))),
      'times its process': name === minimal ? '' : ratioOf(name, 'process').toFixed(2),
      'CPU ms': round(cpuOf(name)),
      'times its CPU': name === minimal ? '' : (cpuOf(name) / cpuOf(minimal)).toFixed(2),
    }
  })
  const targets = functions
    .filter(({ isHeavy }) => !isHeavy)
    .map(({ name }): Target => {
      return {
        name: `cold start of ${name} against the minimal function, import and first answer`,
        measured: ratioOf(name, 'within'),
        unit: '×',
        atMost: mostTimesMinimal,
      }
    })
  const cases = functions.find(({ name }) => name === 'cases')
  if (cases)
    targets.push({
      name: 'bundle of cases',
      measured: cases.bytes / 1_000,
      unit: 'KB',
      atMost: mostKilobytesOfCases,
    })
  return {
    title: 'Cold start: a fresh process imports the bundle and answers one request',
    method: `Medians of ${rounds} pairs, function and minimal function back to back; a ratio is the median of the pairs' ratios. "both" is the time inside the process, which the target is about; "process" is from starting it to having its answer, Node's own start included. * needs the clients of S3, SQS, KMS or Textract, or a reader of files: no target.`,
    rows,
    targets,
  }
}

/** How many times the minimal function's time a start took: `within` the process, and all of the `process`. */
type Ratios = { within: number; process: number }

function ratiosOf(own: SeenRun, least: SeenRun): Ratios {
  return {
    within: totalOf(own) / totalOf(least),
    process: own.processMilliseconds / least.processMilliseconds,
  }
}

type Prepared = {
  name: string
  bundleFile: string
  eventFile: string
  bytes: number
  /** It needs more of the SDK than the table's client. */
  isHeavy: boolean
}

/** Bundles a function into a folder where nothing else is installed, with the event it is to answer. */
async function prepare(
  world: World,
  { name, entry, assets = [], needs }: Pick<FunctionDeclaration, 'name' | 'entry' | 'assets' | 'needs'>,
  event: unknown,
): Promise<Prepared> {
  const folder = join(world.folder, 'cold', name)
  mkdirSync(folder, { recursive: true })
  for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
  const bundleFile = await bundle(entry, join(folder, 'index.mjs'))
  const eventFile = join(folder, 'event.json')
  writeFileSync(eventFile, JSON.stringify(event))
  return {
    name,
    bundleFile,
    eventFile,
    bytes: statSync(bundleFile).size,
    isHeavy: (needs.bucket ?? needs.sends ?? needs.secrets ?? needs.textract) !== undefined,
  }
}

/** A case, deadline, event or document where there are any, otherwise the function's first list or answer that needs no more than a key. */
function requestFor({ name, endpoints = {}, consumes }: FunctionDeclaration, office: Office): unknown {
  if (consumes !== undefined) return { Records: [] }
  const choices = Object.values(endpoints)
  const readings = choices.filter(({ method }) => method === 'GET')
  const single: Record<string, string> = {
    '/api/v1/cases/{id}': office.oldestCaseId,
    '/api/v1/deadlines/{id}': office.deadlineId,
    '/api/v1/events/{id}': office.eventId,
    '/api/v1/documents/{id}': office.documentId,
    '/api/v1/documents/{id}/download': office.documentId,
  }
  const endpoint =
    readings.find(({ path }) => single[path] !== undefined) ??
    readings.find(({ path }) => !path.includes('{'))
  if (endpoint !== undefined) {
    const { method, path } = endpoint
    return eventOf({ method, resource: path, params: { id: single[path] ?? '' }, key: office.key })
  }
  if (choices.some(({ path }) => path === inboxUpload)) {
    const file = { field: 'files', name: 'Vollmacht.txt', bytes: Buffer.from('Vollmacht') }
    return eventOf({ method: 'POST', resource: inboxUpload, file, key: office.key })
  }
  if (choices.length === 0) return {}
  throw new Error(`The bench knows no request that the function ${name} could answer.`)
}

const inboxUpload = '/api/v1/inbox/upload'

function totalOf({ loadMilliseconds, answerMilliseconds }: SeenRun): number {
  return loadMilliseconds + answerMilliseconds
}
