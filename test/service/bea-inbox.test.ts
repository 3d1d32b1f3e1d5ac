import { describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { courtSafeId, identity } from '#test/support/bea-remote.ts'
import { newFirm } from '#test/support/firm.ts'
import { applyRule } from '#timeline/schema.ts'

/** In the inbox, time and sender of a beA message come from the network (I6). */

async function office() {
  const firm = await newFirm()
  const made = await beaOffice(firm)
  type Item = {
    id: string
    subject: string
    received_at: string
    from: unknown
    bea: { name: string | null; bea_id: string | null }
  }
  const inbox = async (): Promise<Item[]> => (await firm.owner('GET', '/api/v1/inbox?kind=bea')).body.data
  return { ...firm, ...made, inbox }
}

describe('a beA message in the inbox', () => {
  it.each([
    [
      'its reception',
      { received_at: '2026-02-11T22:59:59.000Z', sent_at: '2026-02-11T22:58:00.000Z' },
      '2026-02-11T22:59:59.000Z',
    ],
    [
      'when it was sent, where no reception is known',
      { received_at: null, sent_at: '2026-01-30T06:00:00.000Z' },
      '2026-01-30T06:00:00.000Z',
    ],
    [
      'a clock of the network that is ahead',
      { received_at: '2091-01-01T00:00:00.000Z', sent_at: null },
      '2091-01-01T00:00:00.000Z',
    ],
    ['a reception four months ago', { received_at: '2025-11-02T09:15:30.250Z' }, '2025-11-02T09:15:30.250Z'],
  ])('has the time of the network: %s', async (_, dates, expected) => {
    const { receive, inbox } = await office()
    await receive(dates)
    expect((await inbox()).map(({ received_at }) => received_at)).toEqual([expected])
  })

  it('without any time of the network has that of its import', async () => {
    const { receive, inbox } = await office()
    const before = systemClock.now().toISOString()
    await receive({ received_at: null, sent_at: null })
    const [item] = await inbox()
    expect(item?.received_at && item.received_at >= before).toBe(true)
  })

  it.each([
    [
      'a court',
      identity(courtSafeId, 'Landgericht München I'),
      { name: 'Landgericht München I', email: null },
    ],
    [
      'a court without SAFE-ID',
      identity(null, 'Amtsgericht Köln – Mahnabteilung'),
      { name: 'Amtsgericht Köln – Mahnabteilung', email: null },
    ],
    [
      'an office without a name of a person',
      { ...identity(courtSafeId, ''), name: null, firm: 'Müßig & Partner mbB' },
      { name: 'Müßig & Partner mbB', email: null },
    ],
    ['nobody who is named', null, null],
  ])('is from %s', async (_, sender, expected) => {
    const { receive, inbox } = await office()
    await receive({ sender })
    const [item] = await inbox()
    expect(item?.from).toEqual(expected)
    expect(item?.bea.bea_id).toBe(sender?.safe_id ?? null)
  })

  it('stands in the order of the network, whatever was imported first, and a clock that is ahead changes nothing of it', async () => {
    const { receive, inbox } = await office()
    await receive({ subject: 'Dezember', received_at: '2025-12-24T12:00:00.000Z' })
    await receive({ subject: 'Zukunft', received_at: '2088-01-01T00:00:00.000Z' })
    await receive({ subject: 'März', received_at: '2026-03-02T12:00:00.000Z' })
    await receive({ subject: 'November', received_at: '2025-11-30T12:00:00.000Z' })
    await receive({ subject: 'ohne Datum', received_at: null, sent_at: null })
    expect((await inbox()).map(({ subject }) => subject)).toEqual([
      'ohne Datum',
      'Zukunft',
      'März',
      'Dezember',
      'November',
    ])
  })

  it('that was stored with the time of its import shows the time of the network, and can be dismissed', async () => {
    const { receive, inbox, store, workspace, owner } = await office()
    const id = await receive({ received_at: '2026-02-20T08:00:00.000Z' })
    await applyRule(store, workspace.id, id, (current) => ({
      record: {
        ...current,
        inbox: current.inbox && { ...current.inbox, at: current.imported_at },
        version: current.version + 1,
      },
    }))
    // Act
    const listed = await inbox()
    const { body } = await owner('POST', `/api/v1/inbox/${id}/dismiss`)
    // Assess
    expect(listed.map(({ received_at }) => received_at)).toEqual(['2026-02-20T08:00:00.000Z'])
    expect(body).toMatchObject({ state: 'dismissed', received_at: '2026-02-20T08:00:00.000Z' })
    expect(await inbox()).toEqual([])
  })
})
