import { expect, it } from 'vitest'
import { directSendService } from '#correspondence/direct-sends.ts'
import type { SendRequest } from '#correspondence/sending.ts'
import { mailRecord } from '#test/support/mail-records.ts'
import { actor, workspaceId } from './in-memory-mail.ts'

it('a direct send claims its key for 30 days', async () => {
  const orders: SendRequest[] = []
  const { send } = directSendService({
    store: { findSend: async () => undefined },
    send: async (_, read) => {
      orders.push(await read())
      return mailRecord(workspaceId, { status: 'sent' })
    },
    clock: { now: () => new Date('2026-11-20T14:03:00.000Z') },
  })
  const key = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

  await send(
    actor,
    { to_recipients: ['anna@example.com'], subject: 'Klageentwurf', idempotency_key: key },
    { baseUrl: 'https://akte.example.de' },
  )

  const claim = { by: 'key', user_id: actor.user_id, key, expires_at: '2026-12-20T14:03:00.000Z' }
  expect(orders).toMatchObject([{ claim }])
})
