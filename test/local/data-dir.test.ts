import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDir } from '#infra/local/data-dir.ts'
import { startEngine } from '#infra/local/engine.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('data that the DynamoDB of a killed run still holds is taken only when that has ended', async () => {
  const engine = await startEngine(join(folder, 'dynamodb.sqlite'), {})
  let opened = false

  const opening = openDataDir(folder).then((dataDir) => {
    opened = true
    return dataDir
  })
  await setTimeout(300)
  const openedEarly = opened
  await engine.stop()
  const dataDir = await opening
  dataDir.release()

  expect(openedEarly).toBe(false)
})

test('a damaged table is reported with the way out, which works', async () => {
  writeFileSync(join(folder, 'dynamodb.sqlite'), 'no database at all')
  const dataDir = await openDataDir(folder)

  const refusal = startEngine(dataDir.tableFile, {})
  await expect(refusal).rejects.toThrow('npm start -- --fresh')
  dataDir.clear()
  const engine = await startEngine(dataDir.tableFile, {})
  await engine.stop()
  dataDir.release()
})

test('data that an earlier version stored in another layout is refused with the way out, and kept', async () => {
  const dataDir = await openDataDir(folder)
  dataDir.markDemoComplete()
  dataDir.requireLayout()
  writeFileSync(join(folder, 'demo-complete'), '')

  expect(() => dataDir.requireLayout()).toThrow('npm start -- --fresh')
  expect(dataDir.demoIsComplete()).toBe(true)
  dataDir.clear()
  expect(() => dataDir.requireLayout()).not.toThrow()
  dataDir.release()
})

test('a folder is let go of when it is released', async () => {
  const first = await openDataDir(folder)

  const refusal = await openDataDir(folder).catch(String)
  first.release()
  const second = await openDataDir(folder)
  second.release()

  expect(refusal).toContain(`(process ${process.pid})`)
})
