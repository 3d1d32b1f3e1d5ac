import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { serve } from '#http/serve.ts'
import { createLog } from '#kernel/log.ts'
import { createClient } from '#store/client.ts'
import { table, tableName } from '#store/table.ts'
import * as endpoints from './endpoints.ts'

const client = createClient()

export const handler = serve(endpoints, {
  services: {
    storeAnswers: async () => {
      await client.send(
        new GetCommand({
          TableName: tableName(),
          Key: { [table.partitionKey]: 'health', [table.sortKey]: 'health' },
        }),
      )
    },
  },
  authenticate: () => Promise.reject(new Error('The system group has public endpoints only.')),
  log: createLog('system'),
})
