import { describe, expect, it } from 'vitest'
import type { DueSend } from '#bea/drafts/draft-ports.ts'
import { handOverUnknownSends } from '#bea/sending/due-sends.ts'
import { accepted, actor, sendingSetup, unknown, workspace_id } from './sending-setup.ts'

/** Drafts and sends whose account is disconnected (B7). */

describe('an account that was disconnected', () => {
  it('ends the search for an unknown send: it stays unknown, says why, and a person decides', async () => {
    const { id, run, read, records, network, account, wait, service } = await unknown({ isTaken: false })
    account.disconnected_at = '2026-11-20T10:01:00.000Z'
    network.at.read = () => {
      throw new Error('Nobody asks the network.')
    }
    wait(15)

    await run(id)
    const ended = await read()
    const due = records.get(id)?.due_at
    const settled = await service.resolve(actor, id, { outcome: 'not_sent' })

    expect(ended).toMatchObject({ status: 'unknown', error: expect.stringContaining('disconnected') })
    expect([due, settled.status]).toEqual([null, 'failed'])
  })

  it('has its unknown sends searched for by the first synchronisation after it is connected again', async () => {
    const { id, run, read, account, wait, store } = await unknown({ isTaken: true })
    account.disconnected_at = '2026-11-20T10:01:00.000Z'
    wait(15)
    await run(id)
    account.disconnected_at = null
    const sent: DueSend[] = []
    const deps = { drafts: store, send: async (due: DueSend) => void sent.push(due) }

    await handOverUnknownSends(deps, { workspace_id, account_id: account.id })
    for (const { draft_id } of sent) await run(draft_id)

    expect(await read()).toMatchObject({ status: 'sent', error: null })
  })

  it('has a sent message imported once it is connected again, however late', async () => {
    const { id, run, read, records, account, wait, network, clock } = await accepted()
    network.at.answer = () => {
      account.disconnected_at = clock.now().toISOString()
    }
    await run(id)
    for (let hour = 0; hour < 24 * 10; hour += 1) {
      wait(60)
      await run(id)
    }
    const meanwhile = await read()
    const due = records.get(id)?.due_at
    account.disconnected_at = null

    wait(60)
    await run(id)

    expect(meanwhile).toMatchObject({ status: 'sent', message_id: null })
    expect(due).toBe(new Date(clock.now()).toISOString())
    expect(await read()).toMatchObject({ status: 'sent', message_id: expect.any(String) })
  })

  it('shows its drafts to users with the right 03, who can delete, but neither change nor send them', async () => {
    const { service, account, aDraft, state, network } = sendingSetup()
    const draft = await aDraft()
    account.disconnected_at = '2026-11-20T10:01:00.000Z'
    const { id } = draft
    const code = (call: Promise<unknown>) => call.then(String, (error) => error.code)

    const shown = await service.get(actor, id)
    const listed = await service.list(actor, { limit: 50 })
    const refused = await Promise.all([
      code(service.save(actor, id, draft, () => {})),
      code(service.send(actor, id, { rename: null })),
    ])
    state.rights.clear()
    const without = [await code(service.get(actor, id)), await code(service.remove(actor, id, () => {}))]
    state.rights.add('03')
    await service.remove(actor, id, () => {})

    expect(shown).toMatchObject({ id, body: 'Anbei die Klage.' })
    expect(listed.data.map((one) => one.id)).toEqual([id])
    expect(refused).toEqual(Array(2).fill('BEA_ACCOUNT_NOT_FOUND'))
    expect([without, network.sends]).toEqual([Array(2).fill('BEA_RIGHT_MISSING'), 0])
    expect(await code(service.get(actor, id))).toBe('DRAFT_NOT_FOUND')
  })
})
