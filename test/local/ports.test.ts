import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startDatabase } from '#infra/local/database.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { listeningPorts } from '#test/support/listening-ports.ts'
import { type Service, startService } from '#test/support/service.ts'

let service: Service
let ports: { address: string; port: number }[]
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], bea: true })
  const { pid } = JSON.parse(readFileSync(join(service.dataDir, 'running.json'), 'utf8'))
  // An own port that the start has told of is not one of these promises.
  const [, open] = /reach it at \S+:(\d+)/.exec(service.output()) ?? []
  ports = listeningPorts(pid).filter(({ port }) => port !== Number(open))
})
afterAll(() => service.stop())

const signature = `AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`
const targets = [
  'DynamoDB_20120810.ListTables',
  'DynamoDB_20120810.Scan',
  'DynamoDBStreams_20120810.ListStreams',
  'AmazonSQS.ListQueues',
  'TrentService.GetPublicKey',
  'Textract.GetDocumentTextDetection',
]
const calls = targets.flatMap((target) =>
  ['application/x-amz-json-1.0', 'application/json'].map((type) => ({
    line: 'POST / HTTP/1.1',
    headers: { 'Content-Type': type, 'X-Amz-Target': target, Authorization: signature },
    body: '{"TableName":"aktenlage-local"}',
  })),
)
const forms = ['ListQueues', 'SendRawEmail'].map((action) => ({
  line: 'POST / HTTP/1.1',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: signature },
  body: `Action=${action}&Version=2012-11-05`,
}))
const preflight = {
  line: 'OPTIONS / HTTP/1.1',
  headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-amz-target' },
  body: '',
}
const control = {
  line: 'POST /control HTTP/1.1',
  headers: { 'Content-Type': 'application/json' },
  body: '{"action":"state"}',
}
const pages = ['/', '/local/mail', '/aktenlage-local/', '/aktenlage-local?list-type=2', '/api/v1/cases'].map(
  (path) => ({ line: `GET ${path} HTTP/1.1`, headers: {}, body: '' }),
)

describe('every port of a running service', () => {
  test('is found, and is of the loopback interface', () => {
    const known = Object.values(service.environment)
      .filter((value) => value.startsWith('http://127.0.0.1:'))
      .map((url) => Number(new URL(url).port))

    expect(ports.map(({ port }) => port)).toEqual(expect.arrayContaining(known))
    // Besides the ports of the environment, the port of the service itself and the one that receives mail.
    expect(ports.length).toBeGreaterThanOrEqual(new Set(known).size + 2)
    expect(new Set(ports.map(({ address }) => address))).toEqual(new Set(['0100007F']))
  })

  test.each([
    ['a page of another site', { Origin: 'https://evil.example' }],
    ['a sandboxed page', { Origin: 'null' }],
    ['a page of another port', { Origin: 'http://localhost:8080' }],
    ['a name that points here', { Host: 'rebound.example' }],
    ['a name that begins like this machine', { Host: '127.0.0.1.nip.example' }],
    ['a name that ends like it', { Host: 'evil.example:80@localhost' }],
    ['a page of a name that points here', { Host: 'rebound.example', Origin: 'http://rebound.example' }],
  ])('serves nothing to %s', async (_name, by) => {
    const requests = [...calls, ...forms, preflight, control, ...pages]

    const answers = await everywhere(requests, by)

    expect(answers.filter(({ answer }) => isServed(answer))).toEqual([])
  })

  test('serves nothing to a program of this machine that signs with another secret', async () => {
    const answers = await everywhere([...calls, ...forms], {})

    expect(answers.filter(({ answer }) => isServed(answer))).toEqual([])
  })
})

describe('where the system has no namespaces', () => {
  test('the database still answers only signed calls, and listens where no browser connects to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
    const credentials = { accessKeyId: 'local', secretAccessKey: 'of this run' }
    const database = await startDatabase(join(folder, 'table.sqlite'), credentials, { PATH: '/nowhere' })
    const clients = ['of this run', 'guessed'].map(
      (secretAccessKey) =>
        new DynamoDBClient({
          endpoint: database.endpoint,
          region: 'eu-central-1',
          credentials: { ...credentials, secretAccessKey },
        }),
    )

    const [signed, guessed] = await Promise.allSettled(
      clients.map((client) => client.send(new ListTablesCommand({}))),
    )
    const browser = await fetch(`http://${database.openAt}/`).catch((error: Error) => error.cause)
    for (const client of clients) client.destroy()
    await database.stop()
    rmSync(folder, { recursive: true })

    expect(signed).toMatchObject({ status: 'fulfilled', value: { TableNames: [] } })
    expect(guessed).toMatchObject({ status: 'rejected', reason: { name: 'InvalidSignatureException' } })
    // Node follows the list of browsers.
    expect(browser).toMatchObject({ message: 'bad port' })
  })
})

describe('the database', () => {
  test.each([
    ['without an end of its head', `POST / HTTP/1.1\r\n${'X-A: b\r\n'.repeat(4_000)}`],
    [
      'with a body of unknown length',
      'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'with two lengths',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['with a negative length', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -2\r\n\r\n'],
    [
      'with a length beyond the limit',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n',
    ],
    ['without a length', 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['with a line that is no header', 'POST / HTTP/1.1\r\nlocalhost\r\nContent-Length: 0\r\n\r\n'],
    ['that is none', 'HELO localhost\r\n\r\n'],
  ])('refuses a request %s, and closes the connection', async (_name, request) => {
    const answer = await exchange(databasePort(), request, 60_000)

    expect(answer).toMatch(/^HTTP\/1\.1 403 .*\r\nConnection: close\r\n/s)
  })

  test('reads no request after one that it refuses', async () => {
    const refused = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'

    const answer = await exchange(databasePort(), refused.repeat(2), 60_000)

    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('answers a client whose clock is an hour fast, on one connection: the refusal corrects the clock', async () => {
    const { environment } = service
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const client = new DynamoDBClient({
      endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      region: 'eu-central-1',
      credentials: {
        accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
      },
      requestHandler: { httpAgent: agent },
    })
    vi.useFakeTimers({ toFake: ['Date'], now: epochMilliseconds() + 3_600_000 })

    const tables = await client.send(new ListTablesCommand({})).finally(() => vi.useRealTimers())
    client.destroy()

    expect(tables.TableNames).toEqual(['aktenlage-local'])
    expect(tables.$metadata.attempts).toBe(2)
  })
})

type Request = { line: string; headers: object; body: string }

function databasePort(): number {
  return Number(new URL(service.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '').port)
}

async function everywhere(requests: Request[], by: object) {
  const answers = await Promise.all(
    ports.map(async ({ port }) => {
      const ofPort = []
      for (const request of requests)
        ofPort.push({ port, request: request.line, answer: await send(port, request, by) })
      return ofPort
    }),
  )
  return answers.flat()
}

async function send(port: number, { line, headers, body }: Request, by: object): Promise<string> {
  const all = {
    Host: `127.0.0.1:${port}`,
    Connection: 'close',
    'Content-Length': body.length,
    ...headers,
    ...by,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return exchange(port, `${line}\r\n${lines.join('')}\r\n${body}`)
}

/** Sends a request as written. @returns all that comes back until the end, or for this time after the last of it */
async function exchange(port: number, request: string, milliseconds = 1_000): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.on('error', () => {}).setTimeout(milliseconds, () => socket.destroy())
  socket.write(request)
  await once(socket, 'close')
  return answer
}

/** Whether an answer is a success, or names what only the service knows. */
function isServed(answer: string): boolean {
  return /^HTTP\/1\.1 2/.test(answer) || /"TableNames"|QueueUrl|<Contents>|<Bucket/.test(answer)
}
