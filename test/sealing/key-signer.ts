import { createPrivateKey, sign } from 'node:crypto'
import type { Signer } from '#sealing/signer.ts'

/** A signer with a private key in PEM. */
export function keySigner(privateKeyPem: string, certificates: readonly Uint8Array[]): Signer {
  const key = createPrivateKey(privateKeyPem)
  return {
    algorithm: key.asymmetricKeyType === 'rsa' ? 'rsa_pkcs1_sha256' : 'ecdsa_p256_sha256',
    certificates,
    sign: async ({ bytes }) => sign('sha256', bytes, key),
  }
}
