import { caseService } from '#cases/cases.ts'
import { caseJobs } from '#cases/jobs.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { serve } from '#http/serve.ts'
import { conflictService } from '#parties/conflicts.ts'
import { disposalService } from '#retention/disposals.ts'
import { retentionService } from '#retention/retention.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { deadlinesOfCase } from '#store/deadlines/deadlines-of-case.ts'
import { conflictStore } from '#store/parties/conflict-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { closedCaseStore } from '#store/retention/closed-case-store.ts'
import { disposableCases } from '#store/retention/disposable-cases.ts'
import { disposalStore } from '#store/retention/disposal-store.ts'
import { disposedCases } from '#store/retention/disposed-cases.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('cases')
const parties = partyStore(base)
const users = userStore(base)
const store = caseStore({ ...base, numberKey: caseNumberKey })
const conflicts = conflictService({ store: conflictStore(base.db) })
const deadlines = deadlinesOfCase(base.db)
base.jobs.handle(...caseJobs({ cases: store, parties, deadlines }))

export const handler = serve(endpoints, {
  ...base,
  services: {
    retention: retentionService({
      cases: closedCaseStore(base),
      disposed: disposedCases(base),
      workspaces: workspaceStore(base.db),
      clock: base.clock,
    }),
    disposals: disposalService({
      disposals: disposalStore(base),
      cases: disposableCases(base.db),
      workspaces: workspaceStore(base.db),
      clock: base.clock,
    }),
    cases: caseService({
      store,
      parties,
      users,
      conflicts,
      deadlines,
      workspaces: workspaceStore(base.db),
      pageOut: base.pageOut,
      clock: base.clock,
    }),
  },
})
