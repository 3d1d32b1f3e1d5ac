import { randomUUID } from 'node:crypto'
import { announcingFoundation } from '#foundation/announcing.ts'
import { disposalFoundation } from '#foundation/disposals.ts'
import { indexingFoundation } from '#foundation/text-indexing.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { runDisposals } from '#retention/disposing.ts'
import { caseRecords } from '#store/cases/case-records.ts'
import { closedCases } from '#store/cases/closed-cases.ts'
import type { Db } from '#store/db.ts'
import { disposalStore } from '#store/retention/disposal-store.ts'
import { transact } from '#store/transact.ts'
import { type Part, round } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'

const mebibyte = 1024 * 1024
const closed_at = '2015-03-01T09:00:00.000Z'

/**
 * Measures the disposal of a case with many documents, without the seal of its certificate, and what a page of due cases
 * costs (R3).
 */
export async function measureRetention(
  firm: Firm,
  storeCalls: StoreCalls,
  handlers: { cases: Handler; documents: Handler },
  extent: { documents: number; due: number },
): Promise<Part> {
  const base = announcingFoundation('disposals')
  const caseId = await openCase(handlers.cases, firm)
  await inParallelUpTo(8, Array.from({ length: extent.documents }), async () => {
    await upload(handlers.documents, firm, caseId)
  })
  await closeLongAgo(base.db, firm, caseId)
  await index(base, firm)
  const disposal = await approvedDisposal(base, firm, caseId)
  const { calls, seconds, cpuSeconds, megabytes, runs } = await untilDone(base, firm, disposal, storeCalls)
  const { read, write } = unitsOf(calls)

  await inParallelUpTo(8, Array.from({ length: extent.due }), async () => {
    await closeLongAgo(base.db, firm, await openCase(handlers.cases, firm))
  })
  const request = { method: 'GET', resource: '/api/v1/retention/due', query: { limit: '50' }, key: firm.key }
  await ask(handlers.cases, request)
  const pageAt = performance.now()
  const page = await storeCalls.record(() => ask(handlers.cases, request))
  const pageMilliseconds = performance.now() - pageAt
  const ofPage = unitsOf(page.calls)
  const listed = JSON.parse(page.result.body).data.length

  return {
    title: 'Retention: a disposal, and a page of due cases',
    method: `A case with ${extent.documents} documents of a page, removed by runs of the worker's code between which the index of texts loses it, without the index and the seal of the certificate; units as the table reports them; memory: what the process holds more at its most. A page of 50 of ${extent.due} due cases, with the counts of each.`,
    rows: [
      {
        what: `disposal of ${extent.documents} documents`,
        'read units': round(read),
        'write units': round(write),
        calls: calls.length,
        runs,
        seconds: round(seconds),
        'CPU s': round(cpuSeconds),
        'MiB more': round(megabytes),
      },
      {
        what: `page of ${listed} due cases`,
        'read units': round(ofPage.read),
        calls: ofPage.calls,
        seconds: round(pageMilliseconds / 1_000),
      },
    ],
    targets: [
      { name: 'memory of a disposal', measured: megabytes, unit: 'MiB', max: 400 },
      { name: 'due cases on a page', measured: listed, unit: '', min: 50 },
    ],
  }
}

type Base = ReturnType<typeof announcingFoundation>

async function openCase(cases: Handler, { key }: Firm): Promise<string> {
  const request = { method: 'POST', resource: '/api/v1/cases', body: { name: 'Meier ./. Schulze' }, key }
  return JSON.parse((await ask(cases, request)).body).id
}

async function upload(documents: Handler, { key }: Firm, caseId: string): Promise<void> {
  const file = {
    name: 'Brief.txt',
    bytes: Buffer.from(`${randomUUID()}\n${'Sehr geehrte Damen und Herren. '.repeat(80)}`),
  }
  const request = { method: 'POST', resource: '/api/v1/documents', file, key }
  const { id } = JSON.parse((await ask(documents, request)).body)
  const body = { case_id: caseId }
  await ask(documents, {
    method: 'POST',
    resource: '/api/v1/documents/{id}/assign',
    params: { id },
    body,
    key,
  })
}

async function closeLongAgo(db: Db, { workspaceId }: Firm, id: string): Promise<void> {
  const cases = caseRecords(db)
  const before = await cases.found(workspaceId, id)
  const after = { ...before, status: 'closed' as const, closed_at, version: before.version + 1 }
  await transact(db, [cases.replace(before, after), ...closedCases(db).changes(before, after)])
}

/** A disposal of the case that two people have agreed on. @returns its id */
async function approvedDisposal(base: Base, { workspaceId, userId }: Firm, case_id: string): Promise<string> {
  const id = `dsp_${randomUUID()}`
  const at = base.clock.now().toISOString()
  await disposalStore(base).add({
    record: {
      ...{ workspace_id: workspaceId, id, status: 'approved', version: 1 },
      cases: [{ case_id, file_number: '0001/15', state: 'waiting', reason: null }],
      ...{ proposed_by: userId, proposed_at: at, approved_by: userId, approved_at: at },
      ...{ withdrawn_by: null, withdrawn_at: null, begun_at: null, done_at: null, claimed_until: null },
      ...{
        counts: null,
        digest: null,
        forgetting_since: null,
        certificate_sha256: null,
        kept_until: null,
        is_cleaned: false,
        states: null,
      },
    },
    answer: undefined,
  })
  return id
}

/** The most runs that a disposal takes here. */
const maxRuns = 20

/** Runs the worker until the disposal is done, and what its runs cost together. */
async function untilDone(base: Base, firm: Firm, id: string, storeCalls: StoreCalls) {
  const deps = disposalFoundation(base)
  const memory = peakOfMemory()
  const cost = { calls: [] as Parameters<typeof unitsOf>[0], seconds: 0, cpuSeconds: 0 }
  for (let runs = 1; runs <= maxRuns; runs += 1) {
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
    const { result, calls } = await storeCalls.record(() => carryOut(deps, firm, id))
    const { user, system } = process.cpuUsage(cpu)
    cost.calls.push(...calls)
    cost.seconds += (performance.now() - startedAt) / 1_000
    cost.cpuSeconds += (user + system) / 1e6
    if (result.done === 1) return { ...cost, runs, megabytes: memory.stop() }
    await index(base, firm)
  }
  throw new Error('The disposal was not carried out.')
}

/** Brings the index of texts in line with the records. */
function index(base: Base, { workspaceId }: Firm): Promise<void> {
  return indexingFoundation(base).run({ workspace_id: workspaceId }, AbortSignal.timeout(120_000))
}

/** Carries out this disposal alone. */
function carryOut(deps: ReturnType<typeof disposalFoundation>, { workspaceId }: Firm, id: string) {
  const due = {
    ...deps.due,
    shards: ['0'],
    due: async function* () {
      yield { workspace_id: workspaceId, id, shard: '0', place: '' }
    },
  }
  const now = deps.clock.now()
  return runDisposals({ ...deps, due, certify: async () => '' }, now, { milliseconds: 840_000 })
}

/** Looks at the memory of this process until it is stopped. `stop` returns by how many MiB it was above the beginning. */
function peakOfMemory() {
  const first = process.memoryUsage.rss()
  let most = first
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 20)
  return {
    stop: () => {
      clearInterval(timer)
      return (most - first) / mebibyte
    },
  }
}
