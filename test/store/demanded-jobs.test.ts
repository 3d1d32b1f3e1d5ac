import { describe, expect, it, vi } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { apiKeyEntity } from '#store/workspace/api-key-entity.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { api } from '#test/support/api.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { workspaceService } from '#workspace/workspace.ts'

function tableOfTheService() {
  const environment = sharedService().environment
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return { client: createClient(), table: environment.TABLE_NAME ?? '' }
}

/** The stores on this table, and the jobs that their changes demand. */
function depsOn(db: Db) {
  const cursors = tableCursors(db)
  const keys = keyStore(db, cursors)
  const runner = jobRunner()
  const users = userStore({ db, cursors, outbox: outbox(db, runner, { error: () => {} }) })
  runner.handle(...workspaceJobs({ users, keys }))
  const cleanHtml = async (html: string) => html
  return { workspaces: workspaceStore(db), users, keys, cleanHtml, clock: systemClock }
}

describe('deactivating a user', () => {
  it('is not confirmed while a key of the user still works, and repeating it ends the key', async () => {
    const firm = await newFirm()
    const { user, key, keyId } = await firm.colleague()
    const db = tableOfTheService()
    const { Key } = apiKeyEntity(db).get({ id: keyId }).params() as { Key: { pk: string } }
    let keyIsStuck = true
    const send = db.client.send.bind(db.client) as (command: unknown) => Promise<unknown>
    const stuck = async (command: { input: object }) => {
      if (keyIsStuck && JSON.stringify(command.input).includes(Key.pk) && 'TransactItems' in command.input)
        throw new Error('throttled')
      return send(command)
    }
    Object.assign(db.client, { send: stuck })
    const service = workspaceService(depsOn(db))
    const deactivate = () =>
      service.changeUser({ workspace_id: firm.workspace.id }, user.id, { active: false })

    const first = await deactivate().catch((error: unknown) => error)
    const meanwhile = await api(firm.baseUrl, key)('GET', '/api/v1/cases')
    keyIsStuck = false
    await deactivate()
    const after = await api(firm.baseUrl, key)('GET', '/api/v1/cases')

    expect(first).toMatchObject({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) })
    expect([meanwhile.status, after.status]).toEqual([200, 401])
  })

  it('leaves an admin, also if two admins who deactivate each other both read that the other is active', async () => {
    const firm = await newFirm()
    const { user } = await firm.colleague()
    const deps = depsOn(tableOfTheService())
    const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>()
    let reads = 0
    const find: typeof deps.users.find = async (workspaceId, id) => {
      const found = await deps.users.find(workspaceId, id)
      reads += 1
      if (reads === 2) resolve()
      await bothHaveRead
      return found
    }
    const service = workspaceService({ ...deps, users: { ...deps.users, find } })
    const deactivate = ({ id }: { id: string }) =>
      service.changeUser({ workspace_id: firm.workspace.id }, id, { active: false })

    const both = await Promise.allSettled([deactivate(user), deactivate(firm.ownerUser)])

    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'LAST_ADMIN' }),
    })
  })
})
