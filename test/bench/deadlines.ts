import { calculate } from '#deadlines/calculate.ts'
import { type PresetKey, presetKeys } from '#deadlines/presets.ts'
import type { Measured } from './cost.ts'
import { measureTimes } from './list-times.ts'
import type { Part } from './report.ts'
import type { Handler, Request } from './requests.ts'
import type { Firm } from './seed.ts'

const minCalculationsPerSecond = 10_000

/** The cost of deadlines, for `measureCost`. */
export const ofDeadlines: Measured = {
  things: 'deadlines',
  first: (firm) => fristenOf(firm),
  operations: [
    { name: 'Fristen of a user', request: (firm) => fristenOf(firm), isHeldToTarget: true },
    {
      name: 'open Fristen of a user',
      request: (firm) => fristenOf(firm, { status: 'open' }),
      isHeldToTarget: true,
    },
    { name: 'deadlines of a month', request: monthOf, isHeldToTarget: true },
    {
      name: 'unverified',
      request: ({ key }) => ({ method: 'GET', resource: '/api/v1/deadlines/unverified', key }),
      isHeldToTarget: true,
    },
    {
      name: 'get',
      request: ({ key, deadlineId }) => ({
        method: 'GET',
        resource: '/api/v1/deadlines/{id}',
        params: { id: deadlineId },
        key,
      }),
      isHeldToTarget: true,
    },
    { name: 'create', request: (firm) => creating(firm, false), isHeldToTarget: true },
    { name: 'create with basis', request: creatingByCalculation, isHeldToTarget: true },
    { name: 'create with Vorfrist', request: (firm) => creating(firm, true), isHeldToTarget: true },
    {
      name: 'change the due time',
      request: ({ key, deadlineId }) => ({
        method: 'PATCH',
        resource: '/api/v1/deadlines/{id}',
        params: { id: deadlineId },
        body: { due_at: '2040-01-02' },
        key,
      }),
      isHeldToTarget: true,
    },
  ],
}

/** How long the lists take in workspaces of these sizes, and how many calculations one core makes. */
export async function measureDeadlines(firms: Firm[], handler: Handler, repetitions: number): Promise<Part> {
  const { rows, targets } = await measureTimes(firms, handler, repetitions, 'deadlines', [
    ['Fristen of a user', fristenOf],
    ['deadlines of a month', monthOf],
    ['register of a day', registerOf],
  ])
  targets.push({
    name: 'calculations on one core',
    measured: calculationsPerSecond(),
    unit: 'per second',
    min: minCalculationsPerSecond,
  })
  return {
    title: 'Deadlines: time of lists by how many deadlines the workspace has',
    method: 'Median of requests in turns, in this process, with the table in another; pages of 50.',
    rows,
    targets,
  }
}

const second = 1_000

/** Every preset on every day of a year, in a Land with municipal holidays. */
function calculationsPerSecond(): number {
  const startedAt = performance.now()
  let made = 0
  while (performance.now() - startedAt < second) {
    for (const preset of presetKeys) {
      calculate({
        preset: preset as PresetKey,
        event_date: dateOf(made),
        region: 'DE-BY',
        region_source: 'request',
        time_zone: 'Europe/Berlin',
      })
      made += 1
    }
  }
  return (made * second) / (performance.now() - startedAt)
}

function dateOf(at: number): string {
  return new Date(Date.UTC(2026, 0, 1 + (at % 365))).toISOString().slice(0, 10)
}

function fristenOf({ key, userId }: Firm, query: Record<string, string> = {}): Request {
  const resource = '/api/v1/calendar/fristen'
  return { method: 'GET', resource, query: { assigned_to: userId, ...query }, key }
}

/** From the middle of the first hundred deadlines on. */
function monthOf({ key }: Firm): Request {
  const from = new Date(Date.now() + 9 * 86_400_000)
  const to = new Date(from.getTime() + 30 * 86_400_000)
  const query = { from: from.toISOString(), to: to.toISOString() }
  return { method: 'GET', resource: '/api/v1/deadlines', query, key }
}

function creating({ key, oldestCaseId }: Firm, create_vorfrist: boolean): Request {
  const body = { title: 'Berufung', case_id: oldestCaseId, due_at: '2040-01-01', create_vorfrist }
  return { method: 'POST', resource: '/api/v1/deadlines', body, key }
}

/** The record and its history hold how the due time was calculated. */
function creatingByCalculation({ key, oldestCaseId }: Firm): Request {
  const calculation = { event_date: '2039-12-01', pronounced_on: '2039-11-15', preset: 'zpo_berufung' }
  const body = { title: 'Berufung', case_id: oldestCaseId, calculation }
  return { method: 'POST', resource: '/api/v1/deadlines', body, key }
}

/** Of a day on which little is due: what it costs must not depend on how many deadlines there are. */
function registerOf({ key }: Firm): Request {
  const query = { date: new Date(Date.now() - 400 * 86_400_000).toISOString().slice(0, 10) }
  return { method: 'GET', resource: '/api/v1/deadlines/register', query, key }
}
