import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTable } from '#infra/local/create-table.ts'
import { startEngine } from '#infra/local/engine.ts'
import { setEnvironment } from '#infra/local/set-environment.ts'
import { importItems } from './import-items.ts'
import { type Office, seedOffice } from './seed.ts'

/** A table with offices of several sizes, which this process and those it starts work on. */
export type World = {
  offices: Office[]
  /** The smallest of them. */
  office: Office
  /** What a process needs to work on the table, and nothing of what this one has. */
  environment: Record<string, string>
  /** A folder for what a part of the bench writes. */
  folder: string
  /** Ends the table's engine and removes the folder. */
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
  const [office] = offices
  if (office === undefined) throw new Error('A bench needs an office.')
  return {
    offices,
    office,
    environment: { ...environment },
    folder,
    stop: () => engine.stop().then(removeFolder),
  }
}
