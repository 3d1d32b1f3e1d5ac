import { beaAccountService } from '#bea/accounts/accounts.ts'
import { beaNetworkService } from '#bea/network/network.ts'
import { beaPermissionService } from '#bea/rights/permissions.ts'
import { beaLoginService } from '#bea/sessions/logins.ts'
import { beaNetwork } from '#foundation/bea.ts'
import { foundation } from '#foundation/foundation.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { beaLoginStore } from '#store/bea/bea-session-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('bea')
const deps = {
  ...beaNetwork(base),
  pageOut: base.pageOut,
  logins: beaLoginStore(base.db),
  users: userStore(base),
}

export const handler = serve(endpoints, {
  ...base,
  readForm,
  services: {
    accounts: beaAccountService(deps),
    logins: beaLoginService(deps),
    permissions: beaPermissionService(deps),
    network: beaNetworkService(deps),
  },
})
