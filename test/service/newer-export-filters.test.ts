import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { aConfig } from '#test/support/exports.ts'
import { newFirm } from '#test/support/firm.ts'
import { kindOf, scanTable } from '#test/support/future-fields.ts'
import { sharedTable } from '#test/support/table.ts'

it('a configuration with a filter that newer code has stored can be renamed, and keeps the filter', async () => {
  const [firm, db] = [await newFirm(), await sharedTable()]
  const { id } = await aConfig(firm, { filters: { type: 'person' } })
  const stored = async () =>
    (await scanTable(db)).find((item) => kindOf(item) === 'exportconfig' && item.id === id)
  const { pk, sk } = (await stored()) ?? {}
  await db.client.send(
    new UpdateCommand({
      TableName: db.table,
      Key: { pk, sk },
      UpdateExpression: 'SET filters.tagged = :tag',
      ExpressionAttributeValues: { ':tag': 'eilig' },
    }),
  )

  const renamed = await firm.owner('PUT', `/api/v1/exports/configs/${id}`, { body: { name: 'Mandanten' } })

  expect([renamed.status, renamed.body.name, renamed.body.filters]).toEqual([
    200,
    'Mandanten',
    { type: 'person' },
  ])
  expect((await stored())?.filters).toEqual({ type: 'person', tagged: 'eilig' })
})
