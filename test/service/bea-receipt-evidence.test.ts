import { beforeAll, describe, expect, it } from 'vitest'
import { aBeaAccountOf, aBeaMessageIn } from '#test/support/bea-records.ts'
import { ourSafeId } from '#test/support/bea-remote.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** A sent beA message as the evidence of a deadline (F9, F16). */

let firm: Firm
let account: Awaited<ReturnType<typeof aBeaAccountOf>>

beforeAll(async () => {
  firm = await newFirm()
  account = await aBeaAccountOf(firm)
})

const sent = { sender: { safe_id: ourSafeId, name: null, firm: null, city: null, is_active: null } }

async function completed(message_id: string) {
  const { owner } = firm
  const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
  const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
  const { id } = (await owner('POST', '/api/v1/deadlines', { body })).body
  const evidence = { type: 'bea_receipt', message_id }
  return owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } })
}

describe('a beA message', () => {
  it('that was sent, imported and acknowledged completes a deadline', async () => {
    const id = await aBeaMessageIn(
      account,
      { ...sent, delivered_at: '2026-11-20T10:00:00.000Z' },
      { folder: 'SENT' },
    )

    const answer = await completed(id)

    expect([answer.status, answer.body.status, answer.body.evidence]).toEqual([
      200,
      'completed',
      { type: 'bea_receipt', message_id: id },
    ])
  })

  it('that the network has not acknowledged is no evidence yet', async () => {
    const id = await aBeaMessageIn(account, { ...sent, delivery_status: 'gesendet' }, { folder: 'SENT' })

    const { status, body } = await completed(id)

    expect([status, body.error.code]).toEqual([409, 'BEA_RECEIPT_MISSING'])
  })

  it('that was received, of another firm, or unknown is none', async () => {
    const other = await newFirm()
    const theirs = await aBeaMessageIn(
      await aBeaAccountOf(other),
      { ...sent, delivered_at: '2026-11-20T10:00:00.000Z' },
      { folder: 'SENT' },
    )
    const received = await aBeaMessageIn(account)

    for (const id of [theirs, received, 'bea-4711', 'bea_msg_01993f5e-0000-7000-8000-000000000000']) {
      const { status, body } = await completed(id)
      expect([status, body.error.code]).toEqual([404, 'BEA_MESSAGE_NOT_FOUND'])
    }
  })
})
