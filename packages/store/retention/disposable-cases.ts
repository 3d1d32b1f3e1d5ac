import type { DisposableCases } from '#retention/disposal-ports.ts'
import { timelineEntry } from '../cases/timeline-entity.ts'
import { type Db, strongly } from '../db.ts'
import { caseCounts } from './case-counts.ts'
import { openWorkOfCases } from './open-work.ts'
import { retainedCases } from './retained-cases.ts'

/** Cases in the table, as disposals judge them. */
export function disposableCases(db: Db): DisposableCases {
  const timeline = timelineEntry(db)
  const counts = caseCounts(db)
  return {
    findAll: retainedCases(db),

    openWork: openWorkOfCases(db),

    state: async (workspace_id, case_id) => {
      const [newest, counted] = await Promise.all([
        timeline.query.newest({ workspace_id, case_id }).go({ order: 'desc', limit: 2, ...strongly }),
        counts(workspace_id, case_id, { ConsistentRead: true }),
      ])
      const change = newest.data.find(({ type }) => type !== 'case.deleted')
      return [change?.id, ...Object.values(counted)].join(' ')
    },
  }
}
