import { beaDraftService } from '#bea/drafts/drafts.ts'
import { eebService } from '#bea/eeb/eeb.ts'
import { bytesKey } from '#documents/keys.ts'
import { beaAccounts } from '#foundation/bea-access.ts'
import { beaSendFoundation } from '#foundation/bea-sends.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { presentDocuments } from '#store/documents/present-documents.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('bea-drafts')
const accounts = beaAccounts(base)
const deps = {
  ...base,
  ...accounts,
  ...beaSendFoundation(base),
  sessions: accounts.states,
  documents: presentDocuments({ ...base, bytesKey }),
}

export const handler = serve(endpoints, {
  ...base,
  services: { drafts: beaDraftService(deps), eebs: eebService(deps) },
})
