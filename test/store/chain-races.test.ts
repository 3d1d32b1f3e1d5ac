import { beforeAll, describe, expect, it } from 'vitest'
import { deadlineService } from '#deadlines/deadlines.ts'
import type { DeadlineInput } from '#deadlines/schema.ts'
import { systemClock } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { tableCursors } from '#store/cursor.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { transact } from '#store/transact.ts'
import { deadlineDeps } from '#test/support/deadline-deps.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'
import { tableMeanwhile } from '#test/support/table-meanwhile.ts'

/** Changes of one deadline of a chain, while another request changes another one of it. */

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

/** The use cases of deadlines. `meanwhile` runs once: before their first transaction. */
async function racing(meanwhile: () => Promise<unknown>) {
  const db = await tableMeanwhile(meanwhile)
  const commit = (actions: never, _: never, change: never) => transact(db, actions, change)
  const store = deadlineStore({ db, cursors: tableCursors(db), outbox: { commit } as never })
  return deadlineService({ store, ...deadlineDeps, clock: systemClock })
}

const actor = () => {
  const { workspace, ownerUser } = at.firm
  const { id: user_id, name: user_name } = ownerUser
  return { workspace_id: workspace.id, user_id, user_name, key_id: 'ak_1', scopes: [] }
}
const post = async (id: string, path: string, body: object = {}) => {
  const { status } = await at.firm.owner('POST', `/api/v1/deadlines/${id}/${path}`, { body })
  expect([path, status]).toEqual([path, 200])
}
const move = (id: string, due_at: string) => at.change(id, { due_at })
const reopen = (id: string) => post(id, 'reopen', { reason: 'Irrtum' })
const seen = () => {}
const codeOf = (error: unknown) => failureOf(error)?.code
const statusOf = async (id: string) => (await at.read(id)).status

/** A deadline that may be extended, with a Vorfrist. */
const reasons = () =>
  at.entered({ title: 'Begründung', category: 'begruendung', due_at: '2031-05-14', create_vorfrist: true })

describe('a chain whose deadlines are changed by two requests at once', () => {
  it('reopens no Vorfrist whose place another one takes meanwhile', async () => {
    const { id, chain } = await reasons()
    await at.complete(chain.vorfrist)
    await post(id, 'extension', { requested_until: '2031-06-16' })
    const { reopen: reopenHere } = await racing(() => post(id, 'extension/grant'))

    const code = await reopenHere(actor(), chain.vorfrist, 'Irrtum', seen).then(() => 'reopened', codeOf)

    expect([code, await statusOf(chain.vorfrist)]).toEqual(['CHAIN_OCCUPIED', 'completed'])
    expect((await at.read(id)).chain.vorfrist).not.toBe(chain.vorfrist)
  })

  it('keeps a Vorfrist that is reopened while an extension is granted, as the only one', async () => {
    const { id, chain } = await reasons()
    await at.complete(chain.vorfrist)
    await post(id, 'extension', { requested_until: '2031-06-16' })
    const { grantExtension } = await racing(() => reopen(chain.vorfrist))

    const granted = await grantExtension(actor(), id, undefined, seen)

    expect(granted.chain.vorfrist).toBe(chain.vorfrist)
    await at.complete(id)
    expect(await statusOf(chain.vorfrist)).toBe('completed')
  })

  it('completes a Vorfrist that is reopened while its Hauptfrist is completed', async () => {
    const { id, chain } = await reasons()
    await at.complete(chain.vorfrist)
    const { complete } = await racing(() => reopen(chain.vorfrist))

    await complete(actor(), id, { evidence: { type: 'note', text: 'Getan.' } }, seen)

    expect(await statusOf(chain.vorfrist)).toBe('completed')
  })

  it('moves no Vorfrist behind a Hauptfrist that is moved meanwhile', async () => {
    const { id, chain } = await reasons()
    await move(chain.vorfrist, '2031-05-02')
    const { change } = await racing(() => move(id, '2031-05-07'))

    const due_at = { date: '2031-05-12' }
    const code = await change(actor(), chain.vorfrist, { due_at }, seen).then(() => 'moved', codeOf)

    expect(code).toBe('VALIDATION_ERROR')
  })

  it('warns of a Vorfrist that is moved while its Hauptfrist is moved before it', async () => {
    const { id, chain } = await reasons()
    await move(chain.vorfrist, '2031-05-02')
    const { change } = await racing(() => move(chain.vorfrist, '2031-05-12'))

    const { warnings } = await change(actor(), id, { due_at: { date: '2031-05-07' } }, seen)

    expect(warnings.join('\n')).toContain('liegt nach der Hauptfrist')
  })

  it('takes no new Vorfrist behind a Hauptfrist that is moved meanwhile', async () => {
    const { id, case_id } = await at.entered({ due_at: '2031-05-14' })
    const { create } = await racing(() => move(id, '2031-05-07'))

    const joining = { title: 'Vorfrist', case_id, frist_type: 'vorfrist', hauptfrist_id: id } as const
    const none = { create_vorfrist: false, vorfrist_on_working_day: false }
    const input: DeadlineInput = { ...joining, ...none, due_at: { date: '2031-05-12' } }
    const code = await create(actor(), input).then(() => 'entered', codeOf)

    expect(code).toBe('VALIDATION_ERROR')
  })
})
