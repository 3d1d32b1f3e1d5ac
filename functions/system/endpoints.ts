import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'

/** What the system group needs: a way to see that the store answers. */
export type SystemServices = { storeAnswers: () => Promise<void> }

const endpoint = endpointsOf<SystemServices>()

const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/v1/health',
  access: 'public',
  summary: 'Tell whether the service and its store answer',
  output: Health,
  example: { answer: { status: 'ok' } },
  handle: async ({ storeAnswers }) => {
    await storeAnswers()
    return { status: 'ok' as const }
  },
})
