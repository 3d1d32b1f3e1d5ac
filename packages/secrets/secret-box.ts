import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { canonicalJson } from '#kernel/canonical-json.ts'
import type { SecretBox, SecretContext } from '#kernel/secret-box.ts'
import { unavailable } from '#kernel/unavailable.ts'

/**
 * Envelope encryption with KMS. Each secret is encrypted with a new key (AES-256-GCM, with the context as associated
 * data), and KMS encrypts this key with the same context. So a secret opens only with KMS, and not if it was copied to
 * another record. Secrets may have any length.
 *
 * @throws Failure 503 from both functions if KMS does not answer in time, or fails
 */
export function kmsSecretBox(keyId: string, client = createClient()): SecretBox {
  return {
    seal: async (text, context) => {
      const key = randomBytes(keyBytes)
      const { CiphertextBlob } = await client
        .send(new EncryptCommand({ KeyId: keyId, Plaintext: key, EncryptionContext: context }))
        .catch(rethrow)
      if (CiphertextBlob === undefined) throw new Error('KMS returned no ciphertext.')
      return packed(CiphertextBlob, encrypt(key, text, context)).toString('base64')
    },
    open: async (sealed, context) => {
      const { wrappedKey, body } = unpacked(Buffer.from(sealed, 'base64'))
      const { Plaintext } = await client
        .send(new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrappedKey, EncryptionContext: context }))
        .catch(rethrow)
      if (Plaintext === undefined) throw new Error('KMS returned no plaintext.')
      return decrypt(Buffer.from(Plaintext), body, context)
    },
  }
}

const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

function encrypt(key: Buffer, text: string, context: SecretContext): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

function decrypt(key: Buffer, sealed: Buffer, context: SecretContext): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(associated(context))
    .setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  const body = decipher.update(sealed.subarray(ivBytes + tagBytes))
  return Buffer.concat([body, decipher.final()]).toString('utf8')
}

const associated = (context: SecretContext) => Buffer.from(canonicalJson(context))

/** The stored form: the length of the wrapped key in two bytes, the wrapped key, and the encrypted data. */
function packed(wrappedKey: Uint8Array, body: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(wrappedKey.length)
  return Buffer.concat([length, wrappedKey, body])
}

function unpacked(envelope: Buffer): { wrappedKey: Buffer; body: Buffer } {
  const end = envelope.length < 2 ? 2 : 2 + envelope.readUInt16BE(0)
  return { wrappedKey: envelope.subarray(2, end), body: envelope.subarray(end) }
}

function createClient(): KMSClient {
  return new KMSClient({
    maxAttempts: 3,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      throwOnRequestTimeout: true,
      // The limit for an answer that stops after its headers.
      socketTimeout: 3_000,
    }),
  })
}

/**
 * Throws the error. An error that is not the fault of the request becomes a Failure 503, because it is temporary.
 */
function rethrow(error: unknown): never {
  const fault = error instanceof Error && '$fault' in error ? error.$fault : 'server'
  const throttled = error instanceof Error && error.name === 'ThrottlingException'
  if (fault === 'client' && !throttled) throw error
  throw unavailable('The service that encrypts secrets did not answer, or failed.', { cause: error })
}
