import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureBeaSync, ofBeaMessages } from './bea.ts'
import { measureCalendar, ofCalendar } from './calendar.ts'
import { measureCalls } from './calls.ts'
import { measureColdStarts } from './cold-start.ts'
import { measureConflictCheck } from './conflict-check.ts'
import { caseOperations, measureCost } from './cost.ts'
import { measureDeadlines, ofDeadlines } from './deadlines.ts'
import { ofDocuments } from './documents.ts'
import { measureExportSpeed, measureExportUnits } from './export-rows.ts'
import { measureTables } from './exports.ts'
import { measureExtraction } from './extraction.ts'
import { measureFees } from './fees.ts'
import { measureFileMemory, measureFileThroughput } from './files.ts'
import { measureIdempotency } from './idempotency.ts'
import { measureInboundMemory } from './inbound-mail.ts'
import { measureLayers } from './layers.ts'
import { measureComposing } from './mail.ts'
import { ofCorrespondence, ofOutboundMail } from './mail-cost.ts'
import { measureMailGuards } from './mail-guards.ts'
import { measureMailThroughput } from './mail-throughput.ts'
import { measureNeighbours } from './neighbours.ts'
import { measureNumbers } from './numbers.ts'
import { isMet, type Part, render } from './report.ts'
import type { Handler } from './requests.ts'
import { measureRetention } from './retention.ts'
import { measureSealing } from './sealing.ts'
import { measureFinding, measureSearch } from './search.ts'
import { measureBesideIndexing } from './search-neighbours.ts'
import { setUpBench } from './setup.ts'
import { ofSigning } from './signing-cost.ts'
import { interceptStoreCalls } from './store-calls.ts'
import { measureThroughput } from './throughput.ts'
import { measureTriage } from './triage.ts'
import { measureTriageCost } from './triage-cost.ts'
import { measureUpgrades } from './upgrades.ts'
import { measureWaitingDocuments } from './waiting-documents.ts'
import { measureAcceptance } from './webhook.ts'
import { type DeliveryWorker, measureDeliveryUnits, measureEventUnits } from './webhook-units.ts'
import { measureLosses, measureWebhooks } from './webhooks.ts'

/**
 * `npm run bench`: measures cold starts, the cost of our layers, throughput and the units that the table charges, and
 * compares them with the targets.
 *
 * --quick   in about ten minutes if nothing else runs: smaller workspaces, fewer repetitions
 * --json    prints the figures as JSON instead of tables
 * --strict  ends with code 1 if a target is missed
 * --only    measures only the parts whose names contain one of these texts: `--only 'cold starts,throughput'`
 *
 * If a part fails, it is reported, the other parts are measured, and the bench ends with code 1.
 */
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

const extent = options.quick
  ? {
      sizes: [1_000, 2_000],
      searched: [500, 2_000],
      coldStarts: 5,
      repetitions: 1_000,
      rounds: 3,
      seconds: 1,
    }
  : {
      sizes: [1_000, 5_000, 25_000],
      searched: [1_000, 10_000, 100_000],
      coldStarts: 25,
      repetitions: 3_000,
      rounds: 11,
      seconds: 2,
    }

const startedAt = performance.now()
const loads: Loads = { before: loadNow() }
report(`Filling a table with workspaces of ${extent.sizes.join(', ')} cases`)
const setup = await setUpBench(extent.sizes)
const parts: Part[] = []
try {
  const storeCalls = interceptStoreCalls()
  const { handler }: { handler: Handler } = await import('#functions/cases/index.ts')

  await measure('cost', () => measureCost(setup.firms, handler, storeCalls))
  const { handler: deadlines }: { handler: Handler } = await import('#functions/deadlines/index.ts')
  await measure('cost of deadlines', () => measureCost(setup.firms, deadlines, storeCalls, ofDeadlines))
  await measure('cost of Idempotency-Key', () =>
    measureIdempotency(setup.firm, storeCalls, { cases: handler, deadlines }),
  )
  await measure('deadlines', () => measureDeadlines(setup.firms, deadlines, extent.repetitions / 10))
  const { handler: calendar }: { handler: Handler } = await import('#functions/calendar/index.ts')
  await measure('cost of the calendar', () => measureCost(setup.firms, calendar, storeCalls, ofCalendar))
  await measure('calendar', () => measureCalendar(setup.firms, calendar, extent.repetitions / 10))
  const { handler: documents }: { handler: Handler } = await import('#functions/documents/index.ts')
  await measure('cost of documents', () => measureCost(setup.firms, documents, storeCalls, ofDocuments))
  const { handler: parties }: { handler: Handler } = await import('#functions/parties/index.ts')
  await measure('cost of conflict checks', () => measureConflictCheck(setup.firms, parties, storeCalls))
  const { handler: correspondence }: { handler: Handler } = await import('#functions/correspondence/index.ts')
  await measure('cost of correspondence', () =>
    measureCost(setup.firms, correspondence, storeCalls, ofCorrespondence),
  )
  const { handler: email }: { handler: Handler } = await import('#functions/email/index.ts')
  await measure('cost of outbound mail', () => measureCost(setup.firms, email, storeCalls, ofOutboundMail))
  const { handler: signing }: { handler: Handler } = await import('#functions/signing/index.ts')
  await measure('cost of signing', () => measureCost(setup.firms, signing, storeCalls, ofSigning))
  const { handler: beaMessages }: { handler: Handler } = await import('#functions/bea-messages/index.ts')
  await measure('cost of beA messages', () =>
    measureCost(setup.firms, beaMessages, storeCalls, ofBeaMessages),
  )
  await measure('calls of the table', () =>
    measureCalls(setup.firm, storeCalls, [
      { things: 'case', handler, operations: caseOperations },
      { things: 'document', handler: documents, operations: ofDocuments.operations },
      { things: 'deadline', handler: deadlines, operations: ofDeadlines.operations },
      { things: 'event', handler: calendar, operations: ofCalendar.operations },
      { things: 'correspondence', handler: correspondence, operations: ofCorrespondence.operations },
      { things: 'mail', handler: email, operations: ofOutboundMail.operations },
      { things: 'envelope', handler: signing, operations: ofSigning.operations },
    ]),
  )
  await measure('cold starts', () => measureColdStarts(setup, storeCalls, extent.coldStarts))
  await measure('layers', () => measureLayers(setup, extent.repetitions))
  await measure('throughput', () => measureThroughput(setup, handler, storeCalls, extent))
  const { handler: billing }: { handler: Handler } = await import('#functions/billing/index.ts')
  await measure('numbers taken at once', () => measureNumbers(setup, { cases: handler, billing }))
  const { handler: webhook }: { handler: Handler } = await import('#functions/mail-webhook/index.ts')
  await measure('acceptance of mail', () => measureAcceptance(setup, webhook, storeCalls, extent))
  await measure('deliveries to webhooks', () =>
    measureWebhooks(setup, { changes: 10 * extent.rounds, events: options.quick ? 1_000 : 10_000 }),
  )
  await measure('webhooks of a service that is killed', () =>
    measureLosses(setup, options.quick ? 1_000 : 10_000),
  )
  const { handler: webhooks }: { handler: Handler } = await import('#functions/webhooks/index.ts')
  const changing = { cases: handler, parties, deadlines, webhooks }
  await measure('units of events for webhooks', () => measureEventUnits(storeCalls, changing))
  const { handler: deliveries }: { handler: DeliveryWorker } = await import(
    '#functions/workers/deliveries/index.ts'
  )
  await measure('units of deliveries to webhooks', () =>
    measureDeliveryUnits(storeCalls, changing, deliveries),
  )
  await measure('neighbours', () => measureNeighbours(setup, extent))
  await measure('waiting documents', () => measureWaitingDocuments(setup.firms, documents))
  await measure('guards of mail', measureMailGuards)
  await measure('throughput of mail', () => measureMailThroughput(setup, email, storeCalls, extent))
  await measure('throughput of files', () => measureFileThroughput(setup, extent))
  await measure('memory of files', () => measureFileMemory(setup, documents))
  await measure('memory of inbound mail', () => measureInboundMemory(setup, correspondence))
  await measure('tables of exports', () => measureTables(setup, Math.min(extent.rounds, 3)))
  await measure('units of exports', () => measureExportUnits(setup.firms, storeCalls))
  await measure('speed of exports', () =>
    measureExportSpeed(4 * (extent.sizes.at(-1) ?? 0), Math.min(extent.rounds, 5)),
  )
  await measure('synchronisation of beA', () => measureBeaSync(setup, storeCalls))
  await measure('extraction', measureExtraction)
  await measure('composing', () => measureComposing(setup, extent.rounds))
  await measure('fees', async () => measureFees())
  await measure('triage', () => measureTriage(extent.rounds))
  await measure('cost of judging', () => measureTriageCost(setup.firms, storeCalls))
  await measure('upgrades', () => measureUpgrades(4 * (extent.sizes.at(-1) ?? 0)))
  await measure('sealing', () => measureSealing(setup.folder, extent.rounds))
  await measure('search', () => measureSearch(setup.folder, extent.searched, extent.rounds * 10))
  const { handler: search }: { handler: Handler } = await import('#functions/search/index.ts')
  await measure('search beside indexing', () =>
    measureBesideIndexing(setup, search, options.quick ? 500 : 10_000),
  )
  await measure('retention', () =>
    measureRetention(
      setup.firm,
      storeCalls,
      { cases: handler, documents },
      options.quick ? { documents: 50, due: 100 } : { documents: 500, due: 1_000 },
    ),
  )
  await measure('search: what is found', () => measureFinding(setup.folder, options.quick ? 500 : 4_000))
} finally {
  await setup.stop()
}
const figures = {
  measured_at: new Date().toISOString(),
  node: process.version,
  processor: cpus()[0]?.model,
  processors: availableParallelism(),
  load_average: loads,
  seconds: Math.round((performance.now() - startedAt) / 1_000),
  targets: parts.flatMap(({ targets }) => targets.map((target) => ({ ...target, met: isMet(target) }))),
  parts: parts.map(({ title, method, rows }) => ({ title, method, rows })),
}
const json = JSON.stringify(figures, null, 2)
if (options.json) {
  console.log(json)
} else {
  const file = join(tmpdir(), 'aktenlage-bench.json')
  writeFileSync(file, `${json}\n`)
  console.log(
    `\n${render(parts)}\n\n${describeLoad(loads, figures.processors)}\n${figures.seconds} s. As JSON: ${file}`,
  )
}
if (options.strict && figures.targets.some(({ met }) => !met)) process.exitCode = 1

/** The load average of the machine before the bench and after each of its parts, which includes the bench itself. */
type Loads = { before: number } & Record<string, number>

async function measure(what: string, work: () => Promise<Part>): Promise<void> {
  if (!options.only.split(',').some((text) => what.includes(text))) return
  report(`Measuring ${what}`)
  try {
    parts.push(await work())
  } catch (error) {
    report(`${what} could not be measured: ${error instanceof Error ? error.stack : String(error)}`)
    process.exitCode = 1
  }
  loads[`after ${what}`] = loadNow()
}

function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}

function describeLoad(loads: Loads, processors: number): string {
  const entries = Object.entries(loads).map(([when, load]) => `${load.toFixed(1)} ${when}`)
  const busy =
    loads.before > processors / 2
      ? ' Other programs used the machine before the bench: trust the ratios more than the times, and measure again later.'
      : ''
  return `Load average on ${processors} processors: ${entries.join(', ')}.${busy}`
}

/** Writes progress to standard error. */
function report(what: string): void {
  console.error(`… ${what}`)
}
