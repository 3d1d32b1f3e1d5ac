import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { conflictService } from '#parties/conflicts.ts'
import { partyJobs } from '#parties/jobs.ts'
import { partyService } from '#parties/service.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { namingDocuments } from '#store/documents/document-touches.ts'
import { conflictStore } from '#store/parties/conflict-store.ts'
import { partyCases } from '#store/parties/party-cases.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('parties')
const store = partyStore(base)
base.jobs.handle(
  ...partyJobs({
    parties: store,
    cases: caseStore({ ...base, numberKey: caseNumberKey }),
    documents: namingDocuments(base),
  }),
)

export const handler = serve(endpoints, {
  ...base,
  services: {
    parties: partyService({ store, cases: partyCases(base), clock: base.clock }),
    conflicts: conflictService({ store: conflictStore(base.db) }),
  },
})
