import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTable } from '#infra/local/create-table.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { tableLayout } from '#store/table.ts'
import { upgradeProgress } from '#store/upgrades/progress.ts'
import { newDataFolder } from './data-folder.ts'
import { sharedService } from './the-shared-service.ts'

/**
 * An empty table beside the shared service's table: only the test's sweeper reads it. @param stage the table's stage
 */
export async function ownTable(stage?: string): Promise<Db> {
  Object.assign(process.env, sharedService().environment)
  const table = `aktenlage-test-${randomUUID()}`
  await createTable(table)
  const db = { client: createClient(), table }
  if (stage !== undefined) await upgradeProgress(db).finish(tableLayout, stage)
  return db
}

/** The data folder of a service that runs on this table, for `npm run admin`. The caller removes it. */
export function dataFolderOf({ table }: Db): string {
  const folder = newDataFolder()
  const environment = { ...sharedService().environment, TABLE_NAME: table }
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ pid: process.pid, environment }))
  return folder
}
