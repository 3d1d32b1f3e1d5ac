import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A KMS to seal secrets with. */
export type KeyService = {
  /** For `AWS_ENDPOINT_URL_KMS`. */
  endpoint: string
  stop: () => Promise<void>
}

/**
 * KMS on this machine, as far as the functions use it: `Encrypt` and `Decrypt` with one key, whatever its name, and
 * an encryption context (AES-256-GCM). The key lies in `keyFile`, readable by its owner alone, and is made where it
 * is missing: what was sealed in an earlier run still opens.
 */
export async function startKeyService(keyFile: string): Promise<KeyService> {
  const key = keyOf(keyFile)
  const server = createServer((request, response) => {
    void answer(request, response, key).catch((error: unknown) => {
      console.error('The local KMS failed:', error)
      refuse(response, 500, 'KMSInternalException')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The local KMS listens on no port.')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function keyOf(keyFile: string): Buffer {
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 })
  return Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'hex')
}

type Input = {
  KeyId?: string
  Plaintext?: string
  CiphertextBlob?: string
  EncryptionContext?: Record<string, string>
}

async function answer(request: IncomingMessage, response: ServerResponse, key: Buffer): Promise<void> {
  const input = JSON.parse(await textOf(request)) as Input
  const context = contextOf(input.EncryptionContext)
  const KeyId = input.KeyId ?? 'local'
  if (request.headers['x-amz-target'] === 'TrentService.Encrypt') {
    const plaintext = Buffer.from(input.Plaintext ?? '', 'base64')
    if (plaintext.length < 1 || plaintext.length > mostPlaintext)
      return refuse(response, 400, 'ValidationException')
    return send(response, { KeyId, CiphertextBlob: seal(key, plaintext, context).toString('base64') })
  }
  if (request.headers['x-amz-target'] === 'TrentService.Decrypt') {
    const plaintext = open(key, Buffer.from(input.CiphertextBlob ?? '', 'base64'), context)
    if (plaintext === undefined) return refuse(response, 400, 'InvalidCiphertextException')
    return send(response, { KeyId, Plaintext: plaintext.toString('base64') })
  }
  return refuse(response, 400, 'UnsupportedOperationException')
}

/** KMS encrypts this much at once. */
const mostPlaintext = 4_096
const ivOctets = 12
const tagOctets = 16

function seal(key: Buffer, plaintext: Buffer, context: Buffer): Buffer {
  const iv = randomBytes(ivOctets)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(context)
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

function open(key: Buffer, sealed: Buffer, context: Buffer): Buffer | undefined {
  if (sealed.length < ivOctets + tagOctets) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivOctets))
    .setAAD(context)
    .setAuthTag(sealed.subarray(ivOctets, ivOctets + tagOctets))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ivOctets + tagOctets)), decipher.final()])
  } catch {
    return undefined
  }
}

function contextOf(context: Record<string, string> = {}): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).toSorted()))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
}

function refuse(response: ServerResponse, status: number, type: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-ErrorType': type })
    .end(JSON.stringify({ __type: type, message: type }))
}
