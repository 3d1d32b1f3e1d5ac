import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { attempted } from '#kernel/attempted.ts'
import { openSigningKey, type SigningKey } from './kms-signing-key.ts'
import type { Credentials } from './signature.ts'
import { type Call, ServiceError, type SignedServer, serveSigned } from './signed-server.ts'

/** The files of the keys. Only their owner can read them; a missing one is created. */
type KeyFiles = { keyFile: string; signingKeyFile: string }

/**
 * The local KMS, as far as the functions use it, with two keys; any key id means the key for the operation. `Encrypt`
 * and `Decrypt` with an encryption context (AES-256-GCM) use the key in `keyFile`, so secrets that were sealed in an
 * earlier run can still be opened. `Sign` and `GetPublicKey` use the RSA key in `signingKeyFile`.
 *
 * @throws Error if a file holds no key
 */
export async function startKms(
  { keyFile, signingKeyFile }: KeyFiles,
  credentials: Credentials,
): Promise<SignedServer> {
  const key = keyOf(keyFile)
  const signingKey = openSigningKey(signingKeyFile)
  const options = { service: 'kms', credentials, maxBytes: 64 * 1024 }
  return serveSigned(options, async (call) => ({
    status: 200,
    body: JSON.stringify(await run(call, key, signingKey)),
  }))
}

function keyOf(keyFile: string): Buffer {
  // The key must be on the disk before anything is sealed with it: no other key can open that data.
  if (!existsSync(keyFile))
    writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
  const key = readFileSync(keyFile, 'utf8').trim()
  if (/^[0-9a-f]{64}$/.test(key)) return Buffer.from(key, 'hex')
  throw new Error(
    `${keyFile} is damaged, and nothing else opens what it sealed. Restore it, or start with new data: npm start -- --fresh`,
  )
}

type Input = {
  KeyId?: string
  Plaintext?: string
  CiphertextBlob?: string
  EncryptionContext?: Record<string, string>
  Message?: string
  MessageType?: string
  SigningAlgorithm?: string
}

async function run({ operation, body }: Call, key: Buffer, signingKey: SigningKey): Promise<object> {
  const input = JSON.parse(body.toString('utf8')) as Input
  const context = contextOf(input.EncryptionContext)
  const KeyId = input.KeyId ?? 'local'
  if (operation === 'Encrypt') {
    const plaintext = Buffer.from(input.Plaintext ?? '', 'base64')
    if (plaintext.length < 1 || plaintext.length > maxPlaintextBytes)
      throw new ServiceError('ValidationException')
    return { KeyId, CiphertextBlob: seal(key, plaintext, context).toString('base64') }
  }
  if (operation === 'Decrypt') {
    const plaintext = open(key, Buffer.from(input.CiphertextBlob ?? '', 'base64'), context)
    if (plaintext === undefined) throw new ServiceError('InvalidCiphertextException')
    return { KeyId, Plaintext: plaintext.toString('base64') }
  }
  if (operation === 'GetPublicKey') return { KeyId, ...(await signingKey.describe()) }
  if (operation === 'Sign') return { KeyId, ...(await signingKey.sign(input)) }
  throw new ServiceError('UnsupportedOperationException')
}

/** The limit of KMS for one call. */
const maxPlaintextBytes = 4_096
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
  return attempted(() =>
    Buffer.concat([decipher.update(sealed.subarray(ivOctets + tagOctets)), decipher.final()]),
  )
}

function contextOf(context: Record<string, string> = {}): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).toSorted()))
}
