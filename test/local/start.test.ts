import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEngine } from '#infra/local/engine.ts'
import { startService } from '#test/support/service.ts'

let folder: string
let dataDir: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
  dataDir = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('npm start', () => {
  test('is ready when it says so, and stops cleanly', async () => {
    const startedAt = performance.now()
    const service = await startService({ dataDir })
    const milliseconds = performance.now() - startedAt

    const health = await fetch(`${service.baseUrl}/api/v1/health`)
    const exitCode = await service.stop()

    expect(milliseconds).toBeLessThan(5_000)
    expect(health.status).toBe(200)
    expect(exitCode).toBe(0)
    await expect(fetch(service.baseUrl)).rejects.toThrow()
    expect(existsSync(join(dataDir, 'dynamodb.sqlite-wal'))).toBe(false)
  })

  test('keeps its credentials for its owner alone and across restarts, with the address of this run', async () => {
    const first = await startService({ dataDir })
    await first.stop()
    const second = await startService({ dataDir })
    await second.stop()

    expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(first.credentials.mail_signing_key).toMatch(/^[0-9a-f]{64}$/)
    expect(second.credentials).toEqual({ ...first.credentials, base_url: second.baseUrl })
  })

  test('begins anew with --fresh, leaving alone what is not its own', async () => {
    const first = await startService({ dataDir })
    await first.stop()
    writeFileSync(join(dataDir, 'notes.txt'), 'mine')

    const second = await startService({ dataDir, commandLine: ['--fresh'] })
    await second.stop()

    expect(second.credentials.mail_signing_key).not.toBe(first.credentials.mail_signing_key)
    expect(readFileSync(join(dataDir, 'notes.txt'), 'utf8')).toBe('mine')
  })

  test('begins anew when an earlier start died before its demo data was complete', async () => {
    const first = await startService({ dataDir })
    await first.kill()
    rmSync(join(dataDir, 'demo-complete'))

    const second = await startService({ dataDir })
    await second.stop()

    expect(second.credentials.mail_signing_key).not.toBe(first.credentials.mail_signing_key)
  })

  test('takes up the data of a process that was killed', async () => {
    const first = await startService({ dataDir })
    await first.kill()

    const second = await startService({ dataDir })
    const health = await fetch(`${second.baseUrl}/api/v1/health`)
    await second.stop()

    expect(health.status).toBe(200)
    expect(second.credentials.mail_signing_key).toBe(first.credentials.mail_signing_key)
  })

  test('runs beside another one with other data', async () => {
    const one = await startService({ dataDir })
    const other = await startService({ dataDir: join(folder, 'other') })

    const answers = await Promise.all(
      [one, other].map((service) => fetch(`${service.baseUrl}/api/v1/health`)),
    )
    await Promise.all([one.stop(), other.stop()])

    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
  })

  test('writes no log line for a request that went well', async () => {
    const service = await startService({ dataDir })

    await fetch(`${service.baseUrl}/api/v1/health`)
    await service.stop()

    expect(service.output()).not.toContain('"level"')
  })

  test('works on a DynamoDB that is already there, and makes its table again when that is gone', async () => {
    const { endpoint, stop } = await startEngine(join(folder, 'elsewhere.sqlite'), { PATH: process.env.PATH })
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME: 'another-table' }
    const guestDir = join(folder, 'guest')

    const first = await startService({ dataDir: guestDir, environment })
    await first.stop()
    await new DynamoDBClient({
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    }).send(new DeleteTableCommand({ TableName: 'another-table' }))
    const second = await startService({ dataDir: guestDir, environment })
    const health = await fetch(`${second.baseUrl}/api/v1/health`)
    await second.stop()
    await stop()

    expect(health.status).toBe(200)
    expect(existsSync(join(guestDir, 'dynamodb.sqlite'))).toBe(false)
    expect(second.credentials.mail_signing_key).not.toBe(first.credentials.mail_signing_key)
  })
})

describe('npm start refuses with a sentence that tells what to do', () => {
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

  test('data that another one works on, which goes on working', async () => {
    const first = await startService({ dataDir })

    const refusal = await refusalOf({})
    const health = await fetch(`${first.baseUrl}/api/v1/health`)
    await first.stop()

    expect(refusal).toMatch(/Another local environment \(process \d+\) uses the data in .*LOCAL_DATA_DIR=/)
    expect(health.status).toBe(200)
  })

  test('a data folder that cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '')
    dataDir = join(folder, 'file', 'data')

    expect(await refusalOf({})).toMatch(/cannot be written\. Choose another one with LOCAL_DATA_DIR/)
  })

  test.each(['70000', 'http', '-1', '80 80'])('the port %s', async (port) => {
    expect(await refusalOf({ environment: { PORT: port } })).toContain(
      `PORT must be a number from 0 to 65535, not "${port}".`,
    )
  })

  test('an option that does not exist', async () => {
    expect(await refusalOf({ commandLine: ['--frehs'] })).toContain('The only option is --fresh')
  })

  test('a DynamoDB that does not answer', async () => {
    expect(await refusalOf({ environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' } })).toContain(
      'DynamoDB at http://127.0.0.1:9 does not give a table',
    )
  })

  test('the real AWS', async () => {
    expect(
      await refusalOf({
        environment: { AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.eu-central-1.amazonaws.com' },
      }),
    ).toContain('works on local data only')
  })

  test('credentials that were lost', async () => {
    const first = await startService({ dataDir })
    await first.stop()
    rmSync(join(dataDir, 'credentials.json'))

    expect(await refusalOf({})).toContain('npm start -- --fresh')
  })

  async function refusalOf(options: {
    commandLine?: string[]
    environment?: NodeJS.ProcessEnv
  }): Promise<string> {
    const outcome = await startService({ dataDir, ...options }).catch((error: Error) => error.message)
    if (typeof outcome === 'string') return outcome
    await outcome.stop()
    throw new Error('It started.')
  }
})
