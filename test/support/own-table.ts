import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { createTable } from '#infra/local/create-table.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'

/** An empty table beside that of the shared service: no sweeper but the test's looks at it. */
export async function ownTable(): Promise<Db> {
  Object.assign(process.env, inject('environment'))
  const table = `aktenlage-test-${randomUUID()}`
  await createTable(table)
  return { client: createClient(), table }
}
