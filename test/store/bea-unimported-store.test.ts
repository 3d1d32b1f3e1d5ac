import { expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { beaUnimportedStore } from '#store/bea/bea-unimported-store.ts'
import { sharedTable } from '#test/support/table.ts'

it('a message that could not be imported is listed until it is removed, for any form of id', async () => {
  const store = beaUnimportedStore(await sharedTable())
  const postbox = { workspace_id: newId('workspace'), postbox_safe_id: 'DE.BRAK.1' }
  const first_seen_at = systemClock.now().toISOString()
  const [one, other] = [
    { remote_id: 'ä/# \n?', first_seen_at, is_too_large: false, is_told: true },
    { remote_id: '70001'.repeat(500), first_seen_at, is_too_large: true, is_told: false },
  ]
  await store.put(postbox, one)
  await store.put(postbox, other)
  await store.put({ ...postbox, postbox_safe_id: 'DE.BRAK.2' }, one)
  const both = await store.list(postbox)
  // Act
  await store.remove(postbox, one.remote_id)
  // Assess
  expect(both).toHaveLength(2)
  expect(both).toEqual(expect.arrayContaining([one, other]))
  expect(await store.list(postbox)).toEqual([other])
})
