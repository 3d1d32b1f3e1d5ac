import { beforeAll, describe, expect, it } from 'vitest'
import { auditEvent } from '#audit/schema.ts'
import { newId } from '#kernel/id.ts'
import { retentionService } from '#retention/retention.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { writeAll } from '#store/batch.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { closedCases } from '#store/cases/closed-cases.ts'
import type { Db } from '#store/db.ts'
import { closedCaseStore } from '#store/retention/closed-case-store.ts'
import { disposedCases } from '#store/retention/disposed-cases.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

const storeCalls = interceptStoreCalls()
let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

describe('the list of due cases', () => {
  /** A firm with this many cases that were closed in 2026, as its service sees them in 2034. */
  async function firmWith(count: number) {
    const workspace_id = newId('workspace')
    const closing = Array.from({ length: count }, (_, at) => ({
      workspace_id,
      id: newId('case'),
      status: 'closed' as const,
      closed_at: new Date(Date.UTC(2026, 2, 1) + at * 60_000).toISOString(),
    }))
    const fields = { name: 'Streit', parties: [], staff: [], created_at: '', updated_at: '', version: 1 }
    const cases = closing.map((one, at) =>
      caseEntity(db).put({ ...fields, ...one, file_number: `${at}/26`, changed_at: one.closed_at }),
    )
    const entries = closing.flatMap((one) => closedCases(db).changes(undefined, one))
    await writeAll(db, [...cases, ...entries.map(({ item }) => ({ params: () => item.Put ?? {} }))])
    const service = retentionService({
      cases: closedCaseStore(storeDeps(db)),
      disposed: disposedCases({ db }),
      workspaces: { find: async () => ({ name: 'Kanzlei', time_zone: 'Europe/Berlin' }) },
      clock: { now: () => new Date('2034-05-02T10:00:00Z') },
    })
    const actor = { workspace_id, user_id: 'usr_1', user_name: '', key_id: 'ak_1', scopes: [] }
    const due = (cursor?: string) => service.due(actor, { limit: 50, cursor })
    return Object.assign(due, { closing })
  }

  it('shows a case once, although an older release left the entry of an earlier closing', async () => {
    const due = await firmWith(1)
    const [closed] = due.closing
    if (closed === undefined) throw new Error('There is no case.')
    const earlier = closedCases(db).changes(undefined, { ...closed, closed_at: '2020-03-01T00:00:00.000Z' })
    await writeAll(
      db,
      earlier.map(({ item }) => ({ params: () => item.Put ?? {} })),
    )

    const { data } = await due()

    expect(data.map(({ closed_at }) => closed_at)).toEqual([closed.closed_at])
  })

  it('costs the reads of one page, however many cases are due', async () => {
    const [few, many] = [await firmWith(60), await firmWith(1_000)]
    // The first page makes the secret of cursors.
    await few()

    const small = await storeCalls.record(() => few())
    const large = await storeCalls.record(() => many())

    const [ofFew, ofMany] = [unitsOf(small.calls), unitsOf(large.calls)]
    expect([small.result.data.length, large.result.data.length]).toEqual([50, 50])
    // File numbers of more digits may take a unit more.
    expect(ofMany.read).toBeLessThanOrEqual(ofFew.read + 2)
    expect(ofMany.read).toBeLessThanOrEqual(50 * 6)
    expect(ofMany.write).toBe(0)
  })

  it('is read to its end, with each case once', async () => {
    const due = await firmWith(170)

    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { data, pagination } = await due(cursor)
      ids.push(...data.map(({ case_id }) => case_id))
      if (pagination.cursor === null) break
      cursor = pagination.cursor
    }

    expect(new Set(ids).size).toBe(170)
    expect(ids).toEqual(ids.toSorted())
  })
})

describe('the audit', () => {
  it('needs one write unit for an event that is recorded by itself', async () => {
    const log = auditLog(storeDeps(db))
    const actor = {
      workspace_id: newId('workspace'),
      user_id: newId('user'),
      user_name: '',
      key_id: newId('apiKey'),
      scopes: [],
    }
    const record = () =>
      log.record(auditEvent(actor, 'export.fetched', 'export_config', newId('exportConfig')))
    await record()

    const { calls } = await storeCalls.record(record)

    expect(unitsOf(calls)).toMatchObject({ read: 1, write: 1 })
  })
})
