import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { caseEntity } from '#store/cases/case-entity.ts'
import type { Db } from '#store/db.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { closingTimes } from '#store/upgrades/11-closing-times.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

let firm: Firm
let db: Db
beforeAll(async () => {
  firm = await newFirm()
  db = await sharedTable()
})

type Changes = { status?: string; name?: string; type?: string; dezernat?: string; description?: string }

/** A case after these changes, and its item without what the upgrade adds, as an older release left it. */
async function changed(...changes: Changes[]) {
  const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body
  const at: string[] = []
  for (const body of changes)
    at.push((await firm.owner('PUT', `/api/v1/cases/${id}`, { body })).body.closed_at)
  const { Key } = caseEntity(db).get({ workspace_id: firm.workspace.id, id }).params<{ Key: object }>()
  const { Attributes } = await db.client.send(
    new UpdateCommand({
      TableName: db.table,
      Key: Key as Record<string, string>,
      UpdateExpression: 'REMOVE closed_at',
      ReturnValues: 'ALL_NEW',
    }),
  )
  return { at, item: Attributes as StoredItem }
}

const upgraded = async (item: StoredItem) => (await closingTimes.sources?.(db)[0]?.itemsFor(item)) ?? []

it.each<[string, Changes[], number]>([
  ['the only closing', [{ name: 'Meier' }, { status: 'closed' }, { type: 'Zivil' }], 1],
  ['a closing beside other fields', [{ status: 'closed', name: 'A, B', type: 'X', dezernat: 'Y' }], 0],
  [
    'the last closing after a reopening',
    [{ status: 'closed' }, { status: 'active' }, { status: 'closed', description: 'Fertig' }],
    2,
  ],
  [
    'the first closing before it was archived and closed again',
    [{ status: 'closed' }, { status: 'archived' }, { status: 'closed' }],
    0,
  ],
  ['the closing of an archived case', [{ status: 'closed' }, { status: 'archived' }], 0],
  ['a closing from the archive', [{ status: 'archived' }, { status: 'closed' }], 1],
  [
    'a closing of a case whose name speaks of another status',
    [{ status: 'closed' }, { name: 'Streit, Status closed → archived' }],
    0,
  ],
])('the upgrade notes %s', async (_, changes, closing) => {
  const { at, item } = await changed(...changes)

  const [record, ...entries] = await upgraded(item)

  expect(record).toEqual({ ...item, closed_at: at[closing], version: Number(item.version) + 1 })
  expect(entries).toEqual([
    { pk: `${firm.workspace.id}#closed_cases#all`, sk: `${at[closing]}#${item.id}`, data: 'null' },
  ])
  expect(await upgraded(record as StoredItem)).toEqual(entries)
})

it.each<[string, Changes[]]>([
  ['an open case', []],
  ['a reopened case', [{ status: 'closed' }, { status: 'active' }]],
  ['a case that was archived without being closed', [{ status: 'archived' }]],
])('the upgrade leaves %s as it is', async (_, changes) => {
  const { item } = await changed(...changes)

  expect(await upgraded(item)).toEqual([])
})

it('the upgrade corrects the time of a case that an older release reopened and closed again', async () => {
  const { at, item } = await changed({ status: 'closed' }, { status: 'active' }, { status: 'closed' })

  const [record] = await upgraded({ ...item, closed_at: at[0] })

  expect(at[2]).not.toBe(at[0])
  expect(record?.closed_at).toBe(at[2])
})
