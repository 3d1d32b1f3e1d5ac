import { serve } from '#http/serve.ts'
import { createLog } from '#kernel/log.ts'
import { createClient } from '#store/client.ts'
import { askTable } from '#store/health.ts'
import { tableName } from '#store/table.ts'
import * as endpoints from './endpoints.ts'

const db = { client: createClient(), table: tableName() }

export const handler = serve(endpoints, {
  services: { storeAnswers: () => askTable(db) },
  authenticate: () => Promise.reject(new Error('The system group has public endpoints only.')),
  log: createLog('system'),
})
