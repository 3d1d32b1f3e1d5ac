import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDataDir } from '#infra/local/data-dir.ts'
import { oldestLayout, tableLayout } from '#store/table.ts'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { type Answer, readEverything } from '#test/support/read-everything.ts'
import { type Service, type ServiceOptions, startService } from '#test/support/service.ts'

/**
 * The data of every earlier layout, as a release of that layout left it after its demo and all tours of its READMEs
 * (`data.tar.gz`). With them are the answers of that release to every GET (`answers.json.gz`), and when both were made.
 */
const earlier = globSync('layout-*', { cwd: import.meta.dirname }).toSorted()
const oldest = `layout-${oldestLayout}`

const startFile = new URL('../../infra/local/start.ts', import.meta.url)

let folder: string
let dataDir: string
beforeEach(() => {
  folder = newDataFolder()
  dataDir = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Unpacks the data of an earlier layout, and gives what its release answered, by workspace and path. */
function unpack(name: string) {
  const from = join(import.meta.dirname, name)
  mkdirSync(dataDir)
  execFileSync('tar', ['-xzf', join(from, 'data.tar.gz'), '-C', dataDir])
  const madeAt = new Date(readFileSync(join(from, 'made-at'), 'utf8').trim())
  const answers: Record<string, Record<string, Answer>> = JSON.parse(
    gunzipSync(readFileSync(join(from, 'answers.json.gz'))).toString(),
  )
  return { madeAt, answers, layout: Number(name.split('-')[1]) }
}

/** Starts the service at the time when the data was made: later, deadlines would be overdue and envelopes expired. */
async function startAt(madeAt: Date, options: ServiceOptions = {}): Promise<Service> {
  const commandLine = [...(options.commandLine ?? []), '--at', madeAt.toISOString()]
  return startService({ dataDir, ...options, commandLine })
}

/** Files of data and their digests, without the files of a run and without copies. */
const digests = (path: string): Map<string, string> =>
  new Map(
    globSync('**/*', { cwd: path })
      .filter((name) => !/^(layout-|lock\.sqlite)/.test(name))
      .filter((name) => statSync(join(path, name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(path, name)))
          .digest('hex'),
      ]),
  )

/** Data that differs from run to run. */
const volatile =
  /"(request_id|generated_at|last_used_at|as_of|last_sync)":(?:null|"[^"]*"|\{[^}]*\})|http:\/\/127\.0\.0\.1:\d+/g

const steady = (answer: Answer | undefined): unknown =>
  answer &&
  withoutMessages(
    JSON.parse(JSON.stringify(answer).replace(volatile, (_, name) => (name ? `"${name}":""` : ''))),
  )

/** Messages of an error and notes on a period are for people: another release may use other words. All the rest stays. */
function withoutMessages({ status, body }: Answer): Answer {
  const { error, data } = (body ?? {}) as {
    error?: { message: string; details?: object[] } | null
    data?: unknown
  }
  const isPreset = (one: object) => 'notfrist' in one && 'key' in one
  if (Array.isArray(data) && data.some(isPreset))
    return { status, body: { data: data.map((one) => ({ ...one, note: '' })) } }
  if (status < 400 || error == null) return { status, body }
  const details = error.details?.map((detail) => ({ ...detail, message: '' }))
  return { status, body: { error: { ...error, message: '', ...(details && { details }) } } }
}

describe.each(earlier)('data of %s', (name) => {
  it('is upgraded at the first start, and answers everything as its release did', async () => {
    const { madeAt, answers, layout } = unpack(name)
    const before = digests(dataDir)

    const service = await startAt(madeAt)
    const given = new Map<string, Map<string, Answer>>()
    for (const { id, users } of service.credentials.workspaces)
      given.set(id, await readEverything(service.baseUrl, users[0]?.api_key ?? ''))
    const conflicts = await api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)(
      'POST',
      '/api/v1/conflict-check',
      { body: { names: ['Yılmaz', 'Müller'] } },
    )
    await service.stop()

    expect(service.output()).toMatch(
      new RegExp(
        `Upgrading the data from layout ${layout} to ${tableLayout}; a copy of it is in \\S+ … done`,
      ),
    )
    expect(readFileSync(join(dataDir, 'table-layout'), 'utf8')).toBe(String(tableLayout))
    expect(digests(join(dataDir, `layout-${layout}`))).toEqual(before)
    expect(globSync('layout-*', { cwd: dataDir })).toHaveLength(1)
    expect(conflicts.status).toBe(200)
    for (const [workspace, ofFirm] of Object.entries(answers)) {
      const paths = Object.keys(ofFirm)
      expect(paths.length).toBeGreaterThan(40)
      for (const path of paths)
        expect({ path, ...(steady(given.get(workspace)?.get(path)) as Answer) }).toMatchObject({
          path,
          ...(steady(ofFirm[path]) as Answer),
        })
    }
  })
})

it('a killed upgrade goes on at the next start, with its own copy beside an older one; after it, none begins', async () => {
  const { madeAt, layout } = unpack(oldest)
  const before = digests(dataDir)
  const older = join(dataDir, `layout-${layout}`)
  mkdirSync(older)
  writeFileSync(join(older, 'mine'), 'kept')
  const dying = spawn(process.execPath, [fileURLToPath(startFile)], {
    env: { ...process.env, PORT: '0', LOCAL_DATA_DIR: dataDir, BEA_GATEWAY_URL: 'http://127.0.0.1:9/' },
    stdio: 'ignore',
  })
  const mark = join(dataDir, 'upgrade.json')
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 60_000, interval: 5 })
  dying.kill('SIGKILL')
  await once(dying, 'exit')

  const service = await startAt(madeAt)
  const { status } = await api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)(
    'GET',
    '/api/v1/cases',
  )
  await service.stop()
  const again = await startService({ dataDir })
  await again.stop()

  expect(status).toBe(200)
  expect(service.output()).toContain('… done')
  expect(again.output()).not.toContain('Upgrading')
  expect(globSync('layout-*', { cwd: dataDir }).toSorted()).toEqual([basename(older), `${basename(older)}-2`])
  expect(digests(`${older}-2`)).toEqual(before)
  expect(readFileSync(join(older, 'mine'), 'utf8')).toBe('kept')
  expect(existsSync(mark)).toBe(false)
})

describe('data that this release must not touch', () => {
  it.each([
    [
      'a newer layout',
      String(tableLayout + 1),
      `has layout ${tableLayout + 1}, of a newer release. This release reads up to layout ${tableLayout}.`,
    ],
    ['a much newer layout', '4711', 'has layout 4711, of a newer release.'],
    [
      'a layout that no upgrade starts from',
      '8',
      `has layout 8. This release reads layouts 9 to ${tableLayout}.`,
    ],
    ['a damaged mark', 'nine', 'table-layout is damaged'],
    ['an empty mark', '', 'table-layout is damaged'],
    ['a mark with a sign', '-9', 'table-layout is damaged'],
  ])('is refused, byte for byte as it was: %s', async (_, mark, message) => {
    unpack(oldest)
    writeFileSync(join(dataDir, 'table-layout'), mark)
    writeFileSync(join(dataDir, 'running.json'), '{"pid":1,"environment":{}}')
    const before = digests(dataDir)

    await expect(openDataDir(dataDir)).rejects.toThrow(message)

    expect(digests(dataDir)).toEqual(before)
    expect(globSync('layout-*', { cwd: dataDir })).toEqual([])
  })

  it('is refused, byte for byte as it was, also without its credentials, with a log of its database', async () => {
    const { madeAt } = unpack(oldest)
    writeFileSync(join(dataDir, 'table-layout'), String(tableLayout + 1))
    rmSync(join(dataDir, 'credentials.json'))
    const database = new DatabaseSync(join(dataDir, 'dynamodb.sqlite'))
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE newer (id)')
    const before = globSync('**/*', { cwd: dataDir })
    const bytes = digests(dataDir)

    const starting = startAt(madeAt)

    await expect(starting).rejects.toThrow(`has layout ${tableLayout + 1}, of a newer release`)
    expect(globSync('**/*', { cwd: dataDir })).toEqual(before)
    expect(digests(dataDir)).toEqual(bytes)
    database.close()
  })

  it('is refused where its mark cannot be read, whatever an older mark says', async () => {
    unpack(oldest)
    rmSync(join(dataDir, 'table-layout'))
    mkdirSync(join(dataDir, 'table-layout'))
    const before = digests(dataDir)

    await expect(openDataDir(dataDir)).rejects.toThrow('table-layout is damaged')

    expect(digests(dataDir)).toEqual(before)
    expect(globSync('layout-*', { cwd: dataDir })).toEqual([])
  })

  it('is replaced by new data if the operator asks for it', async () => {
    unpack(oldest)
    writeFileSync(join(dataDir, 'table-layout'), String(tableLayout + 1))

    const opened = await openDataDir(dataDir, { fresh: true })
    opened.clear()
    opened.release()

    expect(readFileSync(join(dataDir, 'table-layout'), 'utf8')).toBe(String(tableLayout))
  })

  it('stays as it was if it cannot be copied first', async () => {
    const { madeAt } = unpack(oldest)
    const before = digests(dataDir)
    const full = fileURLToPath(new URL('../support/full-disk.ts', import.meta.url))

    const starting = startAt(madeAt, { environment: { NODE_OPTIONS: `--import=${full}` } })

    await expect(starting).rejects.toThrow(/could not be copied .*ENOSPC.* Nothing was changed/s)
    expect(digests(dataDir)).toEqual(before)
    expect(globSync('layout-*', { cwd: dataDir })).toEqual([])
  })
})
