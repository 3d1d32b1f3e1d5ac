import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'

const endpoint = endpointsOf<{ storeAnswers: () => Promise<void> }>()

const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/v1/health',
  access: 'public',
  summary: 'Check that the service and its database respond',
  output: Health,
  example: { answer: { status: 'ok' } },
  handle: async ({ storeAnswers }) => {
    await storeAnswers()
    return { status: 'ok' as const }
  },
})
