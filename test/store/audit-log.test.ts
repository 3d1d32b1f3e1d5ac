import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { auditEvent, type FirmAuditEntry } from '#audit/schema.ts'
import { newId } from '#kernel/id.ts'
import { auditPosition } from '#store/audit/audit-chain.ts'
import { auditEntry } from '#store/audit/audit-entity.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { writeAll } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { interceptStoreCalls } from '#test/bench/store-calls.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

const storeCalls = interceptStoreCalls()
let db: Db
beforeAll(async () => {
  db = await sharedTable()
})

const newActor = () => ({
  workspace_id: newId('workspace'),
  user_id: newId('user'),
  user_name: '',
  key_id: newId('apiKey'),
  scopes: [],
})

it('a filter that few entries match needs few reads, even for a small page', async () => {
  const log = auditLog(storeDeps(db))
  const actor = newActor()
  for (let at = 0; at < 60; at += 1)
    await log.record(auditEvent(actor, 'export.fetched', 'export_config', newId('exportConfig')))
  await log.record(auditEvent(actor, 'key.created', 'api_key', newId('apiKey')))

  const { calls, result } = await storeCalls.record(() =>
    log.page(actor.workspace_id, { action: 'key.created' }, { limit: 1 }),
  )

  expect(result.data.map(({ seq }) => seq)).toEqual([61])
  expect(calls.length).toBeLessThanOrEqual(2)
  // DynamoDB refuses it in the conditions of keys.
  expect(calls.flatMap(({ input }) => Object.values(input.ExpressionAttributeValues ?? {}))).not.toContain('')
})

it('a page ends after 1,000 read entries, even if they have expired', async () => {
  const actor = newActor()
  const { workspace_id } = actor
  const entries = auditEntry(db)
  const entry = {} as FirmAuditEntry
  const expired = Array.from({ length: 1_100 }, (_, at) =>
    entries.put({ workspace_id, position: auditPosition(at + 1), entry, ttl: 1_000 }),
  )
  await writeAll(db, expired)

  const result = await auditLog(storeDeps(db)).page(workspace_id, { action: 'key.created' }, { limit: 1 })

  expect([result.data, result.pagination.has_more]).toEqual([[], true])
})

it('the first request of a key gets 503 after 15 s if others always write the next audit entry first', async () => {
  const moved = new TransactionCanceledException({
    message: '',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
  })
  const client = Object.create(db.client, {
    send: {
      value: (command: never) =>
        (command as object) instanceof TransactWriteCommand ? Promise.reject(moved) : db.client.send(command),
    },
  })
  const keys = keyStore({ ...db, client }, storeDeps(db).cursors)
  const actor = newActor()
  const key = { id: actor.key_id, last_used_at: null } as Parameters<typeof keys.touch>[0]
  const began = performance.now()

  const used = keys.touch(key, '2026-03-16T09:00:00.000Z', '2026-03-16T08:00:00.000Z', {
    ...auditEvent(actor, 'key.first_used', 'api_key', key.id),
  })

  await expect(used).rejects.toMatchObject({ kind: 'unavailable' })
  expect(performance.now() - began).toBeLessThan(20_000)
})
