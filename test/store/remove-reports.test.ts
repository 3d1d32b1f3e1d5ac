import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { timestamp } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { accessReportKey } from '#parties/access-keys.ts'
import type { AccessReportKey } from '#parties/access-ports.ts'
import type { StoredParty } from '#parties/erasure-ports.ts'
import { withoutParty } from '#parties/redaction.ts'
import { writeAll } from '#store/batch.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { accessReportStore } from '#store/parties/access-report-store.ts'
import { erasureInTraces } from '#store/parties/erasure-in-traces.ts'
import type { CaseNoun } from '#store/retention/case-noun.ts'
import { caseRemoval } from '#store/retention/case-removal.ts'
import { keptPart } from '#store/retention/disposal-part-entity.ts'
import { forgetIds } from '#store/retention/forget-ids.ts'
import type { EraseObjects } from '#store/retention/record-removal.ts'
import { removeReports } from '#store/retention/remove-reports.ts'
import { markItem, markOf } from '#store/text-search/search-marks.ts'
import { ownTable } from '#test/support/own-table.ts'

/** The reports on parties of a firm, once what they may quote is erased (R3). */

const since = '2026-11-21T12:00:00.000Z'
const [before, after] = ['2026-11-21T11:59:00.000Z', '2026-11-21T12:01:00.000Z']

let db: Db
let reports: ReturnType<typeof accessReportStore>
let workspace_id: string
let objects: Set<string>
beforeEach(async () => {
  db = await ownTable()
  reports = accessReportStore({ db, outbox: outbox(db, jobRunner(), { error: () => {} }) })
  workspace_id = newId('workspace')
  objects = new Set()
})

/** A report that was requested at this time. @returns its key */
async function report(created_at: string, { isMade = true } = {}) {
  const key = { workspace_id, party_id: newId('party'), id: newId('accessReport') }
  const record = {
    ...key,
    ...{ status: 'running' as const, status_reason: null, requested_by: newId('user'), reads_bea: false },
    ...{ attempts: null, created_at, expires_at: '2099-01-01T00:00:00.000Z', size_bytes: null },
    opened_hour: null,
  }
  await reports.add(record, [], { id: key.id, status: 'running' }, created_at)
  objects.add(accessReportKey(key))
  if (isMade) await reports.end(key, { status: 'succeeded', size_bytes: 1 })
  return key
}

const erasedParty = (workspace: string) =>
  ({
    ...{ workspace_id: workspace, id: newId('party'), name: 'Anna Meier' },
    ...{ email: null, phone: null, address: null },
  }) as StoredParty

const eraseObjects: EraseObjects = async (prefix, choose = async () => () => true) => {
  const listed = [...objects].filter((key) => key.startsWith(prefix))
  const goes = await choose()
  for (const key of listed.filter(goes)) objects.delete(key)
}

/** An invoice that was kept longer than its case, and need not be any more. @returns what removes it */
async function keptInvoice(traces: () => Promise<object>) {
  const [id, disposal_id] = [newId('invoice'), newId('disposal')]
  const key = { pk: `${workspace_id}#invoice#${id}`, sk: '-' }
  const kept = { workspace_id, disposal_id, kept_until: '2025-12-31', kind: 'invoice' as const, id }
  await writeAll(db, [keptPart(db).put(kept), { params: () => ({ Item: { ...key, id } }) }])
  const noun = {
    ...{ kind: 'invoice', keyOf: () => key, caseOf: () => 'case', keptUntil: () => kept.kept_until },
    traces,
  } as unknown as CaseNoun
  const removal = caseRemoval({
    ...{ db, eraseObjects, nouns: [noun], runJob: async () => {}, jobsWithTexts: [] },
    ...{ cursors: tableCursors(db), numberKey: () => null },
    outbox: outbox(db, jobRunner(), { error: () => {} }),
  })
  return () => removal.removeKept(workspace_id, disposal_id, '2026-11-27', () => false)
}

const removed = () => removeReports({ db, eraseObjects }, workspace_id, since)

describe('of the reports of a firm', () => {
  it('earlier ones are removed with their files; later ones stay, without waiting for a running one', async () => {
    const [old, made, making] = [
      await report(before),
      await report(after),
      await report(after, { isMade: false }),
    ]

    const isDone = await removed()

    expect([isDone, await reports.find(old)]).toEqual([true, undefined])
    expect((await reports.find(made))?.status).toBe('succeeded')
    expect((await reports.find(making))?.status).toBe('running')
    expect([...objects].toSorted()).toEqual([accessReportKey(made), accessReportKey(making)].toSorted())
  })

  it('the removal waits until the worker of an earlier running one has given it up', async () => {
    const making = await report(before, { isMade: false })

    const whileMade = [await removed(), await removed()]
    await reports.settle(making)

    expect([whileMade, await removed(), objects.size]).toEqual([[false, false], true, 0])
  })

  it('those on other parties are removed when a party is erased, because they name it', async () => {
    const ofOther = await report(before)
    const step = erasureInTraces({
      ...{ db, eraseObjects, withoutParty, runJob: async () => {}, jobsWithTexts: [] },
      sharesMailbox: async () => false,
    })
    const party = erasedParty(workspace_id)

    const positions = step(party, null, () => null)
    await positions.next()
    const { value } = await positions.next()

    expect([value, await reports.find(ofOther), objects.size]).toEqual([undefined, undefined, 0])
  })

  it('one that is requested while an erasure waits for an earlier one stays: the records have lost the party', async () => {
    const making = await report(before, { isMade: false })
    const step = erasureInTraces({
      ...{ db, eraseObjects, withoutParty, runJob: async () => {}, jobsWithTexts: [] },
      sharesMailbox: async () => false,
    })
    const party = erasedParty(workspace_id)
    /** Runs the step once from a position. @returns the position for the next run; undefined if it is done */
    const runFrom = async (position: string | null) => {
      const positions = step(party, position, () => null)
      await positions.next()
      const { value } = await positions.next()
      return typeof value === 'object' ? value.laterFrom : value
    }

    const position = await runFrom(null)
    const later = await report(timestamp())
    const waiting = await runFrom(position ?? null)
    await reports.settle(making)

    expect([position, waiting]).toEqual([expect.any(String), position])
    expect(await runFrom(waiting ?? null)).toBeUndefined()
    expect((await reports.find(later))?.status).toBe('succeeded')
    expect([...objects]).toEqual([accessReportKey(later)])
  })

  it('those that are requested during the removal of a kept invoice are removed, too', async () => {
    let quoting: AccessReportKey | undefined
    const removeKept = await keptInvoice(async () => {
      quoting = await report(timestamp())
      await setTimeout(5)
      return {}
    })

    const { isRemoved } = await removeKept()

    expect(isRemoved).toBe(true)
    expect(quoting && (await reports.find(quoting))).toBeUndefined()
    expect(objects.size).toBe(0)
  })

  it('one that is requested while the removal of a kept invoice waits for an earlier one stays', async () => {
    const removeKept = await keptInvoice(async () => ({}))
    const making = await report(before, { isMade: false })

    const first = await removeKept()
    const later = await report(timestamp())
    const second = await removeKept()
    await reports.settle(making)
    const last = await removeKept()

    expect([first, second].map(({ isRemoved }) => isRemoved)).toEqual([false, false])
    expect(last).toEqual({ kept_until: null, isRemoved: true })
    expect((await reports.find(later))?.status).toBe('succeeded')
  })

  it('none is removed while the index of texts still has the removed texts', async () => {
    const old = await report(before)
    const gone = newId('document')
    const mark = markItem(workspace_id, markOf('changed', gone, { erase: true }))
    await writeAll(db, [{ params: () => ({ Item: mark }) }])
    const woken: string[] = []
    const runJob = async ({ name }: { name: string }) => {
      woken.push(name)
    }

    const isForgotten = await forgetIds(
      { db, runJob, eraseObjects, jobsWithTexts: [] },
      workspace_id,
      [{ kind: 'document', id: gone }],
      timestamp(),
      () => false,
    )

    expect([isForgotten, woken.length]).toEqual([false, 1])
    expect((await reports.find(old))?.status).toBe('succeeded')
    expect(objects.size).toBe(1)
  })
})
