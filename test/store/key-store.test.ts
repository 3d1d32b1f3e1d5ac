import { expect, it, vi } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { outbox } from '#store/outbox.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { api } from '#test/support/api.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

function storesOfTheService() {
  const environment = sharedService().environment
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: environment.TABLE_NAME ?? '' }
  const cursors = tableCursors(db)
  const users = userStore({ db, cursors, outbox: outbox(db, jobRunner(), { error: () => {} }) })
  return { keys: keyStore(db, cursors), users }
}

it('a key stays invalid if an older state of its deactivated user is copied late', async () => {
  const firm = await newFirm()
  const { user, key } = await firm.colleague()
  const { keys, users } = storesOfTheService()
  const active = await users.find(firm.workspace.id, user.id)
  if (active === undefined) throw new Error('The user is gone.')

  await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })
  await keys.copyUser(active)

  expect((await api(firm.baseUrl, key)('GET', '/api/v1/cases')).status).toBe(401)
})

it('a user has a scope until the only key with it expires', async () => {
  const firm = await newFirm()
  const { user } = await firm.colleague()
  const { keys } = storesOfTheService()
  const added = await firm.owner('POST', '/api/v1/users', {
    body: { name: 'Ada Kurz', email: 'kurz@example.de' },
  })
  const expires_at = '2099-01-01T00:00:00.000Z'
  const body = { user_id: added.body.id, name: 'Bis 2099', scopes: ['calendar:read'], expires_at }
  const { status } = await firm.owner('POST', '/api/v1/api-keys', { body })
  const hasScope = (userId: string, at: string) =>
    keys.hasScope(firm.workspace.id, userId, 'calendar:read', at)

  expect(status).toBe(201)
  expect(await hasScope(added.body.id, '2098-12-31T23:59:59.999Z')).toBe(true)
  expect(await hasScope(added.body.id, expires_at)).toBe(false)
  expect(await hasScope(user.id, expires_at)).toBe(true)
})
