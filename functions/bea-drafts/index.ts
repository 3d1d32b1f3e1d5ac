import { beaDraftService } from '#bea/drafts/drafts.ts'
import { eebService } from '#bea/eeb/eeb.ts'
import { bytesKey } from '#documents/keys.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { beaSendFoundation } from '#foundation/bea-sends.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { serve } from '#http/serve.ts'
import { existingDocuments } from '#store/documents/existing-documents.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('bea-drafts')
indexWakes(base)
const accounts = beaAccounts(base)
const deps = {
  ...base,
  ...accounts,
  ...beaSendFoundation(base),
  sessions: accounts.states,
  documents: existingDocuments({ ...base, bytesKey }),
}

export const handler = serve(endpoints, {
  ...base,
  services: { drafts: beaDraftService(deps), eebs: eebService(deps) },
})
