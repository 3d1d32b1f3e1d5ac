import { serve } from '#http/serve.ts'
import { createLog } from '#kernel/log.ts'
import { createClient } from '#store/client.ts'
import { askTable } from '#store/health.ts'
import { layoutCheck } from '#store/layout.ts'
import { tableName } from '#store/table.ts'
import * as endpoints from './endpoints.ts'

const log = createLog('system')
const db = { client: createClient(layoutCheck(log)), table: tableName() }

export const handler = serve(endpoints, {
  services: { storeAnswers: () => askTable(db) },
  authenticate: () => Promise.reject(new Error('The system group has public endpoints only.')),
  log,
})
