import { type KeyObject, X509Certificate } from 'node:crypto'

/**
 * The key that seals. `certificates` are DER: the signer's own first, then its chain to a root. `sign` gets bytes with
 * their SHA-256 digest, and returns the signature: raw for RSASSA-PKCS1-v1_5, or the DER sequence of r and s for ECDSA
 * over P-256. KMS `Sign` returns both forms for the digest (`MessageType: DIGEST`).
 */
export type Signer = {
  algorithm: 'rsa_pkcs1_sha256' | 'ecdsa_p256_sha256'
  certificates: readonly Uint8Array[]
  sign: (content: { bytes: Uint8Array; digest: Uint8Array }) => Promise<Uint8Array>
}

/**
 * The certificate and its key. The key must be RSA of at least 3 072 bits, or P-256, and match `algorithm`. @throws
 * SealFault
 */
export function sealingKey(signer: Signer): { certificate: X509Certificate; publicKey: KeyObject } {
  const [own] = signer.certificates
  if (own === undefined) throw new SealFault('certificate', 'The signer has no certificate.')
  const certificate = new X509Certificate(own)
  const { publicKey } = certificate
  const { modulusLength = 0, namedCurve } = publicKey.asymmetricKeyDetails ?? {}
  const fits =
    signer.algorithm === 'rsa_pkcs1_sha256'
      ? publicKey.asymmetricKeyType === 'rsa' && modulusLength >= minRsaBits
      : publicKey.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1'
  if (!fits) {
    throw new SealFault(
      'certificate',
      'The signer needs a certificate for RSA of 3 072 bits or more, or for P-256.',
    )
  }
  return { certificate, publicKey }
}

const minRsaBits = 3_072

/** Why no seal was made. The document is never the cause. The message is safe to log. */
export class SealFault extends Error {
  readonly kind: 'certificate' | 'signature' | 'time_stamp' | 'space'

  constructor(kind: SealFault['kind'], message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'SealFault'
    this.kind = kind
  }
}
