import { billingJobs } from '#billing/holding.ts'
import { invoiceService } from '#billing/invoices.ts'
import { timeEntryService } from '#billing/time-entries.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { serve } from '#http/serve.ts'
import { invoiceStore } from '#store/billing/invoice-store.ts'
import { timeEntryStore } from '#store/billing/time-entry-store.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('billing')
const cases = caseTitles(base.db)
const entries = timeEntryStore(base)
base.jobs.handle(...billingJobs({ entries }))

export const handler = serve(endpoints, {
  ...base,
  services: {
    timeEntries: timeEntryService({ store: entries, cases, users: userStore(base), clock: base.clock }),
    invoices: invoiceService({
      store: invoiceStore(base),
      entries,
      cases,
      parties: partyStore(base),
      workspaces: workspaceStore(base.db),
      storeJobs: (jobs) => base.outbox.enqueue([], jobs),
      // Loaded with the first XRechnung: the library for XML takes time to load.
      writeXrechnung: async (...invoice) => (await import('#invoicing/xrechnung.ts')).xrechnung(...invoice),
      // Only an invoice with `rvg` needs the fee rules.
      calculateRvg: async (...given) => (await import('#fees/rvg.ts')).calculateRvg(...given),
      clock: base.clock,
    }),
  },
})
