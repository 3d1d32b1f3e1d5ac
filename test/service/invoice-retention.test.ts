import { beforeAll, describe, expect, it } from 'vitest'
import { seller } from '#test/invoicing/invoices.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { kindOf } from '#test/support/future-fields.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** The issued invoices of a case that was disposed of, eight years on (R1, R8). */

const marked = 'Zwxrechnung'
let firm: Firm
let kept: Awaited<ReturnType<typeof disposedCase>>
beforeAll(async () => {
  firm = await newFirm()
  kept = await disposedCase()
}, 240_000)

const post = async (path: string, body: object = {}) => {
  const answer = await firm.owner('POST', `/api/v1/${path}`, { body })
  expect([path, answer.status < 300, answer.body.error?.code]).toEqual([path, true, undefined])
  return answer.body
}

/** A case with a paid, a cancelled and an open invoice, whose lines are marked; disposed of. */
async function disposedCase() {
  await firm.owner('PATCH', '/api/v1/workspace', { body: { seller } })
  const { id: case_id } = await post('cases', { name: 'Meier ./. Schulze' })
  const lines = [{ text: `${marked}, Beratung`, quantity: '1', unit_price: '100.00', tax_rate: '19' }]
  const address = { street: 'Weg 1', postcode: '10115', city: 'Berlin', country: 'DE' }
  const buyer = { name: `Anna ${marked}`, ...address, email: 'anna@example.de' }
  const ids: string[] = []
  for (const action of ['pay', 'cancel', undefined]) {
    const { id } = await post('invoices', { case_id, buyer, buyer_reference: '04011000-12345-67', lines })
    await post(`invoices/${id}/issue`)
    const after = action && (await post(`invoices/${id}/${action}`))
    ids.push(id, ...(action === 'cancel' ? [after.cancelled_by] : []))
  }
  await closeLongAgo(firm, case_id)
  const disposal = await disposeOf(firm, case_id)
  const { issued_at } = (await firm.owner('GET', `/api/v1/invoices/${ids[0]}`)).body
  return { case_id, ids, disposal, year: Number(issued_at.slice(0, 4)) }
}

/** Runs the worker for this disposal at another time. @returns whether it found it due */
async function runAt(day: string): Promise<boolean> {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  const { runDisposals } = await import('#retention/disposing.ts')
  const now = new Date(`${day}T09:00:00.000Z`)
  const deps = disposalFoundation(foundation('disposals'))
  let isDue = false
  const isOurs = ({ id }: { id: string }) => {
    const isThis = id === kept.disposal.id
    isDue ||= isThis
    return isThis
  }
  const due = { ...deps.due, ...only(deps.due, isOurs) }
  const { failed } = await runDisposals({ ...deps, due, clock: { now: () => now } }, now, {
    milliseconds: 60_000,
  })
  expect(failed).toBe(0)
  return isDue
}

const statusesOf = (paths: string[]) =>
  Promise.all(paths.map(async (path) => (await firm.owner('GET', `/api/v1/${path}`)).status))
const pathsOf = (ids: string[]) => ids.flatMap((id) => [`invoices/${id}`, `invoices/${id}/xrechnung`])

describe('issued invoices of a case that was disposed of', () => {
  it('stay until the last day of their eighth year', async () => {
    const before = await placesOf(firm.workspace.id, [marked])

    const isDue = await runAt(`${kept.year + 8}-12-31`)

    expect(kept.ids).toHaveLength(4)
    expect(await statusesOf(pathsOf(kept.ids))).toEqual(pathsOf(kept.ids).map(() => 200))
    expect([isDue, await placesOf(firm.workspace.id, [marked])]).toEqual([false, before])
    for (const kind of ['#invoice#', '#invoices#']) expect(before.join('\n')).toContain(kind)
    expect((await firm.owner('GET', '/api/v1/invoices')).body.data).toHaveLength(4)
  })

  it('are removed after it with all their data, and the certificate stays unchanged', async () => {
    const path = `/api/v1/disposals/${kept.disposal.id}/certificate`
    const pdf = () => firm.owner('GET', path, { headers: { Accept: 'application/pdf' } })
    const before = [(await firm.owner('GET', path)).body, Buffer.from((await pdf()).bytes).toString('base64')]

    const found: boolean[] = []
    for (let day = 3; day < 20 && found.at(-1) !== false; day += 1)
      found.push(await runAt(`${kept.year + 9}-01-${String(day).padStart(2, '0')}`))

    const after = [(await firm.owner('GET', path)).body, Buffer.from((await pdf()).bytes).toString('base64')]
    const naming = itemsOf(firm.workspace.id).filter((item) =>
      kept.ids.some((id) => JSON.stringify(item).includes(id)),
    )
    expect([found[0], found.at(-1)]).toEqual([true, false])
    expect(await statusesOf(pathsOf(kept.ids))).toEqual(pathsOf(kept.ids).map(() => 404))
    expect((await firm.owner('GET', '/api/v1/invoices')).body.data).toEqual([])
    expect(await placesOf(firm.workspace.id, [marked])).toEqual([])
    expect(naming.map(kindOf)).toEqual([])
    expect(after).toEqual(before)
    const { status, cases } = (await firm.owner('GET', `/api/v1/disposals/${kept.disposal.id}`)).body
    expect([status, cases]).toMatchObject(['done', [{ case_id: kept.case_id, state: 'done' }]])
  }, 240_000)

  it('leave numbers that are never assigned again', async () => {
    const { id: case_id } = await post('cases', { name: 'Neue Sache' })
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
    const { id } = await post('invoices', { case_id, buyer: { name: 'Anna Meier' }, lines })

    const { number } = await post(`invoices/${id}/issue`)

    expect(Number(number.split('-').at(-1))).toBe(5)
  })
})
