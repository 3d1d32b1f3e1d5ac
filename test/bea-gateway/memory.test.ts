import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enc, gcm } from './sealed.ts'

/** Messages with 60 MB of attachments fit into the memory of a worker. */

const megabyte = 1_000_000
const maxGrowth = 250 * 1024 * 1024
const sessionKey = Buffer.alloc(32, 1)
const messageKey = Buffer.alloc(32, 2)

/** The length of the last message that the gateway received. */
let receivedBytes = 0
let large: string[] = []

const server = createServer((incoming, response) => {
  void answer(incoming, response)
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = incoming.url?.split('/').at(-1) ?? ''
  let bytes = 0
  let form = ''
  for await (const chunk of incoming) {
    bytes += chunk.length
    if (bytes < 10_000) form += chunk
  }
  if (name === 'bea_init_message')
    response.end(JSON.stringify({ messageToken: 'm', key: enc(messageKey, sessionKey) }))
  if (name === 'bea_send_message') {
    receivedBytes = bytes
    response.end('{"validationTokenMSG":"v","validations":[]}')
  }
  if (name === 'bea_send_message_validation') response.end('{"token":"t","messageId":"1"}')
  if (name !== 'bea_get_message') return
  const { messageId } = JSON.parse(Buffer.from(form.slice(2), 'base64url').toString())
  const metaData = { subject: enc('S', sessionKey) }
  response.write(
    `{"messageId":"${messageId}","metaData":${JSON.stringify(metaData)},"encryptedObjects":[],"attachments":[`,
  )
  if (messageId === 'large')
    for (const [at, one] of large.entries()) response.write(`${at > 0 ? ',' : ''}${one}`)
  response.end(']}')
}

async function run(operation: 'read' | 'send', count: number, size: number) {
  const { port } = server.address() as AddressInfo
  const program = fileURLToPath(new URL('memory-process.ts', import.meta.url))
  const parameters = [program, `http://127.0.0.1:${port}/`, operation, String(count), String(size)]
  // With a single thread, the garbage collector does not wait for processors that other programs use.
  const { stdout } = await promisify(execFile)(process.execPath, ['--single-threaded-gc', ...parameters], {
    maxBuffer: megabyte,
  })
  const result = JSON.parse(stdout) as { bytes: number; growth: number }
  console.log(`${operation} ${count} × ${size}: ${Math.round(result.growth / 1024 / 1024)} MiB`)
  return result
}

describe.each([
  [1, 60 * megabyte],
  [60, megabyte],
  [1_000, 60_000],
])('a message with %i attachments of %i bytes', (count, size) => {
  it('is read with less than 250 MiB', async () => {
    large = Array.from({ length: count }, (_, at) => {
      const plain = Buffer.alloc(size, `${at} attachment`)
      return JSON.stringify({
        reference: `${at}.pdf`,
        ...gcm(plain, messageKey),
        key: messageKey.toString('base64'),
      })
    })

    const { bytes, growth } = await run('read', count, size)

    expect(bytes).toBe(count * size)
    expect(growth).toBeLessThan(maxGrowth)
  })

  it('is sent with less than 250 MiB, which includes the attachments themselves', async () => {
    const { bytes, growth } = await run('send', count, size)

    expect(bytes).toBe(count * size)
    // Base64 inside base64: 4/3 × 4/3 of the bytes.
    expect(receivedBytes).toBeGreaterThan(bytes * (16 / 9))
    expect(growth).toBeLessThan(maxGrowth)
  })
})
