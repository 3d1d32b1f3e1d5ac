import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import type { SecretBox } from '#calendar/ports.ts'

/** Secrets sealed by a KMS key, each bound to its context: what is taken from one record opens in no other. */
export function kmsSecretBox(keyId: string, client = new KMSClient({ maxAttempts: 4 })): SecretBox {
  return {
    seal: async (text, context) => {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId: keyId, Plaintext: Buffer.from(text), EncryptionContext: context }),
      )
      if (CiphertextBlob === undefined) throw new Error('KMS gave no ciphertext.')
      return Buffer.from(CiphertextBlob).toString('base64')
    },
    open: async (sealed, context) => {
      const { Plaintext } = await client.send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: Buffer.from(sealed, 'base64'),
          EncryptionContext: context,
        }),
      )
      if (Plaintext === undefined) throw new Error('KMS gave no plaintext.')
      return Buffer.from(Plaintext).toString('utf8')
    },
  }
}
