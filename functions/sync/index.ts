import { syncService } from '#calendar/sync.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { kmsSecretBox } from '#secrets/secret-box.ts'
import { calendarStore } from '#store/calendar/calendar-store.ts'
import { syncAccountStore } from '#store/calendar/sync-account-store.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { caldavCalendar } from '#sync/caldav.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('sync')

export const handler = serve(endpoints, {
  ...base,
  services: {
    sync: syncService({
      store: calendarStore({ ...base, deadlines: deadlineStore(base) }),
      accounts: syncAccountStore(base.db),
      remote: caldavCalendar({ allowPrivate: process.env.SYNC_ALLOW_PRIVATE_NETWORKS === 'true' }),
      secrets: kmsSecretBox(process.env.SECRETS_KEY_ID ?? ''),
      clock: base.clock,
    }),
  },
})
