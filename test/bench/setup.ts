import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { bytesKey } from '#documents/keys.ts'
import { bucketRights } from '#functions/manifest.ts'
import { createQueues } from '#infra/local/create-storage.ts'
import { createTable } from '#infra/local/create-table.ts'
import { startDatabase } from '#infra/local/database.ts'
import type { Credentials } from '#infra/local/emulators/signature.ts'
import { startEmulators } from '#infra/local/emulators/start-emulators.ts'
import { setEnvironment } from '#infra/local/set-environment.ts'
import { createClient } from '#store/client.ts'
import { stageName, tableLayout } from '#store/table.ts'
import { upgradeProgress } from '#store/upgrades/progress.ts'
import { beaItems } from './bea-seed.ts'
import { importItems } from './import-items.ts'
import { documentDraft, type Firm, seedFirm } from './seed.ts'

/** A table with firms of several sizes, a bucket and queues, for this process and its child processes. */
export type BenchSetup = {
  firms: Firm[]
  /** The smallest of them. */
  firm: Firm
  /** The environment that a process needs for the table, without the other variables of this process. */
  environment: Record<string, string>
  /** Takes the variables of this process away from a whole service, which has a table and services of its own. */
  withoutEnvironment: Record<string, undefined>
  /** With which the local services want requests to be signed. */
  credentials: Credentials
  /** A folder for files of the parts of the bench. */
  folder: string
  /** Stops the database and the local services, and removes the folder. */
  stop: () => Promise<void>
}

/** Fills a new table with a firm of each size and sets this process's environment to it. */
export async function setUpBench(sizes: number[]): Promise<BenchSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)

  const tableName = 'aktenlage-bench'
  process.env.TABLE_NAME = tableName
  const tableFile = join(folder, 'table.db')
  const firms: Firm[] = []
  await importItems(tableFile, tableName, folder, async (write) => {
    for (const size of sizes) {
      const firm = await seedFirm(size, write)
      firms.push(firm)
      for (const items of batched(beaItems(firm), 1_000)) await write(items)
    }
  })
  // The calls of the table that count requests come now and then: they would be in the figures of one request or another.
  process.env.RATE_LIMIT_PER_SECOND = '0'
  // Links in mails begin with it; nobody follows them.
  process.env.SERVICE_BASE_URL = 'http://127.0.0.1'
  const { credentials, shared } = await setEnvironment()
  const database = await startDatabase(tableFile, credentials, { PATH: process.env.PATH })
  process.env.AWS_ENDPOINT_URL_DYNAMODB = database.endpoint
  await createTable(tableName)
  await upgradeProgress({ client: createClient(), table: tableName }).finish(tableLayout, stageName())
  const emulators = await startEmulators({
    filesDir: join(folder, 'files'),
    keyFile: join(folder, 'secrets.key'),
    signingKeyFile: join(folder, 'signing.key'),
    mailDir: join(folder, 'mail'),
    configurationSet: process.env.MAIL_CONFIGURATION_SET ?? '',
    bucket: process.env.BUCKET_NAME ?? '',
    rights: bucketRights,
    credentials,
  })
  Object.assign(process.env, emulators.environment)
  const queues = await createQueues(tableName)
  Object.assign(process.env, queues)
  const [firm] = firms
  if (firm === undefined) throw new Error('A bench needs a firm.')
  await storeFile(firm)
  const environment = {
    ...shared,
    RATE_LIMIT_PER_SECOND: '0',
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    ...emulators.environment,
    ...queues,
  }
  const ofThisProcess = ['TABLE_NAME', 'SERVICE_BASE_URL', ...Object.keys(environment)]
  return {
    firms,
    firm,
    environment,
    withoutEnvironment: Object.fromEntries(ofThisProcess.map((name) => [name, undefined])),
    credentials,
    folder,
    stop: () => Promise.all([database.stop(), emulators.stop()]).then(removeFolder),
  }
}

/** Divides items into groups of up to `size`, one after the other: not all of them are in memory. */
function* batched<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let group: Item[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  yield group
}

/** Stores the bytes of the one document of a firm that the bench downloads. */
async function storeFile({ workspaceId, documentId }: Firm): Promise<void> {
  const record = documentDraft(workspaceId, 0)
  const client = new S3Client({})
  await client.send(
    new PutObjectCommand({
      Bucket: process.env.BUCKET_NAME,
      Key: bytesKey({ ...record, id: documentId }),
      Body: Buffer.alloc(record.size_bytes),
    }),
  )
  client.destroy()
}
