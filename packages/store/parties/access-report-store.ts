import type { AccessReportKey, AccessReportStore, UnendedReports } from '#parties/access-ports.ts'
import { eraseEach } from '../batch.ts'
import { allPages, type Db, missingOrBelow, strongly, ttlOf } from '../db.ts'
import { dueIndex, dueShard } from '../due-index.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import type { Outbox } from '../outbox.ts'
import { change, erase, isMade, put, transact } from '../transact.ts'
import { accessReport, listedReport, unendedReport } from './access-report-entity.ts'

/** Reports on parties in the table. */
export function accessReportStore({ db, outbox }: { db: Db; outbox: Outbox }): AccessReportStore {
  const reports = accessReport(db)
  const listed = listedReport(db)
  const unended = unendedReport(db)
  const placeOf = ({ id }: AccessReportKey) => ({ shard: dueShard(id), id })
  const keyOf = ({ workspace_id, party_id, id }: AccessReportKey) => ({ workspace_id, party_id, id })

  const find: AccessReportStore['find'] = async (key) => {
    const { data } = await reports.get(keyOf(key)).go(strongly)
    return data === null ? undefined : withNulls(data, accessReport.nullable)
  }

  return {
    find,

    ofParty: async (workspace_id, party_id) => {
      const { data } = await reports.query.newest({ workspace_id, party_id }).go(allPages)
      return data.map((report) => withNulls(report, accessReport.nullable))
    },

    add: (record, jobs, answer, due_at) => {
      const { workspace_id, party_id } = record
      const ttl = ttlOf(record)
      const actions = [
        put(reports.create({ ...withoutNulls(record), ttl })),
        put(listed.create({ ...keyOf(record), ttl })),
        put(unended.create({ ...placeOf(record), workspace_id, party_id, due_at })),
      ]
      return outbox.commit(actions, jobs, { answer })
    },

    begin: async (key) => {
      const begun = reports
        .patch(keyOf(key))
        .add({ attempts: 1 })
        .where(({ status }, { eq }) => eq(status, 'running'))
      if (!(await isMade(transact(db, [change(begun)])))) return 'over'
      return (await find(key)) ?? 'over'
    },

    end: (key, result) => {
      const ended = reports
        .patch(keyOf(key))
        .set(result)
        .where(({ status }, { eq, exists }) =>
          result.status === 'succeeded' ? exists(status) : eq(status, 'running'),
        )
      return isMade(transact(db, [change(ended), erase(unended.delete(placeOf(key)))]))
    },

    recordOpening: async (key, hour, audit) => {
      const opened = reports
        .patch(keyOf(key))
        .set({ opened_hour: hour })
        .where(missingOrBelow('opened_hour', hour))
      await isMade(transact(db, [change(opened)], { answer: undefined, audit }))
    },

    settle: async (key) => {
      await transact(db, [erase(unended.delete(placeOf(key)))])
    },

    remove: (keys) => eraseEach(db, keys, (key) => reports.delete(keyOf(key))),
  }
}

/** The reports in the table that have not ended. */
export function unendedReports(db: Db): UnendedReports {
  const unended = unendedReport(db)
  return {
    ...dueIndex(
      'access_reports#unended',
      (shard) => unended.query.oldest({ shard }),
      ({ workspace_id, party_id, id: report_id, due_at }) => ({ workspace_id, party_id, report_id, due_at }),
    ),

    postpone: ({ report_id: id }, due_at) =>
      isMade(transact(db, [change(unended.patch({ shard: dueShard(id), id }).set({ due_at }))])),
  }
}
