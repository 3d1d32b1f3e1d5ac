import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDatabase } from '#infra/local/database.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { type Service, type ServiceOptions, startService } from '#test/support/service.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }

let folder: string
let dataDir: string
beforeEach(() => {
  folder = newDataFolder()
  dataDir = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One whole run on new data: starting takes seconds, so the tests that look at a plain run share it. */
let earlier: Awaited<ReturnType<typeof runOnce>>
/** Another one, which ran at that time, and still does. */
let running: Service
beforeAll(async () => {
  running = await startService({ commandLine: ['--empty'] })
  earlier = await runOnce(join(newDataFolder(), 'data'))
})
afterAll(async () => {
  await running.stop()
  rmSync(dirname(earlier.dataDir), { recursive: true, force: true })
})

const keptTable: CreateTableCommandInput = {
  TableName: 'kept',
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
}

describe('npm start', () => {
  test('is ready when it says so, and stops cleanly', async () => {
    const { baseUrl, health, exitCode } = earlier

    expect(health.status).toBe(200)
    expect(exitCode).toBe(0)
    await expect(fetch(baseUrl)).rejects.toThrow()
    expect(existsSync(join(earlier.dataDir, 'dynamodb.sqlite-wal'))).toBe(false)
  })

  test('prints a line that lists the cases when it is pasted', async () => {
    const { answerToPastedLine } = earlier

    expect(JSON.parse(answerToPastedLine)).toEqual({
      data: [],
      pagination: { cursor: null, has_more: false },
    })
  })

  test('keeps its credentials readable only for their owner and across restarts, with the addresses of this run', async () => {
    const first = dataOfEarlierRun()
    const second = await startEmpty({ bea: true })
    await second.stop()

    expect(statSync(join(earlier.dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(first.credentials.mail_signing_key).toMatch(/^[0-9a-f]{64}$/)
    const [, smtp_url] = /^Inbound mail: (smtp:\/\/127\.0\.0\.1:\d+)$/m.exec(second.output()) ?? []
    expect(second.credentials).toEqual({ ...first.credentials, base_url: second.baseUrl, smtp_url })
    expect(first.credentials.smtp_url).toMatch(/^smtp:\/\/127\.0\.0\.1:\d+$/)
  })

  test('starts with new data with --fresh and leaves other files alone', async () => {
    const first = dataOfEarlierRun()
    writeFileSync(join(dataDir, 'notes.txt'), 'mine')

    const second = await startEmpty({ commandLine: ['--fresh'] })
    await second.stop()

    expect(second.credentials.mail_signing_key).not.toBe(first.credentials.mail_signing_key)
    expect(readFileSync(join(dataDir, 'notes.txt'), 'utf8')).toBe('mine')
  })

  test('starts with new data when an earlier start ended before its demo data was complete', async () => {
    const start = fileURLToPath(new URL('../../infra/local/start.ts', import.meta.url))
    const dying = spawn(process.execPath, [start, '--empty'], {
      env: { ...process.env, PORT: '0', LOCAL_DATA_DIR: dataDir },
      stdio: 'ignore',
    })
    await vi.waitFor(() => expect(existsSync(join(dataDir, 'dynamodb.sqlite'))).toBe(true), {
      timeout: 60_000,
      interval: 5,
    })
    dying.kill('SIGKILL')
    await once(dying, 'exit')
    const hadCredentials = existsSync(join(dataDir, 'credentials.json'))

    const second = await startEmpty()
    await second.stop()

    expect(hadCredentials).toBe(false)
    expect(second.credentials.workspaces).toHaveLength(2)
  })

  test('leaves no process behind when it is killed, continues with its data, and ends when its DynamoDB does', async () => {
    const first = await startEmpty()
    const database = databaseProcess(join(dataDir, 'dynamodb.sqlite'))
    await first.kill()
    await vi.waitFor(() => expect(isAlive(database)).toBe(false), { timeout: 60_000 })

    const second = await startEmpty()
    const health = await fetch(`${second.baseUrl}/api/v1/health`)
    process.kill(databaseProcess(join(dataDir, 'dynamodb.sqlite')), 'SIGKILL')
    await vi.waitFor(() => expect(second.output()).toContain('DynamoDB ended by itself'), { timeout: 60_000 })
    const exitCode = await second.stop()

    expect(health.status).toBe(200)
    expect(second.credentials.mail_signing_key).toBe(first.credentials.mail_signing_key)
    expect(exitCode).toBe(1)
  })

  test('leaves no process behind when the test that started it is killed', async () => {
    const script = `
      const { startService } = await import('${new URL('../support/service.ts', import.meta.url)}')
      const service = await startService({ dataDir: '${dataDir}', commandLine: ['--empty'] })
      console.log(service.baseUrl)
      process.kill(process.pid, 'SIGKILL')`
    const died = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })

    await vi.waitFor(() => expect(existsSync(join(dataDir, 'running.json'))).toBe(false), { timeout: 60_000 })

    expect(died.signal).toBe('SIGKILL')
    await expect(fetch(died.stdout.trim())).rejects.toThrow()
    expect(databaseProcess(join(dataDir, 'dynamodb.sqlite'))).toBeNaN()
  })

  test('ends in order when nobody reads what it prints any more', async () => {
    const start = fileURLToPath(new URL('../../infra/local/start.ts', import.meta.url))
    const service = spawn(process.execPath, [start, '--empty'], {
      env: { ...process.env, PORT: '0', LOCAL_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    service.stdout.on('data', (text) => {
      output += text
    })
    await vi.waitFor(() => expect(output).toContain('Ready'), { timeout: 200_000 })

    service.stdout.destroy()
    service.stderr.destroy()
    process.kill(databaseProcess(join(dataDir, 'dynamodb.sqlite')), 'SIGKILL')
    const [exitCode] = await once(service, 'exit')

    expect(exitCode).toBe(1)
    expect(existsSync(join(dataDir, 'running.json'))).toBe(false)
  })

  test('stops cleanly when it is asked before it is ready', async () => {
    const start = fileURLToPath(new URL('../../infra/local/start.ts', import.meta.url))
    const service = spawn(process.execPath, [start], {
      env: { ...process.env, PORT: '0', LOCAL_DATA_DIR: dataDir },
      stdio: 'ignore',
    })
    await vi.waitFor(() => expect(databaseProcess(join(dataDir, 'dynamodb.sqlite'))).not.toBeNaN(), {
      timeout: 60_000,
    })

    service.kill('SIGTERM')
    const [exitCode] = await once(service, 'exit')

    expect(exitCode).toBe(0)
    expect(databaseProcess(join(dataDir, 'dynamodb.sqlite'))).toBeNaN()
  })

  test('loses nothing that was written when its DynamoDB is killed with it', async () => {
    const tableFile = join(folder, 'dynamodb.sqlite')
    const first = await startDatabase(tableFile, credentials, {})
    const table = clientOf(first.endpoint)
    await table.send(new CreateTableCommand(keptTable))
    await table.send(new PutItemCommand({ TableName: 'kept', Item: { pk: { S: 'a' } } }))
    process.kill(databaseProcess(tableFile), 'SIGKILL')
    await first.died

    const second = await startDatabase(tableFile, credentials, {})
    const { Count } = await clientOf(second.endpoint).send(new ScanCommand({ TableName: 'kept' }))
    await second.stop()

    expect(Count).toBe(1)
  })

  test('writes no log line for a request that went well', async () => {
    const { health, output } = earlier

    expect(health.status).toBe(200)
    expect(output()).not.toContain('"level"')
  })

  test('works on an existing DynamoDB, and creates its table when that is gone', async () => {
    const { endpoint, stop } = await startDatabase(join(folder, 'elsewhere.sqlite'), credentials, {
      PATH: process.env.PATH,
    })
    const environment = {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      TABLE_NAME: 'another-table',
    }
    const first = dataOfEarlierRun()
    rmSync(join(dataDir, 'dynamodb.sqlite'))

    const second = await startEmpty({ environment })
    const health = await fetch(`${second.baseUrl}/api/v1/health`)
    await second.stop()
    await stop()

    expect(health.status).toBe(200)
    expect(existsSync(join(dataDir, 'dynamodb.sqlite'))).toBe(false)
    expect(second.credentials.mail_signing_key).not.toBe(first.credentials.mail_signing_key)
  })
})

describe('npm start while another one runs', () => {
  test('runs at the same time with other data', async () => {
    const health = await fetch(`${running.baseUrl}/api/v1/health`)

    expect([health.status, earlier.health.status]).toEqual([200, 200])
    expect(running.credentials.mail_signing_key).not.toBe(earlier.credentials.mail_signing_key)
  })

  test('starts no beA simulator beside the gateway that BEA_GATEWAY_URL names, and offers no demo certificates for it', () => {
    expect(running.credentials.bea).toBeUndefined()
    expect(running.environment.BEA_GATEWAY_URL).toBeUndefined()
    expect(existsSync(join(running.dataDir, 'bea'))).toBe(false)
  })

  test('refuses to work on its data, on which it goes on working', async () => {
    const refusal = await refusalOf({ dataDir: running.dataDir })
    const health = await fetch(`${running.baseUrl}/api/v1/health`)

    expect(refusal).toMatch(/Another local environment \(process \d+\) uses the data in .*LOCAL_DATA_DIR=/)
    expect(health.status).toBe(200)
  })
})

describe('npm start refuses with a message that says what to do', () => {
  test('a port that is in use, before anything is created', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const port = String(typeof address === 'object' ? address?.port : '')

    const refusal = await refusalOf({ environment: { PORT: port } })
    taken.close()

    expect(refusal).toContain(`Port ${port} is in use. Choose another one: PORT=`)
    expect(refusal).not.toContain('    at ')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('a data folder that cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    dataDir = join(folder, 'file', 'data')

    expect(await refusalOf({})).toMatch(/cannot be written\. Choose another one with LOCAL_DATA_DIR/)
    dataDir = '/proc/nowhere/data'
    expect(await refusalOf({})).toMatch(/cannot be written\. Choose another one with LOCAL_DATA_DIR/)
  })

  test('a DynamoDB that does not answer', async () => {
    expect(await refusalOf({ environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' } })).toContain(
      'DynamoDB at http://127.0.0.1:9 did not create the table',
    )
  })

  test('data of which parts were lost, which stays as it is, also without the file demo-complete', async () => {
    const first = dataOfEarlierRun()
    rmSync(join(dataDir, 'demo-complete'))

    for (const lost of [['credentials.json'], ['dynamodb.sqlite', 's3']]) {
      for (const name of lost) renameSync(join(dataDir, name), join(folder, name))
      const refusal = await refusalOf({})
      for (const name of lost) renameSync(join(folder, name), join(dataDir, name))

      expect(refusal).toMatch(/damaged: .* missing.*npm start -- --fresh/)
      for (const name of lost) expect(refusal).toContain(name)
    }
    const second = await startEmpty()
    const key = first.credentials.workspaces[0]?.users[0]?.api_key
    const cases = await fetch(`${second.baseUrl}/api/v1/cases`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await second.stop()

    expect(lasting(second.credentials)).toEqual(lasting(first.credentials))
    expect(cases.status).toBe(200)
  })

  test('a database without its table', async () => {
    dataOfEarlierRun()
    writeFileSync(join(dataDir, 'dynamodb.sqlite'), '')

    expect(await refusalOf({})).toContain('the database has no table aktenlage-local')
    expect(await refusalOf({})).toContain('the database has no table aktenlage-local')
  })

  test('credentials that cannot be read', async () => {
    dataOfEarlierRun()
    writeFileSync(join(dataDir, 'credentials.json'), '{"base_url":')

    expect(await refusalOf({})).toContain('npm start -- --fresh')
  })
})

/** The credentials without what belongs to their run. */
function lasting({ base_url: _, smtp_url: __, bea: ___, ...credentials }: Service['credentials']) {
  return credentials
}

async function runOnce(dataDir: string) {
  const service = await startService({ dataDir, commandLine: ['--empty'], bea: true })
  const health = await fetch(`${service.baseUrl}/api/v1/health`)
  const [line = ''] = /^curl .*$/m.exec(service.output()) ?? []
  const answerToPastedLine = execFileSync('sh', ['-c', line], { encoding: 'utf8' })
  const exitCode = await service.stop()
  return { ...service, health, answerToPastedLine, exitCode }
}

/** Puts into `dataDir` what the earlier run left. */
function dataOfEarlierRun(): typeof earlier {
  cpSync(earlier.dataDir, dataDir, { recursive: true })
  return earlier
}

async function refusalOf(options: ServiceOptions): Promise<string> {
  const outcome = await startEmpty(options).catch((error: Error) => error.message)
  if (typeof outcome === 'string') return outcome
  await outcome.stop()
  throw new Error('It started.')
}

/** Without cases, which these promises do not need. */
function startEmpty({ commandLine = [], ...options }: ServiceOptions = {}) {
  return startService({ dataDir, commandLine: ['--empty', ...commandLine], ...options })
}

function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials,
  })
}

/** The process id of the database itself, behind its guard, that works on this file; NaN if there is none. */
function databaseProcess(tableFile: string): number {
  const processes = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const database = processes.find((line) => line.includes(tableFile) && !line.includes('guard.ts'))
  return Number.parseInt(database ?? '', 10)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
