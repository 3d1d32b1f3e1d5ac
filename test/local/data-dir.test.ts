import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDataDir } from '#infra/local/data-dir.ts'
import { startDatabase } from '#infra/local/database.ts'
import { tableLayout } from '#store/table.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('data that the DynamoDB of a killed run still uses is opened only after that has ended', async () => {
  const database = await startDatabase(join(folder, 'dynamodb.sqlite'), credentials, {})
  let opened = false

  const opening = openDataDir(folder).then((dataDir) => {
    opened = true
    return dataDir
  })
  await setTimeout(300)
  const openedEarly = opened
  await database.stop()
  const dataDir = await opening
  dataDir.release()

  expect(openedEarly).toBe(false)
})

test('a damaged table is reported with the way out, which works', async () => {
  writeFileSync(join(folder, 'dynamodb.sqlite'), 'no database at all')
  const dataDir = await openDataDir(folder)

  const refusal = startDatabase(dataDir.tableFile, credentials, {})
  await expect(refusal).rejects.toThrow('npm start -- --fresh')
  dataDir.clear()
  const database = await startDatabase(dataDir.tableFile, credentials, {})
  await database.stop()
  dataDir.release()
})

test('the temporary files of a killed run, not those of others, are gone with the next start and with its end', async () => {
  mkdirSync(join(folder, 'run-tmp', 'search-a'), { recursive: true })
  writeFileSync(join(folder, 'run-tmp', 'search-a', 'segment'), 'text of a client')
  mkdirSync(join(folder, 'tmp'))

  const dataDir = await openDataDir(folder)
  const left = readdirSync(dataDir.tmpDir)
  dataDir.release()

  expect(left).toEqual([])
  expect(readdirSync(folder)).toContain('tmp')
  expect(readdirSync(folder)).not.toContain('run-tmp')
})

describe('the files in the folder show what earlier runs left', () => {
  const files = [
    'dynamodb.sqlite',
    's3',
    'secrets.key',
    'credentials.json',
    'table-layout',
    'demo-complete',
    'demo-unfinished',
  ]
  const all = { table: true, bucket: true, key: true }
  const contentsWith = async (names: string[], kept = all) => {
    for (const name of names) writeFileSync(join(folder, name), String(tableLayout))
    const dataDir = await openDataDir(folder)
    try {
      return dataDir.contents(kept)
    } catch (error) {
      return String(error)
    } finally {
      dataDir.release()
    }
  }
  const [table = '', bucket = '', key = '', credentials = '', layout = '', complete = '', unfinished = ''] =
    files

  test.each([
    ['nothing', []],
    ['nothing', [complete]],
    ['unfinished', [unfinished]],
    ['unfinished', [unfinished, table, bucket, key]],
    ['data', [table, bucket, key, credentials, layout, complete]],
    ['data', [table, bucket, key, credentials, layout]],
    ['data', [table, bucket, key, credentials, complete]],
    ['data', [table, bucket, key, credentials, layout, unfinished]],
  ])('%s: %j', async (contents, names) => {
    expect(await contentsWith(names)).toBe(contents)
  })

  test.each([
    [credentials, [table, bucket, key, complete]],
    [credentials, [table, bucket, key]],
    [table, [bucket, key, credentials, complete]],
    [bucket, [table, key, credentials, complete]],
    [key, [table, bucket, credentials, complete]],
    [`${bucket}, ${key}, ${credentials}`, [table, complete]],
    [`${table}, ${bucket}, ${key}`, [credentials]],
  ])('without %s it is damaged, which is refused with what to do', async (missing, names) => {
    const refusal = await contentsWith(names)

    expect(refusal).toMatch(new RegExp(`damaged: ${missing} (is|are) missing.*npm start -- --fresh`))
    expect(
      readdirSync(folder)
        .filter((name) => files.includes(name))
        .toSorted(),
    ).toEqual(names.toSorted())
  })

  test('sent mail alone is not nothing: it is kept, and the rest is asked for', async () => {
    mkdirSync(join(folder, 'mail'))

    expect(await contentsWith([])).toMatch(/damaged: .*npm start -- --fresh/)
    expect(readdirSync(folder)).toContain('mail')
  })

  test('a removal takes sent mail along', async () => {
    mkdirSync(join(folder, 'mail'))
    writeFileSync(join(folder, 'mail', 'a.eml'), 'x')
    const dataDir = await openDataDir(folder)

    dataDir.clear()
    dataDir.release()

    expect(readdirSync(folder)).not.toContain('mail')
  })

  test('data that a named service keeps is not expected here', async () => {
    expect(await contentsWith([credentials, layout], { table: false, bucket: false, key: false })).toBe(
      'data',
    )
  })

  test.each([
    ['table', table],
    ['bucket', bucket],
    ['key', key],
  ])('a %s beside another one that the environment names is refused, and kept', async (part, name) => {
    const kept = { ...all, [part]: false }
    const refusal = new RegExp(`its ${part} in ${name}, but AWS_ENDPOINT_URL_\\w+ names another.*Nothing was`)

    expect(await contentsWith([name], kept)).toMatch(refusal)
    expect(await contentsWith([unfinished], kept)).toBe('unfinished')
    expect(await contentsWith([table, bucket, key, credentials, layout], kept)).toMatch(refusal)
  })

  test('a removal that was cut short is an unfinished beginning', async () => {
    for (const name of [table, key, credentials, complete])
      writeFileSync(join(folder, name), String(tableLayout))
    mkdirSync(join(folder, bucket))
    const dataDir = await openDataDir(folder)

    dataDir.clear()

    expect(dataDir.contents(all)).toBe('unfinished')
    dataDir.release()
  })
})

test('a folder is let go of when it is released', async () => {
  const first = await openDataDir(folder)

  const refusal = await openDataDir(folder).catch(String)
  first.release()
  const second = await openDataDir(folder)
  second.release()

  expect(refusal).toContain(`(process ${process.pid})`)
})
