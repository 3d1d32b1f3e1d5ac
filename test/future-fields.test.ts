import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allEndpoints } from '#functions/manifest.ts'
import { isCredential } from '#http/access.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { type Answer, api } from '#test/support/api.ts'
import { request } from '#test/support/credential-suite.ts'
import { makeDueCase } from '#test/support/due-case.ts'
import { everyEntity, ofNobody } from '#test/support/every-entity.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { allFixtures, given, type Prepared, pathWithQuery, sendOf } from '#test/support/fixture.ts'
import {
  addFutureFields,
  futureField,
  isListEntry,
  keyOf,
  kindOf,
  lossesOf,
  movedFrom,
} from '#test/support/future-fields.ts'
import { type Situation, situations } from '#test/support/future-situations.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { sharedTable } from '#test/support/table.ts'
import { everyRow, itemIn, type Row } from '#test/support/table-file.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/**
 * Newer code, which runs beside this one or did before a rollback, may store fields that this one does not know. They
 * survive every change (U3), and no answer shows them.
 *
 * Every changing endpoint is called in a firm of its own, with its example, and in situations in which many records
 * refer to its record. Every GET is called in a firm in which all of them find something. Before, each record of these
 * firms gets such fields.
 */

/** Derived from records, and written whole (packages/store/README.md). */
const derived = {
  dueenvelope: 'The record says when it is due.',
  dueexport: 'The record says when it is due.',
  duebeasend: 'The record says when it is due.',
  duedeadline: 'The record says when it is due.',
  scheduledbeasync: 'It ends with a connection of the account, and the next one makes it anew.',
  searchwork: 'The manifest of the index says when it is due.',
  partyuse: 'Its key says all.',
  partyside: 'Its key says all.',
} as const

/** Kinds that no firm of this test has before its call, and why. */
const notHere = {
  partyreservation: 'It is there while a request lasts.',
  duedisposal: 'It is there while a disposal waits or runs. Its record says when it is due.',
  disposalpart: 'It is there while a disposal runs. Its key says all.',
  keptpart: 'Its key says all but when it was removed, which is set alone.',
  removedincase: 'Its key says all.',
  leftcase: 'Its key says all.',
  unendedrun: 'It is there while a run lasts, and is never changed.',
  listedreport: 'It is never changed.',
  unendedreport: 'It is there while a report is made, and is never changed.',
  erasureorder: 'It is there while a party is erased. Each step writes it whole.',
  deadlineoverdue: 'It is there once a deadline is overdue, and is never changed.',
  searchlease: 'It is there while the worker writes an index.',
  searchwork: 'It is there while an index has work that is due.',
  bealogin: 'It is there between two steps of a login, each of which takes the whole of it.',
  beasentmessage: 'Only the network adds it. It names a draft, and is never changed.',
  beaunimported: 'Only a fault of the network adds it: test/store/future-fields.test.ts',
  webhookreplay: 'It is there while a replay lasts. A worker only moves its beginning.',
  deletedexportconfig:
    'Only an erasure changes it, field by field. What it takes along is tested with its deletion.',
  duewithdrawal: 'A worker removes it soon: test/store/future-fields.test.ts',
  waitingjob: 'It is there until it is done: test/store/newer-jobs.test.ts',
  job: 'A person must look at it: test/store/newer-jobs.test.ts',
} as const

type Case = Situation & {
  firm: Firm
  prepared: Prepared
  before: StoredItem[]
  after: StoredItem[]
  answer?: Answer
}

const fixtures = await allFixtures()
const endpointOf = new Map(allEndpoints.map(({ operation, endpoint }) => [operation, endpoint]))
const reading = allEndpoints.filter(({ endpoint }) => endpoint.method === 'GET')
const changing: Situation[] = [
  ...situations,
  ...allEndpoints
    .filter(({ endpoint }) => endpoint.method !== 'GET')
    .map(({ operation }) => ({
      operation,
      title: 'with its example',
      prepare: async (of: Parameters<Situation['prepare']>[0]) => (await fixtures[operation]?.(of)) ?? {},
    })),
]
/** Most wait for a worker, or for the network. */
const atOnce = 8

const nameOf = ({ operation, title }: Situation) => `${operation} ${title}`

const cases = new Map<string, Case>()
const caseOfFirm = new Map<unknown, Case>()
const reads = new Map<string, Answer>()
let readers: Firm
let ofReaders: StoredItem[]
let caldav: Awaited<ReturnType<typeof startToyCaldav>>

beforeAll(async () => {
  ;[readers, caldav] = await Promise.all([newFirm(), startToyCaldav()])
  // It comes first: a disposal removes all reports on parties of its firm, and one of them is read.
  await disposeOf(readers, await makeDueCase(readers))
  const toRead = new Map<string, Prepared>()
  await inParallelUpTo(
    atOnce,
    [
      // Those of one function use the same few lawyers of the demo network.
      ...[...Map.groupBy(reading, (one) => one.function).values()].map((ofFunction) => async () => {
        for (const { operation } of ofFunction)
          toRead.set(operation, (await fixtures[operation]?.(given(readers, caldav.url))) ?? {})
      }),
      ...changing.map((one) => async () => {
        const firm = await newFirm()
        const prepared = await one.prepare(given(firm, caldav.url))
        const made = { ...one, firm, prepared, before: [], after: [] }
        cases.set(nameOf(one), made)
        caseOfFirm.set(firm.workspace.id, made)
      }),
    ],
    (prepare) => prepare(),
  )
  ofReaders = (await withFutureFields()).filter((item) => firmOf(item) === readers.workspace.id)
  await inParallelUpTo(atOnce, [...cases.values()], async (one) => {
    one.answer = await ask(one.firm, one.operation, one.prepared)
  })
  await inParallelUpTo(atOnce, reading, async ({ operation }) => {
    reads.set(operation, await ask(readers, operation, toRead.get(operation) ?? {}))
  })
  for (const item of await settled()) caseOfFirm.get(firmOf(item))?.after.push(item)
}, 1_200_000)
afterAll(() => caldav.stop())

/** Adds fields until every item has some, including items that a worker has written meanwhile. */
async function withFutureFields(): Promise<StoredItem[]> {
  const db = await sharedTable()
  for (;;) {
    const items = await settled()
    // Entries of lists are written whole: what they hold matters for answers alone.
    const lacking = items.filter(
      (item) =>
        item[futureField] === undefined && !(isListEntry(item) && firmOf(item) !== readers.workspace.id),
    )
    if (lacking.length > 0) await addFutureFields(db, lacking)
    else {
      for (const item of items) caseOfFirm.get(firmOf(item))?.before.push(item)
      return items
    }
  }
}

function firmOf({ pk, workspace_id, payload }: Partial<StoredItem> & { pk: string }): unknown {
  const [own] = /^ws_[0-9a-f-]{36}(?=#)/.exec(pk) ?? []
  return own ?? workspace_id ?? Object(payload).workspace_id
}

/** The items of the firms once the workers that requests have set going are done: nothing changes for two seconds. */
async function settled(): Promise<StoredItem[]> {
  const isOurs = (row: Row) => {
    const firm = firmOf(row.pk.startsWith('ws_') ? row : itemIn(row))
    return caseOfFirm.has(firm) || firm === readers.workspace.id
  }
  for (let last: string | undefined; ; await sleep(2_000)) {
    const rows = everyRow().filter(isOurs)
    const now = rows.map(({ item }) => item).join('\n')
    if (now === last) return rows.map(itemIn)
    last = now
  }
}

/** Sends a request. On a busy machine it may be refused with 503; then, like any client, it sends the request again. */
async function ask(firm: Firm, operation: string, prepared: Prepared): Promise<Answer> {
  for (let repetitions = 0; ; repetitions += 1) {
    const answer = await askOnce(firm, operation, prepared)
    if (answer.status !== 503 || repetitions === 2) return answer
  }
}

async function askOnce(firm: Firm, operation: string, prepared: Prepared): Promise<Answer> {
  const endpoint = endpointOf.get(operation)
  if (endpoint === undefined) throw new Error(`There is no ${operation}.`)
  const anybody = api(firm.baseUrl, undefined)
  if (isCredential(endpoint.access))
    return (await request({ endpoint, ask: anybody }, prepared, prepared.credential)) as Answer
  const by = endpoint.access === 'public' ? anybody : firm.owner
  return by(endpoint.method, pathWithQuery(endpoint, prepared), sendOf(endpoint, prepared))
}

const textOf = (answer: Answer | undefined) => new TextDecoder('latin1').decode(answer?.bytes)

describe('a field that this code does not know', () => {
  it.each(changing.map((one) => [nameOf(one), one] as const))('survives %s', (name, {
    operation,
    status,
  }) => {
    const { before = [], after = [], answer } = cases.get(name) ?? {}
    const now = new Map(after.map((item) => [keyOf(item), item]))

    const lost = before
      .filter((item) => !isListEntry(item) && !(kindOf(item) in derived))
      .flatMap((item) => {
        const found = now.get(keyOf(item)) ?? movedFrom(item, before, after)
        return found === undefined ? [] : lossesOf(item, found)
      })

    expect.soft(answer?.status, textOf(answer)).toBe(status ?? endpointOf.get(operation)?.status)
    expect.soft(lost).toEqual([])
    expect.soft(textOf(answer)).not.toContain(futureField)
  })

  it.each(reading.map(({ operation }) => operation))('is not shown by %s', (operation) => {
    const answer = reads.get(operation)

    expect.soft(answer?.status).toBe(endpointOf.get(operation)?.status)
    expect.soft(textOf(answer)).not.toContain(futureField)
  })

  it('was added to every kind of record', async () => {
    const kinds = [...(await everyEntity(await sharedTable())).keys()].filter((kind) => !ofNobody.has(kind))
    const items = [...cases.values()].flatMap(({ before }) => before).concat(ofReaders)

    const found = new Set(items.map(kindOf))

    expect(kinds.filter((kind) => !found.has(kind) && !(kind in notHere))).toEqual([])
    expect(Object.keys({ ...derived, ...notHere }).filter((kind) => !kinds.includes(kind))).toEqual([])
  })
})
