import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import { envelopeEntity } from '#store/signing/envelope-entity.ts'
import { largestEnvelope, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { walk } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

/** DynamoDB's limit of an item, and what the answer of a Lambda may have. */
const maxItemBytes = 400 * 1024
const maxAnswerBytes = 6 * 1024 * 1024

let db: Db
let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  db = await sharedTable()
  stores = envelopeStores(db)
})

/** An envelope whose documents need not exist: what is tested is its size. */
async function addLargest(workspace: string, case_id: string) {
  const { documents, ...empty } = largestEnvelope(workspace, case_id)
  const change = userChange({ ...empty, documents: [] }, {}, 'created')
  await stores.envelopes.add(newEnvelope(change))
  return applyRule(stores.envelopes, workspace, change.record.id, (current) =>
    userChange(current, { documents }),
  )
}

it('the largest envelope, all of characters of four bytes, leaves a sixth of an item free, and can be changed as a whole', async () => {
  const workspace = newId('workspace')

  const record = await addLargest(workspace, await stores.addCase(workspace))

  expect(await stores.envelopes.find(workspace, record.id)).toEqual(record)
  const key = envelopeEntity(db).get({ workspace_id: workspace, id: record.id }).params<{ Key: object }>()
  const { Item } = await db.client.send(
    new GetCommand({ TableName: db.table, Key: key.Key as Record<string, unknown> }),
  )
  // As JSON it is larger than as DynamoDB counts it.
  expect(Buffer.byteLength(JSON.stringify(Item))).toBeLessThan((5 / 6) * maxItemBytes)
  for (const { link_sha256, id } of record.signers)
    expect(await stores.envelopes.findLink(link_sha256 ?? '')).toMatchObject({ signer_id: id })
})

it('pages of the largest envelopes fit into answers, and show each once', async () => {
  const workspace = newId('workspace')
  const case_id = await stores.addCase(workspace)
  const added: string[] = []
  for (let at = 0; at < 20; at += 1) added.push((await addLargest(workspace, case_id)).id)

  const pages: number[] = []
  const { items } = await walk(async (cursor) => {
    const page = await stores.envelopes.page(workspace, { case_id, limit: 20, cursor })
    pages.push(Buffer.byteLength(JSON.stringify(JSON.stringify(page))))
    return page
  })

  expect(items.map(({ id }) => id)).toEqual(added.toReversed())
  expect(pages.length).toBeGreaterThan(1)
  for (const bytes of pages) expect(bytes).toBeLessThan(maxAnswerBytes)
})
