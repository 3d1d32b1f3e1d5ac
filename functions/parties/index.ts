import { announcingFoundation } from '#foundation/announcing.ts'
import { handOver } from '#foundation/hand-over.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { serve } from '#http/serve.ts'
import { accessReports } from '#parties/access-reports.ts'
import { conflictService } from '#parties/conflicts.ts'
import { partyErasing } from '#parties/erasing.ts'
import { makeAccessReport, partyJobs } from '#parties/jobs.ts'
import { partyService } from '#parties/parties.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { encryptedCursors } from '#store/cursor.ts'
import { namingDocuments } from '#store/documents/document-touches.ts'
import { accessReportStore } from '#store/parties/access-report-store.ts'
import { conflictStore } from '#store/parties/conflict-store.ts'
import { partyCases } from '#store/parties/party-cases.ts'
import { partyErasureStore } from '#store/parties/party-erasure-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('parties')
const store = partyStore(base)
base.jobs.handle(
  ...partyJobs({
    parties: store,
    cases: caseStore({ ...base, numberKey: caseNumberKey }),
    documents: namingDocuments(base),
  }),
)

handOver(base, makeAccessReport)
indexWakes(base)

export const handler = serve(endpoints, {
  ...base,
  services: {
    parties: partyService({ store, cases: partyCases(base), clock: base.clock }),
    reports: accessReports({
      reports: accessReportStore(base),
      tokens: encryptedCursors(base.db),
      parties: store,
      clock: base.clock,
    }),
    erasing: partyErasing({
      store: partyErasureStore({ db: base.db, parties: store }),
      workspaces: workspaceStore(base.db),
      clock: base.clock,
    }),
    conflicts: conflictService({ store: conflictStore(base.db) }),
  },
})
