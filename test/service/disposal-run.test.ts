import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { dueShard } from '#store/due-index.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { upload } from '#test/support/documents.ts'
import { closeLongAgo, makeDueCase } from '#test/support/due-case.ts'
import { only } from '#test/support/due-index.ts'
import { entitiesWithoutCase } from '#test/support/entities-without-case.ts'
import { everyEntity } from '#test/support/every-entity.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { approveForTest, disposeOf, untilDone } from '#test/support/run-disposals.ts'
import { sharedTable } from '#test/support/table.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
let approver: Awaited<ReturnType<Firm['colleague']>>
beforeAll(async () => {
  firm = await newFirm()
  approver = await firm.colleague()
})

const propose = async (...case_ids: string[]): Promise<string> =>
  (await firm.owner('POST', '/api/v1/disposals', { body: { case_ids } })).body.id
const approve = (id: string) => approver.api('POST', `/api/v1/disposals/${id}/approve`)
const statusOf = async (caseId: string) => (await firm.owner('GET', `/api/v1/cases/${caseId}`)).status

it('every entity of the store says whether its records belong to cases', async () => {
  const db = await sharedTable()
  const { tableCursors } = await import('#store/cursor.ts')
  const { outbox } = await import('#store/outbox.ts')
  const deps = { db, cursors: tableCursors(db), outbox: outbox(db, jobRunner(), console) }
  const nouns = caseNouns({ ...deps, providerDomain: '' }).map(({ kind }) => kind)

  const entities = [...(await everyEntity(db)).keys()]

  const missing = entities.filter((one) => !nouns.includes(one) && entitiesWithoutCase[one] === undefined)
  expect(missing, 'Add them to case-nouns.ts or to entities-without-case.ts').toEqual([])
  expect(nouns.filter((one) => entitiesWithoutCase[one] !== undefined)).toEqual([])
  expect(Object.keys(entitiesWithoutCase).filter((one) => !entities.includes(one))).toEqual([])
})

describe('before its removal, a case is kept if', () => {
  const keeping: [string, string, (id: string) => Promise<unknown>][] = [
    [
      'it was reopened',
      'reopened',
      (id) => firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status: 'active' } }),
    ],
    [
      'a hold was set',
      'legal_hold',
      (id) => firm.owner('POST', `/api/v1/cases/${id}/holds`, { body: { reason: 'Regress' } }),
    ],
    [
      'a draft was written',
      'open_work',
      (id) =>
        firm.owner('POST', '/api/v1/email/outbound/drafts', { body: { subject: 'Noch etwas', case_id: id } }),
    ],
    [
      'a letter was filed in it',
      'changed',
      (id) => upload(firm.owner, { bytes: `Noch ein Brief. ${id}`, filename: 'Brief.txt' }, { case_id: id }),
    ],
    [
      'a time entry was added',
      'changed',
      (id) =>
        firm.owner('POST', '/api/v1/time-entries', {
          body: { case_id: id, date: '2026-03-01', minutes: 30, activity: 'Telefonat' },
        }),
    ],
    [
      'a hold was set and lifted',
      'changed',
      async (id) => {
        const holds = `/api/v1/cases/${id}/holds`
        const { body } = await firm.owner('POST', holds, { body: { reason: 'Regress' } })
        await firm.owner('DELETE', `${holds}/${body.id}`, { body: { reason: 'Verglichen' } })
      },
    ],
    ['it was closed again', 'not_due', (id) => closeLongAgo(firm, id, systemClock.now().toISOString())],
  ]

  it.each(keeping)('%s; the certificate says so', async (_, reason, change) => {
    const [kept, other] = [await makeDueCase(firm), await makeDueCase(firm)]
    const id = await propose(kept, other)
    await change(kept)
    await approve(id)

    const disposal = await untilDone(firm, id)

    const certificate = (await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)).body
    expect(disposal.cases).toMatchObject([
      { case_id: kept, state: 'kept', reason },
      { case_id: other, state: 'done', reason: null },
    ])
    expect(certificate.kept).toMatchObject([{ reason }])
    expect(certificate.cases).toHaveLength(1)
    expect([await statusOf(kept), await statusOf(other)]).toEqual([200, 404])
  })
})

it('a disposal is run although the key of its approver was revoked', async () => {
  const caseId = await makeDueCase(firm)
  const id = await propose(caseId)
  const other = await firm.colleague()
  await other.api('POST', `/api/v1/disposals/${id}/approve`)
  await firm.owner('DELETE', `/api/v1/api-keys/${other.keyId}`)

  const disposal = await untilDone(firm, id)

  expect([disposal.approved_by, await statusOf(caseId)]).toEqual([other.user.id, 404])
})

it('before a disposal is done there is no certificate', async () => {
  const id = await propose(await makeDueCase(firm))

  const refused = await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)

  expect([refused.status, refused.body.error.code]).toEqual([409, 'DISPOSAL_NOT_DONE'])
})

it('an issued invoice stays when its case is removed', async () => {
  const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Mit Rechnung' } })).body
  const party = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body
  const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
  const body = { case_id: id, party_id: party.id, lines }
  const invoice = (await firm.owner('POST', '/api/v1/invoices', { body })).body
  const issued = await firm.owner('POST', `/api/v1/invoices/${invoice.id}/issue`)
  await closeLongAgo(firm, id)

  await disposeOf(firm, id)

  const kept = await firm.owner('GET', `/api/v1/invoices/${invoice.id}`)
  expect([issued.status, kept.status, kept.body.number]).toEqual([200, 200, issued.body.number])
  expect(await statusOf(id)).toBe(404)
})

it('a noun that is added later is disposed of with its case', async () => {
  Object.assign(process.env, sharedService().environment)
  const [db, workspace_id] = [await sharedTable(), firm.workspace.id]
  const { entity, recordKey, text, number } = await import('#store/entity.ts')
  const { records } = await import('#store/records.ts')
  const { sortedList } = await import('#store/sorted-list.ts')
  const { transact } = await import('#store/transact.ts')
  const { keyIn } = await import('#store/upgrades/upgrade.ts')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the template of a key
  const noteEntity = entity('toynote', recordKey('${workspace_id}#toy_note#${id}'), {
    case_id: text,
    words: text,
    version: number,
  })
  type Note = { workspace_id: string; id: string; case_id: string; words: string; version: number }
  const notes = records<Note>(db, noteEntity, { missing: 'FOLDER_NOT_FOUND' })
  const list = sortedList<null>(db, 'toy_notes', 'descending')
  const entriesOf = ({ id, case_id }: Note) => [{ term: `case=${case_id}`, place: id, data: null }]
  const noun = {
    kind: 'toynote',
    idPrefix: 'toy_',
    keyOf: (workspace: string, id: string) => keyIn(noteEntity(db).get({ workspace_id: workspace, id })),
    caseOf: (item: Record<string, unknown>) => item.case_id,
    listed: (caseId: string) => [`toy_notes#case=${caseId}`],
    traces: (item: object) => ({ entries: list.changes(workspace_id, entriesOf(item as Note), []) }),
  }
  const case_id = await makeDueCase(firm)
  const note = {
    workspace_id,
    id: `toy_${crypto.randomUUID()}`,
    case_id,
    words: 'Spielzeugnotiz',
    version: 1,
  }
  await transact(db, [notes.add(note), ...list.changes(workspace_id, [], entriesOf(note))])
  const id = await propose(case_id)
  const { first } = await approveForTest(firm, id)

  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  const { runDisposals } = await import('#retention/disposing.ts')
  const deps = disposalFoundation(foundation('disposals'), [noun])
  const due = { ...deps.due, ...only(deps.due, (item) => item.id === id) }
  await runDisposals({ ...deps, due }, first, { milliseconds: 60_000 })

  const left = itemsOf(workspace_id).filter(({ pk }) => pk.includes(`${workspace_id}#toy_note`))
  const { counts } = (await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)).body
  expect([left, counts]).toEqual([[], { case: 1, toynote: 1 }])
})

describe('a worker that dies', () => {
  const marked = 'Hagebuttentee'

  const somethingDue = async (): Promise<string> => {
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: `${marked} ./. Rose` } })).body
    const other = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Andere Sache' } })).body
    await firm.owner('POST', `/api/v1/cases/${id}/links`, { body: { case_id: other.id, note: marked } })
    await upload(firm.owner, { bytes: `${marked} ${id}`, filename: `${marked}.txt` }, { case_id: id })
    await firm.owner('POST', '/api/v1/deadlines', {
      body: { title: marked, case_id: id, due_at: '2020-04-16' },
    })
    const time = { case_id: id, date: '2026-03-01', minutes: 30, activity: marked }
    await firm.owner('POST', '/api/v1/time-entries', { body: time })
    await closeLongAgo(firm, id)
    return id
  }

  /** Runs the worker for some disposals; from the given write of the table on, nothing works any more. */
  const runUntil = async (ids: string[], writes: number, now: Date): Promise<number> => {
    Object.assign(process.env, sharedService().environment)
    const { foundation } = await import('#foundation/foundation.ts')
    const { disposalFoundation } = await import('#foundation/disposals.ts')
    const { runDisposals } = await import('#retention/disposing.ts')
    const base = foundation('disposals')
    const { client } = base.db
    const send = client.send.bind(client)
    let written = 0
    Object.assign(client, {
      send: (command: object) => {
        const name = command.constructor.name
        if (/Write|Put|Update|Delete/.test(name)) written += 1
        if (written > writes) return Promise.reject(new Error('The worker is dead.'))
        return (send as (command: object) => Promise<unknown>)(command)
      },
    })
    const deps = disposalFoundation(base)
    const ours = only(deps.due, ({ id }) => ids.includes(id))
    const due = { ...deps.due, ...ours, shards: [...new Set(ids.map(dueShard))] }
    const log = { error: () => {} }
    await runDisposals({ ...deps, due, log }, now, { milliseconds: 60_000 })
    return written
  }

  /** A disposal ends when the index of texts has no file with its texts any more: the worker looks again. */
  const allEnded = async (disposals: string[], now: Date): Promise<void> => {
    const isDone = async (id: string) =>
      (await firm.owner('GET', `/api/v1/disposals/${id}`)).body.status === 'done'
    let left = disposals
    for (const until = performance.now() + 200_000; performance.now() < until; await sleep(2_000)) {
      await runUntil(left, Number.POSITIVE_INFINITY, now)
      const done = await Promise.all(left.map(isDone))
      left = left.filter((_, at) => !done[at])
      if (left.length === 0) return
    }
  }

  /** How many cases the statistics of the firm have. */
  const countedCases = async (): Promise<number> => {
    const { data } = (await firm.owner('GET', '/api/v1/retention/statistics')).body
    return data.reduce((sum: number, { cases }: { cases: number }) => sum + cases, 0)
  }

  it('is followed by a worker that does the rest, wherever the first one died', async () => {
    const counted = await countedCases()
    const places = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 26]
    const caseIds = await Promise.all(places.map(somethingDue))
    const cases: [number, string][] = []
    let afterClaims = systemClock.now()
    const died: number[] = []
    for (const [at, writes] of places.entries()) {
      const id = await propose(caseIds[at] ?? '')
      const { first, next } = await approveForTest(firm, id)
      died.push(await runUntil([id], writes, first))
      cases.push([writes, id])
      afterClaims = next
    }

    await allEnded(
      cases.map(([, id]) => id),
      afterClaims,
    )

    const left = itemsOf(firm.workspace.id).filter((item) => JSON.stringify(item).includes(marked))
    const disposals = await Promise.all(
      cases.map(async ([, id]) => (await firm.owner('GET', `/api/v1/disposals/${id}`)).body),
    )
    expect(disposals.map(({ status, cases: [one] }) => `${status} ${one.state}`)).toEqual(
      cases.map(() => 'done done'),
    )
    expect(left.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([])
    expect((await countedCases()) - counted).toBe(cases.length)
    const certificates = await Promise.all(
      cases.map(
        async ([, id]) => (await firm.owner('GET', `/api/v1/disposals/${id}/certificate`)).body.counts,
      ),
    )
    expect(certificates).toEqual(cases.map(() => ({ case: 1, document: 1, deadline: 1, timeentry: 1 })))
    expect(died.filter((written, at) => written > (cases[at]?.[0] ?? 0)).length).toBeGreaterThan(8)
  }, 600_000)
})
