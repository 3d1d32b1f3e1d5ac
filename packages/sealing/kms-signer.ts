import { createPublicKey } from 'node:crypto'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { type Clock, systemClock, timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { SealFault, type Signer } from './signer.ts'

/** The stored certificates of a signing key. `chain` is DER in base64, the key's own certificate first. */
export type StoredCertificates = {
  public_key_sha256: string
  chain: string[]
  origin: 'self_signed' | 'imported'
  stored_at: string
}

export type CertificateStore = {
  find: (publicKeySha256: string) => Promise<StoredCertificates | undefined>
  /** Stores the result of `make` if the key has no certificates. A later caller gets the certificates of the first. */
  findOrAdd: (publicKeySha256: string, make: () => Promise<StoredCertificates>) => Promise<StoredCertificates>
  replace: (record: StoredCertificates) => Promise<void>
}

/** A signing key without its certificates. `publicKey` is SubjectPublicKeyInfo in DER. */
export type SigningKey = Pick<Signer, 'algorithm' | 'sign'> & { publicKey: Uint8Array }

/**
 * The signing key in KMS: RSA of 3 072 bits or more, or P-256. The private key never leaves KMS, and KMS gets only the
 * digest of the signed bytes.
 *
 * @throws SealFault `certificate` for a key that is neither RSA nor elliptic curve; errors of KMS
 */
export async function kmsSigningKey(keyId: string, client = createClient()): Promise<SigningKey> {
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keyId }))
  if (PublicKey === undefined) throw new Error('KMS gave no public key.')
  const algorithm = algorithmOf(PublicKey)
  return {
    algorithm,
    publicKey: PublicKey,
    sign: async ({ digest }) => {
      const { Signature } = await client.send(
        new SignCommand({
          KeyId: keyId,
          Message: digest,
          MessageType: 'DIGEST',
          SigningAlgorithm: kmsAlgorithms[algorithm],
        }),
      )
      if (Signature === undefined) throw new Error('KMS gave no signature.')
      return Signature
    },
  }
}

const kmsAlgorithms = {
  rsa_pkcs1_sha256: 'RSASSA_PKCS1_V1_5_SHA_256',
  ecdsa_p256_sha256: 'ECDSA_SHA_256',
} as const

/**
 * Finds the signer of a stage: the key in KMS with its stored certificates. If there are none, the key signs a
 * certificate for itself, once for all workers.
 *
 * The public key is fetched once. The certificates are read at each call, so that an import takes effect with the next
 * document.
 */
export function kmsSigner(deps: {
  keyId: string
  certificates: CertificateStore
  client?: KMSClient
  clock?: Clock
}): () => Promise<Signer> {
  const { keyId, certificates, client = createClient(), clock = systemClock } = deps
  let loading: Promise<SigningKey> | undefined
  return async () => {
    loading ??= kmsSigningKey(keyId, client).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    const key = await loading
    const { chain } = await certificates.findOrAdd(publicKeySha256(key), () => selfSigned(key, clock))
    return {
      algorithm: key.algorithm,
      sign: key.sign,
      certificates: chain.map((der) => Buffer.from(der, 'base64')),
    }
  }
}

/** The name under which the certificates of a key are stored. */
export function publicKeySha256({ publicKey }: Pick<SigningKey, 'publicKey'>): string {
  return hexDigest(publicKey)
}

async function selfSigned(key: SigningKey, clock: Clock): Promise<StoredCertificates> {
  const { selfSignedCertificate } = await import('./self-signed-certificate.ts')
  // The clock of the worker that uses it next may be behind this one.
  const validFrom = new Date(clock.now().getTime() - dayMilliseconds)
  // Times in certificates have no fractions of seconds.
  validFrom.setUTCMilliseconds(0)
  const validTo = new Date(validFrom)
  validTo.setUTCFullYear(validTo.getUTCFullYear() + validYears)
  const der = await selfSignedCertificate({ ...key, organization: 'Aktenlage', validFrom, validTo })
  return {
    public_key_sha256: publicKeySha256(key),
    chain: [Buffer.from(der).toString('base64')],
    origin: 'self_signed',
    stored_at: timestamp(clock),
  }
}

/** A self-signed certificate is never revoked or renewed: it lasts as long as the key. */
const validYears = 30
const dayMilliseconds = 24 * 60 * 60 * 1_000

function algorithmOf(publicKey: Uint8Array): Signer['algorithm'] {
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  if (key.asymmetricKeyType === 'rsa') return 'rsa_pkcs1_sha256'
  if (key.asymmetricKeyType === 'ec') return 'ecdsa_p256_sha256'
  throw new SealFault('certificate', 'The signing key is neither RSA nor P-256.')
}

/** A signature takes KMS some tens of milliseconds. */
function createClient(): KMSClient {
  return new KMSClient({
    maxAttempts: 4,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: 1_000,
      requestTimeout: 5_000,
      throwOnRequestTimeout: true,
      // For an answer that stops after its headers.
      socketTimeout: 6_000,
    }),
  })
}
