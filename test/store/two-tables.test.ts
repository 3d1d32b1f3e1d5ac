import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import { twoTables } from '#store/two-tables.ts'
import { ownTable } from '#test/support/own-table.ts'

const firm = newId('workspace')
const neighbour = newId('workspace')

let from: Db
let to: Db
beforeEach(async () => {
  ;[from, to] = await Promise.all([ownTable(), ownTable()])
})

const tables = () => twoTables({ client: from.client, from: from.table, to: to.table })
const put = ({ client, table }: Db, kind: string, id: string, fields: object = {}, workspaceId = firm) =>
  client.send(
    new PutCommand({
      TableName: table,
      Item: { pk: `${workspaceId}#${kind}`, sk: id, __edb_e__: kind, workspace_id: workspaceId, ...fields },
    }),
  )
const nameIn = async ({ client, table }: Db, kind: string, id: string, workspaceId = firm) =>
  (
    await client.send(
      new GetCommand({
        TableName: table,
        Key: { pk: `${workspaceId}#${kind}`, sk: id },
        ConsistentRead: true,
      }),
    )
  ).Item?.name

/** A case that only the one has, one that both have otherwise, one that only the other has, and much that is equal. */
async function differing() {
  for (let at = 0; at < 250; at += 1) {
    await put(from, 'case', `same-${at}`, { name: 'A', parts: [{ is: at }] })
    await put(to, 'case', `same-${at}`, { name: 'A', parts: [{ is: at }] })
  }
  await put(from, 'case', 'new', { name: 'new' })
  await put(from, 'case', 'changed', { name: 'after' })
  await put(to, 'case', 'changed', { name: 'before' })
  await put(to, 'case', 'gone', { name: 'gone' })
  await put(from, 'apikey', 'revoked', { revoked_at: '2026-11-22T14:03:00.000Z' })
  await put(to, 'apikey', 'revoked')
  await put(from, 'case', 'foreign', { name: 'foreign' }, neighbour)
}

describe('two tables', () => {
  it('are compared by kind, in all and for one firm', async () => {
    await differing()

    expect(await tables().compare()).toEqual({
      case: { missing: 2, changed: 1, surplus: 1 },
      apikey: { missing: 0, changed: 1, surplus: 0 },
    })
    expect(await tables().compare({ workspaceId: neighbour })).toEqual({
      case: { missing: 1, changed: 0, surplus: 0 },
    })
    expect(await tables().compare({ kinds: ['apikey'], workspaceId: firm })).toEqual({
      apikey: { missing: 0, changed: 1, surplus: 0 },
    })
  })

  it('are equal in the kinds that were copied, and only in these', async () => {
    await differing()

    const copied = await tables().copy({ kinds: ['case'], workspaceId: firm })
    const again = await tables().copy({ kinds: ['case'], workspaceId: firm })

    expect(copied).toEqual({ added: 1, replaced: 1, removed: 1 })
    expect(again).toEqual({ added: 0, replaced: 0, removed: 0 })
    expect(await nameIn(to, 'case', 'changed')).toBe('after')
    expect(await tables().compare()).toEqual({
      case: { missing: 1, changed: 0, surplus: 0 },
      apikey: { missing: 0, changed: 1, surplus: 0 },
    })
  })

  it('lack a record that is deleted in one of them, and name the list of an entry', async () => {
    const entry = { pk: `${firm}#cases#all`, sk: 'one', data: '{}' }
    await from.client.send(new PutCommand({ TableName: from.table, Item: entry }))
    const event = (deleted_at: string | null) => ({ record: JSON.stringify({ deleted_at }) })
    await put(from, 'case', 'one')
    await put(to, 'case', 'one', { deleted_at: '2026-11-22T14:03:00.000Z' })
    await put(from, 'event', 'two', event(null))
    await put(to, 'event', 'two', event('2026-11-22T14:03:00.000Z'))

    expect(await tables().compare()).toEqual({
      cases: { missing: 1, changed: 0, surplus: 0 },
      case: { missing: 1, changed: 0, surplus: 0 },
      event: { missing: 1, changed: 0, surplus: 0 },
    })
  })
})
