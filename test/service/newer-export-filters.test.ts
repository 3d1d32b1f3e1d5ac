import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { aConfig } from '#test/support/exports.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

it('a configuration with a filter that newer code has stored can be renamed, and keeps the filter', async () => {
  const [firm, db] = [await newFirm(), await sharedTable()]
  const { id } = await aConfig(firm, { filters: { type: 'person' } })
  const item = { TableName: db.table, Key: { pk: `${firm.workspace.id}#export_configs`, sk: id } }
  await db.client.send(
    new UpdateCommand({
      ...item,
      UpdateExpression: 'SET filters.tagged = :tag',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':tag': 'eilig' },
    }),
  )

  const renamed = await firm.owner('PUT', `/api/v1/exports/configs/${id}`, { body: { name: 'Mandanten' } })

  expect([renamed.status, renamed.body.name, renamed.body.filters]).toEqual([
    200,
    'Mandanten',
    { type: 'person' },
  ])
  const { Item: stored } = await db.client.send(new GetCommand({ ...item, ConsistentRead: true }))
  expect(stored?.filters).toEqual({ type: 'person', tagged: 'eilig' })
})
