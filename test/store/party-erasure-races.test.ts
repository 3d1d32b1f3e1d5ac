import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { partyErasing } from '#parties/erasing.ts'
import { partyErasureStore } from '#store/parties/party-erasure-store.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { upload } from '#test/support/documents.ts'
import { makeDueCase } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'
import { tableMeanwhile } from '#test/support/table-meanwhile.ts'

/** The beginning of an erasure, while another request changes what it depends on. */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

/** Erases a party. `meanwhile` runs once: before the first transaction. @returns the code of the refusal */
async function erase(id: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<string> {
  const db = await tableMeanwhile(meanwhile)
  const { erase } = partyErasing({
    store: partyErasureStore({ db, parties: partyStore(storeDeps(db)) }),
    workspaces: { find: async () => ({ time_zone: 'Europe/Berlin' }) },
    clock: systemClock,
  })
  const { id: user_id, name: user_name } = firm.ownerUser
  const actor = { workspace_id: firm.workspace.id, user_id, user_name, key_id: 'ak_1', scopes: [] }
  return erase(actor, id).then(
    () => 'erased',
    (error) => failureOf(error)?.code ?? String(error),
  )
}

const add = async (path: string, body: object) =>
  (await firm.owner('POST', `/api/v1/${path}`, { body })).body.id as string

describe('the erasure of a party', () => {
  it('waits for a request that is about to name it, in a case that must be kept', async () => {
    const party = await add('parties', { name: 'Kommt noch' })
    const case_id = await add('cases', { name: 'Offen' })
    const parties = partyStore(storeDeps(await sharedTable()))
    const release = await parties.reserve(firm.workspace.id, [party], newId('document'))

    const erased = erase(party)
    await Promise.race([erased, sleep(500)])
    const { status } = await upload(firm.owner, {}, { case_id, party_ids: party })
    await release()

    expect([status, await erased]).toEqual([201, 'RETENTION_APPLIES'])
  })

  it('is refused by a hold that is set on a deleted case meanwhile', async () => {
    const party = await add('parties', { name: 'Gesperrt' })
    const case_id = await makeDueCase(firm)
    await firm.owner('POST', `/api/v1/cases/${case_id}/parties`, { body: [{ id: party, role: 'Mandant' }] })
    await firm.owner('DELETE', `/api/v1/cases/${case_id}`)

    const code = await erase(party, () => add(`cases/${case_id}/holds`, { reason: 'Regress' }))

    expect(code).toBe('LEGAL_HOLD')
  })
})
