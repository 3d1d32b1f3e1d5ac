import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { SecretBox } from '#calendar/ports.ts'
import { unavailable } from '#kernel/unavailable.ts'

/**
 * Encrypts secrets with a KMS key. Each is bound to its context, so a secret copied to another record does not open.
 *
 * @throws Failure 503 from both functions where KMS does not answer in time
 */
export function kmsSecretBox(keyId: string, client = createClient()): SecretBox {
  return {
    seal: async (text, context) => {
      const { CiphertextBlob } = await client
        .send(new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.from(text), EncryptionContext: context }))
        .catch(explain)
      if (CiphertextBlob === undefined) throw new Error('KMS gave no ciphertext.')
      return Buffer.from(CiphertextBlob).toString('base64')
    },
    open: async (sealed, context) => {
      const { Plaintext } = await client
        .send(
          new DecryptCommand({
            KeyId: keyId,
            CiphertextBlob: Buffer.from(sealed, 'base64'),
            EncryptionContext: context,
          }),
        )
        .catch(explain)
      if (Plaintext === undefined) throw new Error('KMS gave no plaintext.')
      return Buffer.from(Plaintext).toString('utf8')
    },
  }
}

function createClient(): KMSClient {
  return new KMSClient({
    maxAttempts: 3,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 2_000,
      throwOnRequestTimeout: true,
    }),
  })
}

/** Throws errors that we caused unchanged, and a Failure 503 for errors that are temporary. */
function explain(error: unknown): never {
  const fault = error instanceof Error && '$fault' in error ? error.$fault : 'server'
  const throttled = error instanceof Error && error.name === 'ThrottlingException'
  if (fault === 'client' && !throttled) throw error
  throw unavailable('The service that encrypts passwords did not answer in time.', { cause: error })
}
