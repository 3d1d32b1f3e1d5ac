import { beforeAll, describe, expect, it } from 'vitest'
import type { BeaAccountStore } from '#bea/ports.ts'
import { newId } from '#kernel/id.ts'
import { beaAccountStore } from '#store/bea/bea-account-store.ts'
import { beaKeyStore } from '#store/bea/bea-session-store.ts'
import type { Db } from '#store/db.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

let db: Db
let store: BeaAccountStore
beforeAll(async () => {
  db = await sharedTable()
  store = beaAccountStore(db)
})

const exists = { code: 'BEA_ACCOUNT_EXISTS', kind: 'conflict' }
const at = '2026-03-17T08:00:00.000Z'

describe('accounts of beA in the table', () => {
  it('are read as they were added, in their workspace only', async () => {
    const account = aBeaAccount()

    await store.add(plain(account), 'sealed')

    const { workspace_id, id } = account
    expect(await store.find(workspace_id, id)).toEqual(account)
    expect(await store.list(workspace_id)).toEqual([account])
    expect(await store.find(newId('workspace'), id)).toBeUndefined()
    expect(await beaKeyStore(db).find({ workspace_id, account_id: id })).toBe('sealed')
  })

  it('have a SAFE-ID once in a workspace, whatever its case, also when twenty are added at once', async () => {
    const first = aBeaAccount()
    const { workspace_id, safe_id } = first
    const same = () => aBeaAccount({ workspace_id, safe_id: safe_id?.toUpperCase() ?? null })
    const attempts = [first, ...Array.from({ length: 19 }, same)]

    const outcomes = await Promise.allSettled(attempts.map((account) => store.add(plain(account), null)))

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    for (const refusal of refusals) expect(refusal).toMatchObject(exists)
    expect(await store.list(workspace_id)).toHaveLength(1)
  })

  it('may have the SAFE-ID of an account of another workspace', async () => {
    const account = aBeaAccount()
    await store.add(plain(account), null)

    await store.add(plain(aBeaAccount({ safe_id: account.safe_id })), null)

    expect(await store.find(account.workspace_id, account.id)).toBeDefined()
  })

  it('are gone when disconnected, with their key, and are found again by their SAFE-ID', async () => {
    const account = aBeaAccount()
    const { workspace_id, id } = account
    await store.add(plain(account), 'sealed')

    await store.disconnect(workspace_id, id, at)

    const kept = { ...account, disconnected_at: at, version: 2 }
    expect(await store.find(workspace_id, id)).toBeUndefined()
    expect(await store.list(workspace_id)).toEqual([])
    expect(await store.listEver(workspace_id)).toEqual([kept])
    expect(await store.findSame(workspace_id, account)).toEqual(kept)
    expect(await beaKeyStore(db).find({ workspace_id, account_id: id })).toBeUndefined()
    await expect(store.disconnect(workspace_id, id, at)).rejects.toMatchObject({
      code: 'BEA_ACCOUNT_NOT_FOUND',
    })
  })

  it('are connected again once', async () => {
    const account = aBeaAccount()
    const { workspace_id, id } = account
    await store.add(plain(account), null)
    await store.disconnect(workspace_id, id, at)

    const again = { ...account, label: 'Neues Zertifikat', version: 3 }
    const outcomes = await Promise.allSettled([
      store.add(plain(again), 'new'),
      store.add(plain(again), 'new'),
    ])

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await store.find(workspace_id, id)).toEqual(again)
    expect(await beaKeyStore(db).find({ workspace_id, account_id: id })).toBe('new')
  })

  it('lose no change when twenty change at once', async () => {
    const account = aBeaAccount({ label: '' })
    const { workspace_id, id } = account
    await store.add(plain({ ...account, label: '-' }), null)

    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.change(workspace_id, id, (current) => ({ ...current, label: `${current.label}x` })),
      ),
    )

    const changed = await store.find(workspace_id, id)
    expect([changed?.label, changed?.version]).toEqual([`-${'x'.repeat(20)}`, 21])
  })

  it('give a card the SAFE-ID of its first login, unless another account has it', async () => {
    const card = aBeaAccount({ kind: 'card', safe_id: null, postbox_safe_id: null })
    const { workspace_id } = card
    const other = aBeaAccount({ workspace_id })
    await store.add(plain(card), null)
    await store.add(plain(other), null)
    const learn = (safe_id: string | null) =>
      store.change(workspace_id, card.id, (current) => ({ ...current, safe_id }))

    await expect(learn(other.safe_id)).rejects.toMatchObject(exists)
    const learnt = await learn('DE.BRAK.new')

    expect(learnt.safe_id).toBe('DE.BRAK.new')
    await expect(
      store.add(plain(aBeaAccount({ workspace_id, safe_id: 'DE.BRAK.new' })), null),
    ).rejects.toMatchObject(exists)
    await expect(store.add(plain({ ...card, id: newId('beaAccount') }), null)).rejects.toMatchObject(exists)
  })
})
