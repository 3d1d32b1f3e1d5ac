import type { Db } from '#store/db.ts'
import { sharedService } from './the-shared-service.ts'

/** The table of the service that all tests share, for tests of the store itself. Each test uses its own workspace. */
export async function sharedTable(): Promise<Db> {
  Object.assign(process.env, sharedService().environment)
  const [{ createClient }, { tableName }] = await Promise.all([
    import('#store/client.ts'),
    import('#store/table.ts'),
  ])
  return { client: createClient(), table: tableName() }
}
