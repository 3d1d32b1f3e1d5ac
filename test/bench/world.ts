import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { bytesKey } from '#documents/keys.ts'
import { createBucket, createQueues } from '#infra/local/create-storage.ts'
import { createTable } from '#infra/local/create-table.ts'
import { openDoors } from '#infra/local/doors.ts'
import { startEngine } from '#infra/local/engine.ts'
import { setEnvironment } from '#infra/local/set-environment.ts'
import { importItems } from './import-items.ts'
import { documentDraft, type Office, seedOffice } from './seed.ts'

/** A table with offices of several sizes, and a bucket and queues, which this process and those it starts work on. */
export type World = {
  offices: Office[]
  /** The smallest of them. */
  office: Office
  /** What a process needs to work on the table, and nothing of what this one has. */
  environment: Record<string, string>
  /** A folder for what a part of the bench writes. */
  folder: string
  /** Ends what was started and removes the folder. */
  stop: () => Promise<void>
}

/** Fills a new table with an office of each size and sets this process's environment to it. */
export async function makeWorld(sizes: number[]): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-bench-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)

  const tableName = 'aktenlage-bench'
  const tableFile = join(folder, 'table.db')
  const offices: Office[] = []
  await importItems(tableFile, tableName, folder, async (write) => {
    for (const size of sizes) offices.push(await seedOffice(size, write))
  })
  const engine = await startEngine(tableFile, { PATH: process.env.PATH })
  // Nothing of an account that this machine may know reaches the processes of the bench.
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
    delete process.env[name]
  process.env.TABLE_NAME = tableName
  process.env.AWS_REGION ??= 'eu-central-1'
  const environment = setEnvironment(engine)
  await createTable(tableName, false)
  const doors = await openDoors(join(folder, 'files'))
  Object.assign(process.env, doors.environment)
  const queues = await createQueues(tableName)
  Object.assign(process.env, queues)
  await createBucket(environment.BUCKET_NAME ?? '')
  const [office] = offices
  if (office === undefined) throw new Error('A bench needs an office.')
  await storeFile(office)
  return {
    offices,
    office,
    environment: { ...environment, ...doors.environment, ...queues },
    folder,
    stop: () => Promise.all([engine.stop(), doors.stop()]).then(removeFolder),
  }
}

/** The bytes of the one document of an office that is read in the bench. */
async function storeFile({ workspaceId, documentId }: Office): Promise<void> {
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
