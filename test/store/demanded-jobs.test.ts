import { describe, expect, inject, it, vi } from 'vitest'
import * as z from 'zod'
import { defineFollowUp } from '#jobs/job.ts'
import { jobRunner } from '#jobs/runner.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { apiKeyEntity } from '#store/entities/api-key.ts'
import { outboxItem } from '#store/entities/outbox-item.ts'
import { outbox } from '#store/outbox.ts'
import { keyStore, userStore } from '#store/workspace-store.ts'
import { api } from '#test/support/api.ts'
import { newOffice } from '#test/support/office.ts'
import { userChanged, workspaceJobs } from '#workspace/jobs.ts'

function tableOfTheService() {
  const environment = inject('environment')
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return { client: createClient(), table: environment.TABLE_NAME ?? '' }
}

const anyJob = (name: string) => defineFollowUp({ name, version: 1, payload: z.object({}) })

describe('deactivating a user', () => {
  it('is not confirmed while a key of the user still works, and repeating it ends the key', async () => {
    const office = await newOffice()
    const { user, key, keyId } = await office.colleague()
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
    const cursors = tableCursors(db)
    const runner = jobRunner()
    const users = userStore({ db, cursors, outbox: outbox(db, runner, { error: () => {} }) })
    runner.handle(...workspaceJobs({ users, keys: keyStore(db, cursors) }))
    const deactivate = () =>
      users.change(office.workspace.id, user.id, (current) => ({
        record: { ...current, active: false, version: current.version + 1 },
        jobs: [userChanged.of({ workspace_id: office.workspace.id, user_id: user.id })],
      }))

    const first = await deactivate().catch((error: unknown) => error)
    const meanwhile = await api(office.baseUrl, key)('GET', '/api/v1/cases')
    keyIsStuck = false
    await deactivate()
    const after = await api(office.baseUrl, key)('GET', '/api/v1/cases')

    expect(first).toMatchObject({ kind: 'unavailable', retryAfterSeconds: expect.any(Number) })
    expect([meanwhile.status, after.status]).toEqual([200, 401])
  })
})

describe('a recorded job', () => {
  it('that fails again and again is put aside and blocks no other', async () => {
    const db = tableOfTheService()
    const told: string[] = []
    const runner = jobRunner()
    const jobs = outbox(db, runner, { error: (message) => told.push(message) })
    const items = outboxItem(db)
    const id = 'job_01993f5e-0000-7000-8000-00000000000a'
    await items.put({ shard: 'a', id, name: 'poison', payload: {}, attempts: 1_439 }).go()
    runner.handle(anyJob('poison').handledBy(() => Promise.reject(new Error('never'))))

    const swept = await jobs.sweep(new Date('2025-12-01T00:00:00Z'))

    expect(swept).toEqual({ done: 0, failed: 1 })
    expect(told).toContain('job put aside')
    expect((await items.get({ shard: 'a', id }).go()).data).toBeNull()
    expect((await items.get({ shard: 'parked', id }).go()).data).toMatchObject({
      name: 'poison',
      attempts: 1_440,
    })
    expect(await jobs.sweep(new Date('2025-12-01T00:00:00Z'))).toEqual({ done: 0, failed: 0 })
  })

  it('of the wrong shape fails with a log line that says what is wrong with it', async () => {
    const db = tableOfTheService()
    const told: unknown[] = []
    const runner = jobRunner()
    const jobs = outbox(db, runner, { error: (_, { error }) => told.push(error) })
    const id = 'job_01993f5e-0000-7000-8000-00000000000c'
    await outboxItem(db)
      .put({ shard: 'c', id, name: 'misshapen', payload: { ids: 7 }, attempts: 1_439 })
      .go()
    const payload = z.object({ ids: z.array(z.string()) })
    runner.handle(defineFollowUp({ name: 'misshapen', version: 1, payload }).handledBy(async () => {}))

    await jobs.sweep(new Date('2025-12-01T00:00:00Z'))

    expect(told[0]).toContain('expected array, received number')
  })

  it('that somebody else did while it failed here is not counted, and ends no sweep', async () => {
    const db = tableOfTheService()
    const runner = jobRunner()
    const jobs = outbox(db, runner, { error: () => {} })
    const items = outboxItem(db)
    const id = 'job_01993f5e-0000-7000-8000-00000000000b'
    await items.put({ shard: 'b', id, name: 'shared', payload: {} }).go()
    runner.handle(
      anyJob('shared').handledBy(async () => {
        await items.delete({ shard: 'b', id }).go()
        throw new Error('too late')
      }),
    )

    const swept = await jobs.sweep(new Date('2025-12-01T00:00:00Z'))

    expect(swept).toEqual({ done: 0, failed: 1 })
    expect((await items.get({ shard: 'b', id }).go()).data).toBeNull()
  })
})
