import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { Entity } from 'electrodb'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '#store/db.ts'
import { rewrite } from '#store/rewrite.ts'
import { Stale, transact } from '#store/transact.ts'
import { ownTable } from '#test/support/own-table.ts'

/** How an item is written anew, so that what newer code has stored in it stays (U3). */
const toy = (db: Db) =>
  new Entity(
    {
      model: { service: 'akte', entity: 'toy', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        version: { type: 'number', required: true },
        note: { type: 'string', field: 'n' },
        due_at: { type: 'string' },
        ttl: { type: 'number' },
        by: { type: 'any' },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['id'], casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )

type Toy = {
  id: string
  version: number
  note?: string
  due_at?: string
  ttl?: number
  by?: { name: string }
}

let db: Db
let toys: ReturnType<typeof toy>
beforeAll(async () => {
  db = await ownTable()
  toys = toy(db)
})

const keyOf = (id: string) => toys.get({ id }).params<{ Key: object }>().Key

async function stored(id: string): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: db.table, Key: keyOf(id), ConsistentRead: true })
  const { pk: _, sk: __, __edb_e__: ___, __edb_v__: ____, ...item } = (await db.client.send(get)).Item ?? {}
  return Object.keys(item).length === 0 ? undefined : item
}

/** Stores a record, and an attribute and a member that only newer code knows. */
async function storeAsNewerCode(record: Toy): Promise<void> {
  await toys.put({ ...record, by: { ...record.by, color: 'rot' } }).go()
  const update = {
    UpdateExpression: 'SET #future = :value',
    ExpressionAttributeNames: { '#future': 'priority' },
    ExpressionAttributeValues: { ':value': { level: 1, 'n.#0': ['ä'] } },
  }
  await db.client.send(new UpdateCommand({ TableName: db.table, Key: keyOf(record.id), ...update }))
}

/** Writes a record anew, which was read with what newer code has stored in it. */
function write(before: Toy, after: Toy): Promise<void> {
  const written = toys.put(after).where(({ version }, { eq }) => eq(version, before.version))
  const read: Toy = { ...before, by: Object.assign({ name: '', color: 'rot' }, before.by) }
  return transact(db, [rewrite(toys, written, read)])
}

const future = { priority: { level: 1, 'n.#0': ['ä'] } }

describe('an item that is written anew', () => {
  it('is as the code says, and keeps what only newer code knows', async () => {
    const before = { id: 'changed', version: 1, note: 'alt', by: { name: 'Vogt' } }
    await storeAsNewerCode(before)

    await write(before, { id: 'changed', version: 2, note: '', by: { name: 'Çelik' } })

    expect(await stored('changed')).toEqual({
      id: 'changed',
      version: 2,
      n: '',
      by: { name: 'Çelik', color: 'rot' },
      ...future,
    })
  })

  it('loses every attribute that the code knows and does not give, whatever the table calls it', async () => {
    const before = { id: 'less', version: 1, note: 'alt', due_at: '2031', ttl: 1, by: { name: 'Vogt' } }
    await storeAsNewerCode(before)

    await write(before, { id: 'less', version: 2 })

    expect(await stored('less')).toEqual({ id: 'less', version: 2, ...future })
  })

  it('does not come back where it was deleted, and is not changed where somebody was faster', async () => {
    const before = { id: 'gone', version: 1, by: { name: 'Vogt' } }
    const faster = { id: 'faster', version: 2, by: { name: 'Vogt' } }
    await storeAsNewerCode(faster)
    const asItWas = await stored('faster')

    await expect(write(before, { ...before, version: 2 })).rejects.toThrow(Stale)
    await expect(write({ ...faster, version: 1 }, { ...faster, version: 3 })).rejects.toThrow(Stale)

    expect(await stored('gone')).toBeUndefined()
    expect(await stored('faster')).toEqual(asItWas)
  })

  it('is made where it does not exist and the condition allows it', async () => {
    const made = toys.put({ id: 'made', version: 1 })

    await transact(db, [rewrite(toys, made, {})])

    expect(await stored('made')).toEqual({ id: 'made', version: 1 })
  })

  it('may be nearly as large as an item may be', async () => {
    const before = { id: 'large', version: 1, note: 'ä'.repeat(190_000), by: { name: 'Vogt' } }
    await storeAsNewerCode(before)

    await write(before, { ...before, version: 2 })

    expect(await stored('large')).toMatchObject({ version: 2, ...future })
  })
})
